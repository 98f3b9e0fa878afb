# What bazelw says. All of it goes to standard error, so that `./bazelw info … | …` stays clean.

# Bazel's own code for "local environmental issue": a script can tell it from a failed build.
readonly exit_bad_surroundings=36
readonly exit_bad_usage=2

say() {
    printf 'bazelw: %s\n' "$*" >&2
}

# fail SENTENCE: what was asked, what is wrong, what would work.
fail() {
    say "$*"
    exit "$exit_bad_surroundings"
}

usage_error() {
    say "$*"
    exit "$exit_bad_usage"
}

# human_size KIBIBYTES: for people.
human_size() {
    if (($1 >= 1048576)); then
        printf '%d.%d GB' $(($1 / 1048576)) $(($1 % 1048576 * 10 / 1048576))
    else
        printf '%d MB' $(($1 / 1024))
    fi
}

# joined SEPARATOR WORD…
joined() {
    local text
    text=$(printf "%s$1" "${@:2}")
    printf '%s' "${text%"$1"}"
}

# first_error LOG: the first complaint of apt, dpkg or mmdebstrap in it.
first_error() {
    local line
    line=$(grep -m 1 -E '^(E|W|dpkg): ' -- "$1") || line='it gave no reason'
    printf '%s' "$line"
}

# forward SIGNAL PID: to the children of PID.
forward() {
    local children=()
    { read -r -a children <"/proc/$2/task/$2/children" || true; } 2>/dev/null
    ((${#children[@]} == 0)) || kill "-$1" "${children[@]}" 2>/dev/null || true
}
