# --clean-sealed: removes sealed roots, and what Bazel built in them, that are no longer asked for.

clean_sealed() {
    local all=no lock folder status=0
    case "$#:${1-}" in
        0:) ;;
        1:--all) all=yes ;;
        *) usage_error "--clean-sealed takes nothing or --all, and '$*' was given." ;;
    esac
    find_cache
    find_root
    if [[ ! -d $cache/sealed ]]; then
        say "nothing to remove: there is no sealed root in $cache"
        return
    fi
    exec {lock}>>"$cache/sealed/lock"
    flock -n "$lock" ||
        fail "nothing was removed because another bazelw is making a sealed root in $cache/sealed;" \
            "try again when it has finished."
    remove_leftovers
    freed_kib=0
    digests=$(all_digests)
    for folder in "$cache"/sealed/*-*/; do
        folder=${folder%/}
        [[ -d $folder ]] || continue
        if [[ $all == yes ]] || ! is_wanted "${folder##*/}"; then
            remove_root "$folder" || status=$exit_bad_surroundings
        fi
    done
    say "$(human_size "$freed_kib") were freed"
    exit "$status"
}

# is_wanted NAME: whether it is the root that commands run in here, or may be so on a machine of the other architecture that
# shares the cache.
is_wanted() {
    [[ $1 != "$key" ]] || return 0
    [[ ${1%-*} != "$arch" && " $digests " == *" ${1##*-} "* ]]
}

# Prints the digest of the package list with each compiler.
all_digests() (
    for version in "${compilers[@]}"; do
        use_compiler "$version"
        printf '%s ' "${key##*-}"
    done
)

# remove_root FOLDER: false, with a sentence, when a command or a Bazel server still runs in it.
remove_root() {
    local handle old=${1##*/} gone size
    exec {handle}<"$1"
    if ! flock -n "$handle"; then
        say "the sealed root $old was not removed because it is in use; stop its Bazel server with" \
            "'./bazelw shutdown' in the workspace that it serves."
        exec {handle}<&-
        return 1
    fi
    gone=$cache/sealed/tmp.$$.$old
    if ! { mkdir -- "$gone" && mv -T -- "$1" "$gone/root"; } 2>/dev/null; then
        fail "the sealed root $1 cannot be removed because $cache/sealed cannot be written."
    fi
    [[ ! -e $cache/bazel/$old ]] || mv -T -- "$cache/bazel/$old" "$gone/bazel"
    exec {handle}<&-
    size=$(du -sk -- "$gone" 2>/dev/null) || true
    freed_kib=$((freed_kib + ${size%%[!0-9]*}))
    remove_folder "$gone"
    say "removed the sealed root $old"
}
