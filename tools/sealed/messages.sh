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

# megabytes KIBIBYTES: for people.
megabytes() {
    if (($1 >= 1048576)); then
        printf '%d.%d GB' $(($1 / 1048576)) $(($1 % 1048576 * 10 / 1048576))
    else
        printf '%d MB' $(($1 / 1024))
    fi
}
