# Runs Bazel, or another command, in the mode that was chosen.

run_bazel() {
    check_worker "$@"
    find_cache
    find_workspace
    choose_mode
    case $mode in
        own)
            own_startup_options
            exec "$(own_bazel)" "${startup[@]}" "$@"
            ;;
        inside)
            enter_own_root
            sealed_startup_options
            exec bazel "${startup[@]}" "$@"
            ;;
        sealed)
            enter_root
            sealed_startup_options
            supervise bazel "${startup[@]}" "$@"
            ;;
    esac
}

# --sealed-shell [COMMAND…]
sealed_shell() {
    (($#)) || set -- bash
    find_cache
    find_workspace
    choose_mode
    [[ $mode != inside ]] || exec "$@"
    enter_root
    supervise "$@"
}

# Makes the root if need be and keeps it from being removed: this shell, and every process that
# starts in the root, the Bazel server too, inherits an open handle with a shared lock on it.
# Sets $in_root, what to put before a command.
enter_root() {
    find_root
    ensure_root
    exec {in_use}<"$root"
    flock -s "$in_use"
    root_is_ready || fail "the sealed root $root was removed just now; run the command again."
    bwrap_arguments
    # A script's background commands ignore Ctrl-C: bubblewrap is to, its command is not.
    in_root=(bwrap "${arguments[@]}" -- /usr/bin/env --default-signal='INT,QUIT')
}

enter_own_root() {
    read -r _ _ _ key _ <"/$marker"
    key=${key%:}
    root=
    in_root=(env)
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
# does not hold in another. Nor does what was built in one: its identity is in the key of every action, so that caches that roots
# share, on this disk or on a server, never answer one with what another's compilers or Python made.
sealed_startup_options() {
    local identity lines
    identity=$(root_identity "$root")
    lines=(
        "common --config=sealed"
        "common:sealed --registry=file://${registry_folder// /%20}"
        "common:sealed --lockfile_mode=off"
        "common:sealed --remote_default_exec_properties=sealed-root=$identity"
        # A worker of another root refuses by it: execution properties say nothing to justbuild.
        "common:sealed --remote_header=ckdispatch-root=$identity"
    )
    [[ $cache_is_moved == no ]] || lines+=("common --disk_cache=$cache/disk")
    write_settings "${lines[@]}"
    startup=(--output_user_root="$cache/bazel/$key" --bazelrc="$settings")
    trust_host_certificates
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

# Java keeps certificates in a form of its own: this machine's are converted when they change.
trust_host_certificates() {
    local bundle=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt} sum store
    [[ -r $bundle ]] || return 0
    sum=$(sha256sum <"$bundle")
    store=$cache/trust/${sum:0:12}.jks
    if [[ ! -e $store ]]; then
        mkdir -p -- "$cache/trust"
        "${in_root[@]}" python3 -I "$repository/tools/sealed/java_trust.py" "$bundle" "$store" ||
            return 0
    fi
    startup+=(--host_jvm_args=-Djavax.net.ssl.trustStore="$store")
}

# supervise COMMAND…: runs it in the root and exits with its code. Bubblewrap does not hand on
# signals, so this shell does: the terminal sends Ctrl-C to the command itself, and TERM and HUP,
# which a caller sends to this shell, are forwarded.
supervise() {
    local code=0 again alive child
    [[ -e /proc/self/fd/0 ]] || exec </dev/null
    "${in_root[@]}" "$@" <&0 &
    child=$!
    trap 'forward TERM "$child"' TERM
    trap 'forward HUP "$child"' HUP
    # Ignored, not caught: a caught one ends the wait, and a command that ends at that very moment has told its code to nobody.
    trap '' INT QUIT
    # A signal ends a wait early, with a code above 128; only the last one tells the command's own code,
    # and it tells it once: to ask again gives 127.
    wait "$child" || code=$?
    while ((code > 128)); do
        alive=1 again=0
        kill -0 "$child" 2>/dev/null || alive=0
        wait "$child" 2>/dev/null || again=$?
        ((again == 127)) || code=$again
        ((alive)) || break
    done
    ((code != 1)) || check_namespaces
    exit "$code"
}
