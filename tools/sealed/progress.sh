# What a person sees while mmdebstrap works, and the one sentence when it fails.

# show_progress PID WORK: a line per step until PID ends; on a terminal also a running clock.
show_progress() {
    local pid=$1 log=$2/log line step='starting' started=$SECONDS shown=0 input
    while [[ ! -e $log ]]; do sleep 0.05; done
    exec {input}<"$log"
    while :; do
        while IFS= read -r line <&"$input"; do
            line=$(describe_step "$line")
            [[ -n $line ]] || continue
            step=$line shown=$((SECONDS - started))
            clear_clock
            say "$(printf '%4d s  %s' "$shown" "$step")"
        done
        kill -0 "$pid" 2>/dev/null || break
        if [[ -t 2 ]]; then
            printf '\r\e[Kbazelw: %4d s  %s%s' $((SECONDS - started)) "$step" "$(amount "$2")" >&2
        elif ((SECONDS - started >= shown + 15)); then
            shown=$((SECONDS - started))
            say "$(printf '%4d s  %s%s' "$shown" "$step" "$(amount "$2")")"
        fi
        sleep 0.2
    done
    exec {input}<&-
    clear_clock
}

clear_clock() {
    [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# describe_step LINE: a line of mmdebstrap's log for people, or nothing.
describe_step() {
    case $1 in
        'I: running apt-get update'*) echo 'reading the list of packages' ;;
        'I: downloading packages'*) echo 'downloading the base system' ;;
        'I: extracting archives'*) echo 'unpacking the base system' ;;
        'I: installing essential'*) echo 'installing the base system' ;;
        'I: installing remaining'*) echo 'downloading and installing the other packages' ;;
    esac
}

# amount WORK: how far the downloads and the installation are.
amount() {
    local size lists=()
    size=$(du -sk -- "$1/root/var/cache/apt/archives" 2>/dev/null) || true
    size=${size%%[!0-9]*}
    mapfile -t lists < <(compgen -G "$1/root/var/lib/dpkg/info/*.list")
    ((${size:-0} < 1024)) ||
        printf ' (%s downloaded, %d packages unpacked)' "$(human_size "$size")" "${#lists[@]}"
}

# explain_failure WORK: ends with one sentence on why mmdebstrap failed, from what it said.
explain_failure() {
    local log=$1/log kept=$cache/sealed/bootstrap.log free missing
    local unreachable='Failed to fetch|Could not (resolve|connect)|Temporary failure'
    unreachable+='|Unable to connect|Connection (refused|timed out)|Cannot initiate'
    local unsigned='NO_PUBKEY|is not signed|signatures? (couldn|could not|were invalid)'
    local full="No space left on device|don't have enough free space"
    cp -- "$log" "$kept" 2>/dev/null || true
    free=$(free_kib "$cache/sealed")
    if grep -qsE "$full" "$log" || ((free < 65536)); then
        fail "the disk of $cache became full ($(human_size "$free") left) while the sealed root was" \
            "made; free $(human_size "$space_needed_kib") or set CKDISPATCH_CACHE to a larger disk."
    elif missing=$(grep -m 1 -oE 'Unable to locate package [^ ]+' "$log"); then
        fail "Debian $suite has no package ${missing##* } for $arch, which tools/sealed/packages.txt" \
            "names; correct the list, or $(known_good_advice)."
    elif grep -qsE "$unsigned" "$log"; then
        fail "the signature of Debian $suite could not be checked; install a newer" \
            "debian-archive-keyring. The whole output is in $kept."
    elif grep -qsE "$unreachable" "$log"; then
        fail "Debian $suite cannot be reached from this machine ($(first_error "$log")); check the" \
            "network and apt's proxy, or set CKDISPATCH_MIRROR to a mirror of it."
    else
        fail "mmdebstrap could not make the sealed root ($(first_error "$log")); the whole output is" \
            "in $kept."
    fi
}
