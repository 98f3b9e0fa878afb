# --remote-cache: nginx as a cache for Bazel's HTTP protocol. Entries are files: /ac/<key>, what an action made, and
# /cas/<digest>, contents that readers check against the digest.

remote_cache() {
    asked='./bazelw --remote-cache'
    read_remote_options --remote-cache 8980 "$@"
    find_cache
    find_workspace
    check_certificates
    find_base
    open_data remote-cache
    begin_servers
    bare_arguments "$base"
    mkdir -p -- "$data/entries"
    # What was being written when the last one ended.
    remove_folder "$data/incoming"
    mkdir -- "$data/incoming"
    cache_settings >"$data/state/nginx.conf"
    start_server nginx -p /data -e stderr -c /data/state/nginx.conf
    wait_until answers
    explain_cache
    serve prune_entries "$data/entries"
}

# Copies what --certificates names to where nginx sees it; only this user can read it there.
check_certificates() {
    local name
    [[ -n $certificates ]] || return 0
    for name in ca.crt server.crt server.key; do
        [[ -r $certificates/$name ]] ||
            fail "--certificates names the folder '$certificates', where $name cannot be read; docs/remote.md says how it is made."
    done
}

cache_settings() {
    local tls='' listen="$address:$port"
    if [[ -n $certificates ]]; then
        listen+=' ssl'
        tls="
        ssl_certificate /data/state/server.crt;
        ssl_certificate_key /data/state/server.key;
        ssl_client_certificate /data/state/ca.crt;
        ssl_verify_client optional;"
        (umask 077 && cp -- "$certificates"/{ca.crt,server.crt,server.key} "$data/state/")
    fi
    cat <<TEXT
daemon off;
pid /data/state/nginx.pid;
error_log stderr crit;
worker_processes 2;
events {
    worker_connections 1024;
}
http {
    access_log off;
    server_tokens off;
    sendfile on;
    default_type application/octet-stream;
    keepalive_requests 1000000;
    client_max_body_size 0;
    # On the disk of the entries: a new entry is renamed into place when it is whole.
    client_body_temp_path /data/incoming;
    proxy_temp_path /tmp/proxy;
    fastcgi_temp_path /tmp/fastcgi;
    uwsgi_temp_path /tmp/uwsgi;
    scgi_temp_path /tmp/scgi;
    # Everyone reads. Who writes has a certificate, if there are any.
    map "\$request_method \$ssl_client_verify" \$refused {
        default 1;
        "~^(GET|HEAD) " 0;
        "PUT ${certificates:+SUCCESS}" 0;
    }
    server {
        listen $listen;$tls
        location ~ "^/(ac|cas)/[0-9a-f]{64}\$" {
            if (\$refused) {
                return 403;
            }
            root /data/entries;
            dav_methods PUT;
            create_full_put_path on;
        }
        location / {
            return 404;
        }
    }
}
TEXT
}

explain_cache() {
    local url=http://$address:$port
    [[ -z $certificates ]] || url=https://HOST:$port
    say "a cache answers on $address:$port and keeps at most $(human_size "$limit_kib") in $data; Ctrl-C ends it"
    if [[ $url == http://127.0.0.1:8980 ]]; then
        say "use it with --config=remote-cache"
    else
        say "use it with --config=remote-cache --remote_cache=$url"
    fi
    [[ -z $certificates ]] ||
        say "everyone reads, with --remote_upload_local_results=false; only who has a certificate of $certificates/ca.crt writes"
}

# prune_entries FOLDER: where it holds more than the limit, removes those that were not read for longest, down to nine tenths. A
# reader of one that is removed reads on; an entry that is not there is a miss. Disks note the time of a first read, and
# after that once a day (relatime); with noatime it is the time of writing.
prune_entries() {
    local kept path size
    ((SECONDS >= next_look)) || return 0
    next_look=$((SECONDS + remote_interval))
    kept=$(kept_kib "$1")
    ((kept > limit_kib)) || return 0
    while read -r _ size path && ((kept > limit_kib * 9 / 10)); do
        rm -f -- "$path"
        kept=$((kept - size))
    done < <(find "$1" -type f -printf '%A@ %k %p\n' | LC_ALL=C sort -n)
}
