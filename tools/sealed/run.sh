# Runs Bazel in the mode that was chosen.

run_bazel() {
    find_cache
    find_workspace
    choose_mode
    case $mode in
        own)
            own_startup_options
            exec "$(own_bazel)" "${startup[@]}" "$@"
            ;;
        inside)
            read -r _ _ _ key _ <"/$marker"
            key=${key%:}
            sealed_startup_options
            exec bazel "${startup[@]}" "$@"
            ;;
        sealed)
            find_root
            ensure_root
            sealed_startup_options
            run_in_root bazel "${startup[@]}" "$@"
            ;;
    esac
}

# --sealed-shell [COMMAND…]
sealed_shell() {
    find_cache
    if [[ -e /$marker && ${CKDISPATCH_SEALED-} != 1 ]]; then
        exec "${@:-bash}"
    fi
    workspace=$PWD
    find_root
    ensure_root
    run_in_root "${@:-bash}"
}

# With its own Bazel the machine keeps Bazel's own defaults, unless the cache was moved.
own_startup_options() {
    startup=()
    if [[ $cache_is_moved == yes ]]; then
        write_settings "common --disk_cache=$cache/disk"
        startup=(--output_user_root="$cache/bazel" --bazelrc="$settings")
    fi
}

# Every root has an output folder, and so a server, of its own: what Bazel has detected in one root
# does not hold in another.
sealed_startup_options() {
    local lines=(
        "common --config=sealed"
        "common:sealed --registry=file://$registry_folder"
        "common:sealed --lockfile_mode=off"
    )
    [[ $cache_is_moved == no ]] || lines+=("common --disk_cache=$cache/disk")
    write_settings "${lines[@]}"
    startup=(--output_user_root="$cache/bazel/$key" --bazelrc="$settings")
}

# write_settings LINE…: a bazelrc in the cache, named by its content, so that two repositories that
# share a cache do not overwrite each other's. Sets $settings.
write_settings() {
    local content sum
    content=$(printf '%s\n' "$@")
    sum=$(sha256sum <<<"$content")
    settings=$cache/bazelrc/${sum:0:12}
    if [[ ! -e $settings ]]; then
        mkdir -p -- "$cache/bazelrc"
        printf '%s\n' "$content" >"$settings.$$"
        mv -- "$settings.$$" "$settings"
    fi
}

# run_in_root COMMAND…: exits with the command's own code. Bubblewrap does not hand on signals, so
# this shell stays and does: Ctrl-C reaches the command from the terminal itself (bubblewrap, like
# every background command of a script, ignores it), TERM and HUP are forwarded.
run_in_root() {
    local in_use code=0 child
    exec {in_use}<"$root"
    flock -s "$in_use"
    root_is_ready || fail "the sealed root $root was removed just now; run the command again."
    bwrap_arguments
    bwrap "${arguments[@]}" -- /usr/bin/env --default-signal=INT,QUIT "$@" <&0 &
    child=$!
    trap 'forward TERM "$child"' TERM
    trap 'forward HUP "$child"' HUP
    trap : INT QUIT
    while :; do
        code=0
        wait "$child" || code=$?
        kill -0 "$child" 2>/dev/null || break
    done
    if ((code == 1)); then
        check_namespaces
    fi
    exit "$code"
}
