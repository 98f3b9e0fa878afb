# Makes the sealed root, once: checks the surroundings, lets mmdebstrap fill a temporary folder of
# the cache, and renames it into place. Whatever kills it leaves at most that folder and no root.

readonly space_needed_kib=$((4 * 1024 * 1024))

root_is_ready() {
    [[ -e $root/$marker ]]
}

ensure_root() {
    if ! root_is_ready; then
        check_surroundings
        (make_root) || exit
    fi
    command -v bwrap >/dev/null || install_tools bubblewrap:bwrap
}

# Everything that can be known to be wrong before the first byte is downloaded.
check_surroundings() {
    local tool
    for tool in flock tar sha256sum df; do
        command -v "$tool" >/dev/null ||
            fail "making the sealed root needs the program '$tool', which is not on the PATH."
    done
    command -v apt-get >/dev/null ||
        fail "making the sealed root needs apt, which this machine does not have; use a Debian or" \
            "Ubuntu machine, or install Bazel $(wanted_bazel) and ROCm and set CKDISPATCH_SEALED=0."
    mkdir -p -- "$cache/sealed" 2>/dev/null ||
        fail "the cache folder $cache cannot be written; set CKDISPATCH_CACHE to one that can."
    check_space
    if ((EUID == 0)); then
        install_tools mmdebstrap bubblewrap:bwrap
    else
        install_tools mmdebstrap bubblewrap:bwrap uidmap:newuidmap
        check_subordinate_ids
    fi
    check_namespaces
}

check_space() {
    local free
    free=$(free_kib "$cache/sealed")
    ((free >= space_needed_kib)) ||
        fail "making the sealed root needs $(megabytes "$space_needed_kib") in $cache, where only" \
            "$(megabytes "$free") are free; free some or set CKDISPATCH_CACHE to a larger disk."
}

free_kib() {
    df -Pk -- "$1" | awk 'NR == 2 { print $4 }'
}

