# --doctor: what was found, what will be used and why. --help.

# How long --doctor waits for each answer of the archive.
readonly archive_seconds=60

doctor() {
    (($# == 0)) || usage_error "--doctor takes no argument, and '$1' was given."
    problems=()
    describe_machine
    describe_own_tools
    describe_cache
    describe_choice
    if ((${#problems[@]})); then
        printf '\nNot usable:\n'
        printf -- '- %s\n' "${problems[@]}"
        exit 1
    fi
    printf '\nUsable.\n'
}

row() {
    printf '%-16s %s\n' "$1" "${*:2}"
}

# note CHECK…: runs a check and keeps the sentence of one that fails.
note() {
    local sentence
    sentence=$("$@" 2>&1) || problems+=("${sentence#bazelw: }")
}

describe_machine() {
    local system='an unknown system' line
    while IFS= read -r line; do
        [[ $line != PRETTY_NAME=* ]] || { line=${line#*=} && system=${line//\"/}; }
    done < <(cat /etc/os-release 2>/dev/null)
    row machine "$(uname -m), $system, Linux $(uname -r)"
    if ! command -v bwrap >/dev/null; then
        row namespaces 'not known before bubblewrap is installed'
    elif try_namespaces >/dev/null; then
        row namespaces 'work'
    else
        row namespaces 'do not work'
    fi
    if ! command -v apt-get >/dev/null; then
        row apt 'not found'
    elif may_install; then
        row apt 'found, and this user may install packages'
    else
        row apt 'found, but this user may not install packages'
    fi
    row mmdebstrap "$(program_version mmdebstrap)"
    row bubblewrap "$(program_version bwrap)"
    ((EUID == 0)) || row uidmap "$(command -v newuidmap || echo 'not installed')"
}

# program_version PROGRAM
program_version() {
    local answer
    answer=$("$1" --version 2>/dev/null) || answer='not installed'
    printf '%s' "$answer"
}

describe_own_tools() {
    local bazel version rocm
    bazel=$(own_bazel) rocm=$(own_rocm)
    if [[ -n $bazel ]]; then
        version=$(bazel_version "$bazel")
        row 'own Bazel' "$bazel, ${version:-no known version} ($(wanted_bazel) is wanted)"
    else
        row 'own Bazel' "none ($(wanted_bazel) is wanted)"
    fi
    row 'own ROCm' "${rocm:-none (ROCM_PATH and /opt/rocm were looked at)}"
}

describe_cache() {
    find_cache
    row cache "$cache, $(human_size "$(free_kib "$cache")") free"
    note find_root
    if ((${#problems[@]})); then
        row 'sealed root' 'none'
        return
    fi
    find_root
    if root_is_ready; then
        row 'sealed root' "$key, with Bazel $(package_version bazel-bootstrap) and clang" \
            "$(package_version "clang-$llvm")"
    else
        row 'sealed root' "$key, not made yet"
    fi
}

# package_version PACKAGE: the one in the sealed root.
package_version() {
    sed -n "s/^$1 //p" "$root/$marker"
}

describe_choice() {
    local before=${#problems[@]}
    note choose_mode
    if ((${#problems[@]} > before)); then
        row used 'nothing'
        return
    fi
    choose_mode
    case $mode in
        own)
            problems=()
            row used "this machine's own Bazel, because $reason"
            ;;
        inside)
            problems=()
            row used "the Bazel of this sealed root, because $reason"
            ;;
        sealed)
            row used "the sealed root, because $reason"
            note_what_stops_the_root
            [[ -z ${root-} ]] || describe_archive
            ;;
    esac
}

# What a root would be made of today. Not a problem where there is a root, or only no network.
describe_archive() {
    local folder ready=no
    ! root_is_ready || ready=yes
    if ! command -v mmdebstrap >/dev/null || ! command -v apt-get >/dev/null; then
        row archive 'not known before mmdebstrap is installed'
        return
    fi
    folder=$(mktemp -d)
    remove_when_ended "$folder"
    if ! ask_archive "$folder" "$archive_seconds"; then
        row archive "cannot be asked ($(first_error "$folder/log")): a new root needs the network"
    else
        row archive "Debian $suite of $(day "$archive_date")$(describe_date_check)"
        describe_new_root "$folder" "$ready"
    fi
    trap - EXIT INT TERM HUP
    remove_folder "$folder"
}

describe_date_check() {
    if [[ $check_date == true ]]; then
        printf ', whose date and signature are checked'
    elif [[ -n $archive_until ]]; then
        printf ', valid until %s: its signature is checked, its date cannot be' "$(day "$archive_until")"
    else
        printf ': its signature is checked, its date cannot be'
    fi
}

# describe_new_root FOLDER READY
describe_new_root() {
    local sentence package name version known versions=() others=()
    if ! sentence=$(check_archive_age 2>&1) || ! choose_compiler "$1"; then
        row 'new root' 'cannot be made'
        [[ -n $sentence ]] || sentence=$(nothing_to_install 2>&1) || true
        [[ $2 == yes ]] || problems+=("${sentence#bazelw: }")
        return
    fi
    for name in "clang:clang-$llvm" Bazel:bazel-bootstrap hipcc:hipcc; do
        package=${name#*:} name=${name%:*}
        version=$(planned_version "$1" "$package")
        known=$(known_good "$arch" "$package")
        versions+=("$name $version")
        [[ $version == "$known" ]] || others+=("$name ${known:-with LLVM $(known_good llvm)}")
    done
    row 'new root' "$(joined ', ' "${versions[@]}")"
    if ((${#others[@]})); then
        row 'known good' "$(joined ', ' "${others[@]}"), at $(known_good snapshot) of Debian's snapshot archive"
    else
        row 'known good' "the same, at $(known_good snapshot) of Debian's snapshot archive"
    fi
}

note_what_stops_the_root() {
    if [[ -n ${root-} ]] && root_is_ready; then
        note check_tools bubblewrap:bwrap
    else
        note check_basics
        note check_space
        find_needed_tools
        note check_tools "${tools[@]}"
        note check_subordinate_ids
    fi
    if command -v bwrap >/dev/null; then
        note check_namespaces
    fi
}

show_help() {
    cat <<'TEXT'
bazelw runs Bazel with everything that this repository needs: the machine's own Bazel and ROCm where
both are there, and otherwise a sealed root, which the first command makes in the cache folder.

  ./bazelw COMMAND …                  what `bazel COMMAND …` does
  ./bazelw --doctor                   what was found here, what will be used and why, and what
                                      a root made today would have
  ./bazelw --sealed-shell [COMMAND …] a shell, or a command, in the sealed root
  ./bazelw --remote-cache [PORT]      a cache for other builds, until Ctrl-C: docs/remote.md
  ./bazelw --remote-worker [PORT]     executes the actions of other builds, until Ctrl-C
  ./bazelw --clean-sealed [--all]     removes the sealed roots of older package lists, or all of them
  ./bazelw --help                     this text, then Bazel's own help

  CKDISPATCH_CACHE    the cache folder (default: ckdispatch in XDG_CACHE_HOME or ~/.cache)
  CKDISPATCH_SEALED   1 always uses a sealed root, 0 never
  CKDISPATCH_MIRROR   the Debian mirror that the sealed root is made from (default: apt's own)

TEXT
    find_cache
    choose_mode
    if [[ $mode == sealed ]]; then
        find_root
        if ! root_is_ready; then
            echo "Bazel's own help follows here once the first command has made the sealed root."
            return
        fi
    fi
    run_bazel help
}
