# Whether a sealed root can be made and used here. Every check ends in one sentence when it fails.

# The root, the packages that it is unpacked from, and room for Bazel's first outputs.
readonly space_needed_kib=$((4 * 1024 * 1024))

# check_programs PROGRAM…
check_programs() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null ||
            fail "making the sealed root needs the program '$program', which is not on the PATH."
    done
}

# Before anything is written: the programs of a usual Debian system, and apt.
check_basics() {
    check_programs df find flock sha256sum unshare
    check_apt
}

check_apt() {
    command -v apt-get >/dev/null ||
        fail "making the sealed root needs apt, which this machine does not have; use a Debian-like" \
            "machine, or install Bazel $(wanted_bazel) and ROCm and set CKDISPATCH_SEALED=0."
}

make_cache_folder() {
    mkdir -p -- "$cache/sealed" 2>/dev/null || true
    [[ -d $cache/sealed && -w $cache/sealed ]] ||
        fail "the cache folder $cache cannot be written; set CKDISPATCH_CACHE to one that can."
}

check_space() {
    local free
    free=$(free_kib "$cache/sealed")
    ((free >= space_needed_kib)) ||
        fail "making the sealed root needs $(human_size "$space_needed_kib") in $cache, where only" \
            "$(human_size "$free") are free; free some or set CKDISPATCH_CACHE to a larger disk."
}

# free_kib FOLDER: what is free on its disk, or on that of its nearest parent that exists.
free_kib() {
    local folder=$1 line
    while [[ ! -e $folder ]]; do folder=${folder%/*}; done
    { read -r line && read -r _ _ _ line _; } < <(df -Pk -- "${folder:-/}")
    printf '%s' "$line"
}

# Sets $tools, what this user needs to make a root, as PACKAGE:PROGRAM.
find_needed_tools() {
    tools=(mmdebstrap:mmdebstrap bubblewrap:bwrap)
    ((EUID == 0)) || tools+=(uidmap:newuidmap)
}

# check_tools PACKAGE:PROGRAM…: sets $missing, the packages to install, and $as_root, what to put
# before apt-get; fails where that is not allowed.
check_tools() {
    local entry
    missing=() as_root=()
    for entry in "$@"; do
        command -v "${entry#*:}" >/dev/null || missing+=("${entry%:*}")
    done
    ((${#missing[@]})) || return 0
    check_apt
    may_install ||
        fail "the sealed root needs ${missing[*]}, and this user may not install packages; run:" \
            "sudo apt-get install -y ${missing[*]}"
}

may_install() {
    ((EUID == 0)) && return
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root=(sudo -n)
}

# install_tools PACKAGE:PROGRAM…: installs those whose program is missing.
install_tools() {
    local log=$cache/sealed/apt.log
    check_tools "$@"
    ((${#missing[@]})) || return 0
    say "installing ${missing[*]} with apt"
    {
        "${as_root[@]}" apt-get update &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y --no-install-recommends "${missing[@]}"
    } </dev/null >"$log" 2>&1 ||
        fail "apt could not install ${missing[*]} ($(first_error "$log")); the whole output is in $log."
}

# An ordinary user's root is made with a range of user ids of one's own.
check_subordinate_ids() {
    local name file
    ((EUID != 0)) || return 0
    name=$(id -un 2>/dev/null) || name=$EUID
    for file in /etc/subuid /etc/subgid; do
        grep -qsE "^($name|$EUID):" "$file" ||
            fail "the sealed root needs a range of subordinate ids for $name in $file; run:" \
                "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $name"
    done
}

# Prints bubblewrap's complaint and is false when it cannot start a program here.
try_namespaces() {
    bwrap --ro-bind / / --dev /dev --bind /proc /proc -- /bin/true 2>&1
}

check_namespaces() {
    local complaint
    complaint=$(try_namespaces) ||
        fail "the sealed root needs user namespaces, which this machine does not allow" \
            "(${complaint//$'\n'/ }); allow them (sysctl user.max_user_namespaces," \
            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns) or use a" \
            "less strict container."
}
