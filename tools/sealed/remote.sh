# What --remote-cache and --remote-worker share: their options, the bare root that their programs run in, and their end.
# docs/remote.md says how they are used.

# How often they look how much they keep, in seconds.
readonly remote_interval=30

# read_remote_options COMMAND PORT WORD…: sets $port, $limit_kib, $certificates, $address, $server and $offered.
read_remote_options() {
    local command=$1
    port=$2 limit_kib=$((20 * 1024 * 1024)) certificates='' address=127.0.0.1 server='' offered=()
    shift 2
    while (($#)); do
        case $1 in
            --limit | --certificates | --listen | --server | --property)
                (($# > 1)) || usage_error "$command has the option $1 without a value."
                read_remote_option "$command" "$1" "$2"
                shift
                ;;
            *)
                if ! [[ $1 =~ ^[1-9][0-9]{0,4}$ ]] || (($1 >= 65536)); then
                    usage_error "$command was given '$1', which is no port between 1 and 65535 and no option of it."
                fi
                port=$1
                ;;
        esac
        shift
    done
    [[ $address == 127.* || $address == '[::1]' || -n $certificates ]] ||
        usage_error "$command was told to listen on $address, where whoever reaches it could write;" \
            "give it --certificates too, or let it listen on 127.0.0.1."
}

# read_remote_option COMMAND OPTION VALUE
read_remote_option() {
    case $1:$2 in
        *:--limit)
            [[ $3 =~ ^([1-9][0-9]{0,6})([MG])B?$ ]] ||
                usage_error "$1 was given the limit '$3'; it is a size such as 500M or 20G."
            limit_kib=$((BASH_REMATCH[1] * 1024))
            [[ ${BASH_REMATCH[2]} == M ]] || limit_kib=$((limit_kib * 1024))
            ;;
        --remote-cache:--certificates) certificates=$3 ;;
        --remote-cache:--listen)
            # It becomes part of nginx's settings.
            [[ $3 =~ ^([0-9.]+|\[[0-9a-fA-F:]+\])$ ]] ||
                usage_error "$1 was told to listen on '$3', which is no address such as 0.0.0.0 or [::]."
            address=$3
            ;;
        --remote-worker:--server) server=$3 ;;
        --remote-worker:--property) offered+=("$3") ;;
        *) usage_error "$1 has no option $2." ;;
    esac
}

# open_data NAME: sets $data, the folder NAME of the cache, which only one bazelw uses at a time.
open_data() {
    local lock
    data=$cache/$1
    mkdir -p -- "$data/state" 2>/dev/null || true
    [[ -d $data/state && -w $data/state ]] ||
        fail "the folder $data cannot be written; set CKDISPATCH_CACHE to a folder that can."
    exec {lock}>>"$data/lock"
    # One that was killed has it for a moment more.
    flock -w 5 "$lock" || fail "another bazelw --$1 uses the folder $data; end it, or set CKDISPATCH_CACHE to another cache folder."
}

# Sets $base, where the sealed root lies, and keeps it from being removed. Inside of one it is that one.
find_base() {
    local in_use
    choose_mode
    base=
    if [[ $mode == inside ]]; then
        enter_own_root
        return
    fi
    find_root
    ensure_root
    exec {in_use}<"$root"
    flock -s "$in_use"
    root_is_ready || fail "the sealed root $root was removed just now; run the command again."
    base=$root
}

# bare_arguments FOLDER: sets $bare, bubblewrap's options for a root with the system folders of the one in FOLDER and nothing of
# this machine, and $links, those of them that make links, as text.
bare_arguments() {
    local path link
    links=
    bare=(
        --clearenv --setenv PATH /usr/local/bin:/usr/bin:/bin:/usr/sbin --setenv LANG C.UTF-8
        --ro-bind "$1/usr" /usr --ro-bind "$1/etc" /etc --dir /opt
        --tmpfs /tmp --tmpfs /run --tmpfs /var --dir /var/tmp --dev /dev
    )
    while IFS=$'\t' read -r path link; do
        if [[ -n $link ]]; then
            bare+=(--symlink "$link" "/$path")
            links+=" --symlink $link /$path"
        else
            bare+=(--ro-bind "$1/$path" "/$path")
        fi
    done < <(cd -- "$1/" && find . -mindepth 1 -maxdepth 1 '(' -name bin -o -name sbin -o -name 'lib*' ')' -printf '%P\t%l\n')
}