# install_tools PACKAGE[:PROGRAM]…: installs those whose program is missing, or says how to.
install_tools() {
    local entry missing=() as_root=()
    for entry in "$@"; do
        command -v "${entry#*:}" >/dev/null || missing+=("${entry%:*}")
    done
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root=(sudo -n)
        ((${#as_root[@]})) ||
            fail "the sealed root needs ${missing[*]}, and this user may not install packages; run:" \
                "sudo apt-get install -y ${missing[*]}"
    fi
    say "installing ${missing[*]} with apt"
    local log=$cache/sealed/apt.log
    mkdir -p -- "$cache/sealed"
    {
        "${as_root[@]}" apt-get update
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends "${missing[@]}"
    } </dev/null >"$log" 2>&1 ||
        fail "apt could not install ${missing[*]} ($(last_error "$log")); the whole output is in $log."
}

last_error() {
    local line
    line=$(grep -E '^(E|W|dpkg): ' -- "$1" | head -n 1) || true
    printf '%s' "${line:-no reason given}"
}

# An ordinary user's root is made with a range of user ids of one's own.
check_subordinate_ids() {
    local name file
    name=$(id -un)
    for file in /etc/subuid /etc/subgid; do
        grep -qsE "^($name|$EUID):" "$file" ||
            fail "the sealed root needs a range of subordinate ids for $name in $file; run:" \
                "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $name"
    done
}

# namespaces_work: true when bubblewrap can start a program here; its complaint is printed if not.
namespaces_work() {
    bwrap --ro-bind / / --dev /dev --bind /proc /proc -- /bin/true 2>&1
}

check_namespaces() {
    local complaint
    complaint=$(namespaces_work) ||
        fail "the sealed root needs user namespaces, which this machine does not allow" \
            "(${complaint//$'\n'/ }); allow them (sysctl kernel.unprivileged_userns_clone=1," \
            "kernel.apparmor_restrict_unprivileged_userns=0, or a less strict container)."
}

# Runs in a subshell: the lock, the traps and the temporary folder are its own.
make_root() {
    local lock started=$SECONDS
    exec {lock}>>"$cache/sealed/lock"
    if ! flock -n "$lock"; then
        say "waiting for another bazelw that is making a sealed root in $cache/sealed"
        flock "$lock"
        root_is_ready && return
    fi
    # Only a holder of the lock writes such folders: what is here was left by one that was killed.
    remove_leftovers
    local work=$cache/sealed/tmp.$$
    mkdir -- "$work"
    trap 'stop_bootstrap "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP

    say "making the sealed root $key from Debian $suite, once: about 0.5 GB to download and" \
        "2 GB on disk, in $cache"
    mkdir -- "$work/root" "$work/tmp"
    run_mmdebstrap "$work" &
    bootstrap_pid=$!
    show_progress "$bootstrap_pid" "$work"
    wait "$bootstrap_pid" || explain_failure "$work"
    bootstrap_pid=
    finish_root "$work/root" || explain_failure "$work"
    mv -T -- "$work/root" "$root"
    say "the sealed root is ready after $((SECONDS - started)) s"
}

stop_bootstrap() {
    if [[ -n ${bootstrap_pid-} ]]; then
        # mmdebstrap tidies up on TERM; the shell that started it does not pass it on.
        pkill -TERM -P "$bootstrap_pid" 2>/dev/null || true
        wait "$bootstrap_pid" 2>/dev/null || true
    fi
    remove_folder "$1"
}

remove_leftovers() {
    local folder
    for folder in "$cache"/sealed/tmp.*; do
        [[ -e $folder ]] || continue
        say "removing what an interrupted run left in $folder"
        remove_folder "$folder"
    done
}

# While mmdebstrap works for an ordinary user, its files belong to subordinate ids.
remove_folder() {
    rm -rf -- "$1" 2>/dev/null && return
    mmdebstrap --unshare-helper rm -rf -- "$1" 2>/dev/null || true
    rm -rf -- "$1" ||
        fail "the folder $1 cannot be removed; remove it with: sudo rm -rf $1"
}

# Root lets mmdebstrap write the folder itself. For anyone else it writes an archive, so that the
# files belong to the user in the end and need no special rights to be removed.
run_mmdebstrap() {
    local work=$1 packages option arguments
    packages=$(package_list | paste -sd,)
    arguments=(
        --variant=apt
        --architectures="$arch"
        --include="$packages"
        # A mirror's Release file may be older than its own date of expiry; it is signed all the same.
        --aptopt='Acquire::Check-Valid-Until "false"'
        --dpkgopt=force-unsafe-io
        --dpkgopt='path-exclude=/usr/share/doc/*'
        --dpkgopt='path-include=/usr/share/doc/*/copyright'
        --dpkgopt='path-exclude=/usr/share/info/*'
        --dpkgopt='path-exclude=/usr/share/locale/*'
        # Maintainer scripts expect the folders of the manual.
        --dpkgopt='path-exclude=/usr/share/man/*/*'
        # The options above are for this run, and a proxy's password is not to stay in the root.
        --customize-hook='rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap"'
    )
    while IFS= read -r option; do
        arguments+=(--aptopt="$option")
    done < <(apt_network_options)
    if ((EUID == 0)); then
        mmdebstrap --mode=root "${arguments[@]}" "$suite" "$work/root" ${CKDISPATCH_MIRROR:+"$CKDISPATCH_MIRROR"}
    else
        TMPDIR=$work/tmp mmdebstrap --mode=unshare "${arguments[@]}" "$suite" - ${CKDISPATCH_MIRROR:+"$CKDISPATCH_MIRROR"} |
            tar -x --no-same-owner --exclude='./dev/*' -C "$work/root"
    fi </dev/null 2>"$work/log"
}

# How this machine's apt reaches the network: its proxies and certificates.
apt_network_options() {
    apt-config dump 2>/dev/null | grep -E '^Acquire::https?::' || true
}

# show_progress PID WORK: a line per step of mmdebstrap; on a terminal also a running clock.
show_progress() {
    local line step= started=$SECONDS log=$2/log shown=0 size elapsed
    while [[ ! -e $log ]] && kill -0 "$1" 2>/dev/null; do sleep 0.1; done
    exec {log_fd}<"$log"
    while :; do
        while IFS= read -r line <&"$log_fd"; do
            [[ $line == 'I: '* ]] || continue
            step=${line#I: }
            step=${step%...}
            clear_clock
            say "$(printf '%4d s  %s' $((SECONDS - started)) "$step")"
            shown=$((SECONDS - started))
        done
        kill -0 "$1" 2>/dev/null || break
        elapsed=$((SECONDS - started))
        if [[ -t 2 ]]; then
            printf '\r\e[Kbazelw: %4d s  %s%s' "$elapsed" "$step" "$(downloaded "$2")" >&2
        elif ((elapsed >= shown + 15)); then
            say "$(printf '%4d s  %s%s' "$elapsed" "$step" "$(downloaded "$2")")"
            shown=$elapsed
        fi
        sleep 1
    done
    clear_clock
    exec {log_fd}<&-
}

clear_clock() {
    [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# The size of the packages that have arrived, while they are there.
downloaded() {
    local size
    size=$(du -skc "$1"/{root,tmp/*}/var/cache/apt/archives 2>/dev/null | tail -n 1 | cut -f1) || true
    if ((${size:-0} > 1024)); then
        printf ' (%s so far)' "$(megabytes "$size")"
    fi
}

# The last touches: the places where the host's files will be mounted, Bazel's own settings without
# those that make every command warn and leave its sandboxes behind, and the marker.
finish_root() {
    local made=$1 folder
    for folder in etc/ssl/certs usr/local usr/src; do
        mkdir -p -- "$made/$folder" || return
    done
    if [[ -e $made/etc/bazel/bazelrc ]]; then
        sed -i -e '/host_javabase/d' -e '/sandbox_debug/d' -- "$made/etc/bazel/bazelrc" || return
    fi
    {
        printf '# sealed root %s: %s, recipe %s; the packages in it\n' "$key" "$suite" "$recipe"
        awk -F ': ' '
            $1 == "Package" { name = $2 }
            $1 == "Version" { print name, $2 }
        ' "$made/var/lib/dpkg/status" | LC_ALL=C sort
    } >"$made/$marker"
}

# One sentence on why mmdebstrap failed, from what it said.
explain_failure() {
    local log=$1/log kept=$cache/sealed/bootstrap.log free package
    cp -- "$log" "$kept" 2>/dev/null || true
    free=$(free_kib "$cache/sealed")
    if grep -qs 'No space left on device' "$log" || ((free < 65536)); then
        fail "the disk of $cache became full ($(megabytes "$free") left) while the sealed root was" \
            "made; free $(megabytes "$space_needed_kib") or set CKDISPATCH_CACHE to a larger disk."
    elif package=$(grep -oE 'Unable to locate package [^ ]+' "$log" | head -n 1) && [[ $package ]]; then
        fail "Debian $suite does not have a package of tools/sealed/packages.txt" \
            "(${package,}) for $arch; correct the list."
    elif grep -qsE 'NO_PUBKEY|is not signed|signatures? (couldn|could not|were invalid)' "$log"; then
        fail "the signature of Debian $suite could not be checked; install debian-archive-keyring" \
            "of a newer release. The whole output is in $kept."
    elif grep -qsE 'Failed to fetch|Could not (resolve|connect)|Temporary failure|Unable to connect|Connection (refused|timed out)|Cannot initiate' "$log"; then
        fail "Debian $suite cannot be reached from this machine ($(last_error "$log")); check the" \
            "network and the proxy of apt, or set CKDISPATCH_MIRROR to a mirror of it."
    else
        fail "mmdebstrap could not make the sealed root ($(last_error "$log")); the whole output is" \
            "in $kept."
    fi
}
