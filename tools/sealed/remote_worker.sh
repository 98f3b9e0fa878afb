# --remote-worker: justbuild executes Bazel's actions in a bare sealed root, each in a sandbox without a network. nginx is in front
# of it and lets through only who asks for work in this very root.

# Before the command of each action: nothing but the root, the action's own folder and a /tmp of its own. bubblewrap would
# replace PWD, by which actions ask for a folder that is called the same everywhere.
# shellcheck disable=SC2016 # The shell of the action expands it.
readonly action_launcher='case $PWD in /proc/self/cwd) ;; *) PWD=/build ;; esac
exec /usr/bin/bwrap --unshare-all --die-with-parent --ro-bind /usr /usr --ro-bind /etc /etc --dir /opt --proc /proc --dev /dev \
    --tmpfs /tmp --tmpfs /run --tmpfs /var --dir /var/tmp @LINKS@ --bind . /build --remount-ro / --chdir /build -- \
    /usr/bin/env "PWD=$PWD" "$@"'

remote_worker() {
    local identity
    asked='./bazelw --remote-worker'
    read_remote_options --remote-worker 8981 "$@"
    if [[ -n $server ]]; then
        remote_member
        return
    fi
    ((${#offered[@]} == 0)) || usage_error "--remote-worker was given a --property and no --server that could ask for it."
    find_cache
    find_workspace
    find_base
    identity=$(root_identity "$base")
    open_data remote-worker
    begin_servers
    bare_arguments "$base"
    mkdir -p -- "$data/build"
    collect_garbage
    rm -f -- "$data/state/justbuild.json"
    has_room ||
        fail "a worker that keeps at most $(human_size "$limit_kib") needs $(human_size $((limit_kib / 20))) of free disk, and $data has" \
            "$(human_size "$(free_kib "$data")"); free some, give a smaller --limit, or set CKDISPATCH_CACHE to a larger disk."
    touch -- "$data/state/open"
    # For as many connections as Bazel has uploads under way.
    ulimit -Sn "$(ulimit -Hn)"
    start_server justbuild execute --compatible --local-build-root /data/build --info-file /data/state/justbuild.json \
        --local-launcher "$(launcher_as_json)" --plain-log --log-limit 1
    wait_until test -s "$data/state/justbuild.json"
    worker_settings "$identity" >"$data/state/nginx.conf"
    start_server nginx -p /data -e stderr -c /data/state/nginx.conf
    wait_until answers
    explain_worker
    serve look_after_store
}

# The launcher as justbuild takes it: a list of words in JSON.
launcher_as_json() {
    local text
    text=${action_launcher//@LINKS@/$links}
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    printf '["/bin/sh", "-c", "%s", "action"]' "${text//$'\n'/\\n}"
}

# worker_settings IDENTITY
worker_settings() {
    local justbuild
    justbuild=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$data/state/justbuild.json")
    cat <<TEXT
daemon off;
pid /data/state/nginx.pid;
error_log stderr crit;
worker_processes 2;
events {
    # Each stream of Bazel's is a connection to justbuild, and Bazel may have a hundred in each of its hundred connections.
    worker_connections 20480;
}
http {
    access_log off;
    server_tokens off;
    client_body_temp_path /tmp/body;
    proxy_temp_path /tmp/proxy;
    fastcgi_temp_path /tmp/fastcgi;
    uwsgi_temp_path /tmp/uwsgi;
    scgi_temp_path /tmp/scgi;
    client_max_body_size 0;
    # An action takes as long as it takes, and nothing is sent meanwhile.
    grpc_read_timeout 1d;
    grpc_send_timeout 1d;
    client_body_timeout 1d;
    keepalive_timeout 1d;
    keepalive_time 1d;
    keepalive_requests 1000000000;
    http2_max_concurrent_streams 1024;
    upstream justbuild {
        server 127.0.0.1:$justbuild;
        keepalive 64;
    }
    server {
        listen $address:$port;
        http2 on;
        location / {
            error_page 418 = @another_root;
            error_page 419 = @full;
            error_page 502 504 = @gone;
            if (\$http_ckdispatch_root != "$1") {
                return 418;
            }
            if (!-e /data/state/open) {
                return 419;
            }
            grpc_pass grpc://justbuild;
        }
        location @another_root {
            default_type application/grpc;
            add_header grpc-status 9;
            add_header grpc-message "This worker has the sealed root $1 and was asked to work for another or none\
 (\$http_ckdispatch_root); run it and Bazel by ./bazelw with the same root, as docs/remote.md says.";
            return 200;
        }
        location @full {
            default_type application/grpc;
            add_header grpc-status 8;
            add_header grpc-message "The worker's disk is full; free some of it, and it goes on.";
            return 200;
        }
        location @gone {
            default_type application/grpc;
            add_header grpc-status 14;
            add_header grpc-message "The worker's executor has ended; look at the output of ./bazelw --remote-worker.";
            return 200;
        }
    }
}
TEXT
}

explain_worker() {
    local flag=--config=remote-exec
    ((port == 8981)) || flag+=" --remote_executor=grpc://$address:$port"
    say "a worker answers on $address:$port and keeps at most $(human_size "$limit_kib") in $data; Ctrl-C ends it"
    # The executor begins whatever it is sent.
    say "use it with $flag --jobs=$(nproc)"
}

look_after_store() {
    keep_room
    if ((SECONDS >= next_look)); then
        next_look=$((SECONDS + remote_interval))
        collect_garbage
    fi
}

# justbuild ends when its disk is full, and actions fail without a word. So new work is refused, with a sentence, when less than
# a twentieth of the limit is free. The file says whether nginx lets work in: on a full disk none can be made.
keep_room() {
    local open=$data/state/open
    if [[ -e $open ]] && ! has_room; then
        rm -f -- "$open"
        say "the disk of $data is nearly full ($(human_size "$(free_kib "$data")") left), so new work is refused"
    elif [[ ! -e $open ]] && has_room; then
        touch -- "$open"
        say "the disk of $data has room again, and work is taken"
    fi
}

has_room() {
    (($(free_kib "$data") >= limit_kib / 20))
}

# justbuild keeps what was used since its store was last turned over, and what was used in the time before that. Turned over
# at half of the limit, both are within it; and if they were filled faster than this shell looks, it is turned over again.
collect_garbage() {
    (($(kept_kib "$data/build/protocol-dependent/generation-0") > limit_kib / 2)) || return 0
    turn_over
    (($(kept_kib "$data/build") <= limit_kib)) || turn_over
}

# It waits for the actions that run.
turn_over() {
    start_server justbuild gc --local-build-root /data/build --plain-log
    wait "${servers[-1]}" || true
    unset 'servers[-1]'
}
