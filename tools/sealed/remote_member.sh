# --remote-worker --server URL: one of several workers of a BuildGrid, which buildbox-worker asks for work. docs/remote.md says how
# they are used.

# buildbox-run-hosttools executes an action in the sandbox that it is in itself: the root, where actions of this worker run, the socket
# of its store, and no network. buildbox-run-bubblewrap would take an action's inputs for a whole root, and let bubblewrap replace
# PWD, by which actions ask for a folder that is called the same everywhere.
readonly member_runner='#!/bin/sh
exec bwrap --unshare-all --die-with-parent --ro-bind /usr /usr --ro-bind /etc /etc --dir /opt --proc /proc --dev /dev @DEVICES@ \
    --tmpfs /tmp --tmpfs /run --tmpfs /var --dir /var/tmp @LINKS@ --ro-bind /data/state /data/state --bind /data/tmp /data/tmp \
    --bind /data/contents/cas/staging /data/contents/cas/staging --remount-ro / -- \
    buildbox-run-hosttools --staging-mode=copy-or-link --clearenv "$@"
'

# Needs $server and $offered, of the options.
remote_member() {
    local host=() property properties=() devices=()
    [[ $server =~ ^http://([A-Za-z0-9.-]+):([0-9]+)$ ]] ||
        usage_error "--remote-worker was given the server '$server', which is not of the form http://HOST:PORT."
    host=("${BASH_REMATCH[@]:1:2}")
    for property in "${offered[@]}"; do
        [[ $property =~ ^[A-Za-z0-9._-]+=[^=]+$ ]] ||
            usage_error "--remote-worker was given the property '$property', which is not of the form NAME=VALUE."
        properties+=(--platform "$property")
        if [[ $property == Pool=rocm-gpu ]]; then
            [[ -e /dev/kfd ]] || fail "a worker that offers Pool=rocm-gpu needs an AMD GPU, and this machine has no /dev/kfd."
            devices=(--dev-bind /dev/kfd /dev/kfd --dev-bind /dev/dri /dev/dri --ro-bind /sys /sys)
        fi
    done
    reaches "${host[@]}" || fail "the worker is to work for $server, where nothing answers; start BuildGrid there, as docs/remote.md says."
    find_cache
    find_workspace
    find_base
    open_data remote-worker
    begin_servers
    bare_arguments "$base"
    bare+=("${devices[@]}")
    mkdir -p -- "$data/contents"
    rm -f -- "$data/state/contents.sock"
    # With what is left of actions that ran when the last one ended.
    remove_folder "$data/tmp"
    mkdir -- "$data/tmp"
    member_runner_text "${devices[*]}" >"$data/state/runner"
    chmod +x -- "$data/state/runner"
    start_server buildbox-casd --cas-remote="$server" --bind=unix:/data/state/contents.sock --quota-high="${limit_kib}K" /data/contents
    wait_until test -S "$data/state/contents.sock"
    start_server env TMPDIR=/data/tmp buildbox-worker --bots-remote="$server" --cas-remote=unix:/data/state/contents.sock \
        --buildbox-run=/data/state/runner --concurrent-jobs="$(nproc)" --platform "sealed-root=$(root_identity "$base")" "${properties[@]}" \
        "$HOSTNAME-$$"
    say "a worker asks $server for work and keeps at most $(human_size "$limit_kib") in $data; Ctrl-C ends it"
    while servers_run; do
        pause 2
    done
    # It asks a few times more, for some 15 seconds.
    reaches "${host[@]}" || fail "the server $server does not answer any more, and this worker has ended; start both again."
    explain_end
}

# member_runner_text DEVICES
member_runner_text() {
    local text
    text=${member_runner//@LINKS@/$links}
    printf '%s' "${text//@DEVICES@/$1}"
}