# in_box COMMAND…: in the bare root, with $data as /data, for a user without rights. It ends when this shell ends, and with it
# all that it started: they have process numbers of their own. Its /proc is mounted by unshare, because bubblewrap covers parts
# of one, and then nothing in the box could have a /proc of its own. setpriv stands behind the new user, who would undo it. A
# script's background commands ignore Ctrl-C, and actions must not.
in_box() {
    exec unshare --map-root-user -- setpriv --pdeathsig KILL -- unshare --pid --fork --kill-child --mount-proc -- \
        bwrap "${bare[@]}" --unshare-user --uid 65534 --gid 65534 --unshare-ipc --unshare-uts --die-with-parent \
        --bind /proc /proc --bind "$data" /data --remount-ro / --chdir /data -- \
        /usr/bin/env --default-signal='INT,QUIT' "$@"
}

# start_server COMMAND…: in a box of its own. Adds to $servers.
start_server() {
    set -m
    in_box "$@" </dev/null >>"$data/state/log" 2>&1 &
    set +m
    servers+=("$!")
}

# Whatever ends this shell ends the servers.
begin_servers() {
    servers=() timer=''
    : >"$data/state/log"
    next_look=0
    trap stop_servers EXIT
    trap 'say "stopped"; exit 0' INT TERM HUP
    [[ -n $server ]] || ! answers || port_is_taken
}

stop_servers() {
    local server
    [[ -z $timer ]] || kill "$timer" 2>/dev/null || true
    for server in "${servers[@]}"; do
        kill -KILL -- "-$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    done
}

servers_run() {
    local server
    for server in "${servers[@]}"; do
        kill -0 "$server" 2>/dev/null || return 1
    done
}

# wait_until CHECK…: until it is true or a server has ended.
wait_until() {
    until "$@"; do
        servers_run || explain_end
        pause 0.1
    done
}

# pause SECONDS: ends early for a signal, and when a server ends.
pause() {
    sleep "$1" &
    timer=$!
    wait -n || true
    kill "$timer" 2>/dev/null || true
    timer=
}

answers() {
    (exec 3<>"/dev/tcp/${address//[][]/}/$port") 2>/dev/null
}

# serve CHECK…: runs it every other second until a server or this shell is ended.
serve() {
    while servers_run; do
        "$@"
        pause 2
    done
    explain_end
}

port_is_taken() {
    fail "port $port of $address is taken by another program; name another one, as in $asked $((port < 65000 ? port + 100 : 8980))."
}

# Why a server ended by itself, in one sentence.
explain_end() {
    local log=$data/state/log reason
    if grep -qs 'Address already in use' "$log"; then
        port_is_taken
    fi
    (($(free_kib "$data") >= 1024)) ||
        fail "the disk of $data became full, and a server of $asked ended; free some or set CKDISPATCH_CACHE to a larger disk."
    check_namespaces
    reason=$(grep -m 1 -iE 'emerg|error|bwrap|unshare' "$log" | cut -c 1-300) || reason='it gave no reason'
    fail "a server of $asked has ended ($reason); the whole output is in $log."
}

# kept_kib FOLDER
kept_kib() {
    local line
    line=$(du -sk -- "$1" 2>/dev/null) || true
    line=${line%%[!0-9]*}
    printf '%s' "${line:-0}"
}

# reaches HOST PORT
reaches() {
    # shellcheck disable=SC2016 # The inner shell expands it.
    timeout 10 bash -c 'exec 3<>"/dev/tcp/$1/$2"' - "$1" "$2" 2>/dev/null
}

# check_worker WORD…: of Bazel's command line. Without a worker Bazel would wait, and then say "io exception" for each target.
check_worker() {
    local word worker=''
    for word in "$@"; do
        case $word in
            --config=remote-exec) worker=${worker:-127.0.0.1:8981} ;;
            --remote_executor=*) worker=${word#*=} && worker=${worker#grpc://} ;;
            --) break ;;
        esac
    done
    # Names that only Bazel can resolve, sockets and other protocols are left to it.
    [[ $worker =~ ^([A-Za-z0-9.-]+):([0-9]+)$ ]] || return 0
    reaches "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" ||
        fail "the build is to run on a worker at $worker, where nothing answers; start one there with ./bazelw --remote-worker," \
            "or build without it."
}
