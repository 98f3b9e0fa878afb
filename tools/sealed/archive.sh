# What Debian's archive has now: asked before a root is made, and by --doctor.

# fetch_index FOLDER CHECK [LIMIT]: puts the archive's lists of packages into FOLDER/index and what was said meanwhile into
# FOLDER/log. CHECK is whether the archive must not be past its date, LIMIT how many seconds it may take.
# mmdebstrap knows where the archive is and whose signatures it has; told to simulate, it only reads the lists.
fetch_index() {
    local code=0
    mmdebstrap_options "$2"
    remove_folder "$1/index"
    as_owner timeout --signal=KILL "${3:-0}" mmdebstrap "${options[@]}" --simulate --skip=cleanup/apt \
        --variant=custom "$suite" "$1/index" ${CKDISPATCH_MIRROR:+"$CKDISPATCH_MIRROR"} >"$1/log" 2>&1 || code=$?
    ((code < 124)) || echo "E: no answer within $3 s" >"$1/log"
    return "$code"
}

# mmdebstrap_options CHECK: sets $options, for whatever mmdebstrap is to do.
mmdebstrap_options() {
    local option
    options=(
        --mode=unshare
        --architectures="$arch"
        --aptopt="Acquire::Check-Valid-Until \"$1\""
        # The user that apt would change to cannot reach a private home folder.
        --aptopt='APT::Sandbox::User "root"'
    )
    while IFS= read -r option; do
        options+=(--aptopt="$option")
    done < <(apt_network_options)
}

# How this machine's apt reaches the network: its proxies and certificates.
apt_network_options() {
    apt-config dump 2>/dev/null | grep -E '^Acquire::https?::' || true
}

# ask_archive FOLDER [LIMIT]: fetches the lists and sets $check_date (true or false), $archive_date and $archive_until
# (seconds since 1970; the latter is empty if the archive does not say). False if they cannot be had; FOLDER/log says why.
#
# Who can answer for the archive could replay an old state of it, signed as it is. So its date is checked, and that is given
# up only for an archive that is past its date: a snapshot, or a mirror that is no longer fed.
ask_archive() {
    check_date=true
    if ! stoppable fetch_index "$1" "$check_date" "${2-}"; then
        grep -qsE 'Release file .* is expired' "$1/log" || return 1
        check_date=false
        stoppable fetch_index "$1" "$check_date" "${2-}" || return 1
    fi
    archive_date=$(release_date "$1" Date)
    archive_until=$(release_date "$1" Valid-Until)
    [[ -n $archive_date ]] || { echo 'E: its Release file has no date' >"$1/log" && return 1; }
}

# release_date FOLDER FIELD: what the archive's Release file says, in seconds since 1970, or nothing.
release_date() {
    local file text
    for file in "$1/index/var/lib/apt/lists/"*_"$suite"_{InRelease,Release}; do
        [[ -r $file ]] || continue
        text=$(sed -n "/^$2: /{s///p;q}" -- "$file")
        [[ -z $text ]] || date -u -d "$text" +%s 2>/dev/null || true
        return
    done
}

# day SECONDS: for people.
day() {
    date -u -d "@$1" +%F
}

# A mirror that is fed seldom may lag so many days behind the known-good state.
readonly archive_lag=90

# check_archive_age: an archive that is past its date must at least not be much older than the known-good state, unless the
# user chose it.
check_archive_age() {
    [[ $check_date == false && -z ${CKDISPATCH_MIRROR-} ]] || return 0
    ((archive_date >= $(known_good_date) - archive_lag * 86400)) ||
        fail "Debian $suite, as it is reached from here, is of $(day "$archive_date") and past its date, and more than" \
            "$archive_lag days older than the state of $(day "$(known_good_date)") that this repository was tested with;" \
            "someone may be replaying it. Check the network and apt's proxy, or set CKDISPATCH_MIRROR to that archive if" \
            "you mean it."
}

# choose_compiler FOLDER: of the tested compilers takes the first that the archive whose lists are in FOLDER can install
# with all other packages. Sets what use_compiler sets, and $refused, a phrase for each that it cannot; false if there is none.
choose_compiler() {
    local version
    refused=()
    for version in "${compilers[@]}"; do
        use_compiler "$version"
        ! plan_installation "$1" || return 0
        refused+=("clang $version: $(first_error "$1/log")")
    done
    return 1
}

# Says so when choose_compiler found none.
nothing_to_install() {
    fail "Debian $suite of $(day "$archive_date") cannot install what tools/sealed/packages.txt names for $arch" \
        "($(joined '; ' "${refused[@]}")); $(known_good_advice)."
}

# plan_installation FOLDER: whether $packages can be installed from the lists in FOLDER; FOLDER/plan has what would be.
plan_installation() {
    # In a file that apt reads first, so that it takes no other setting of this machine.
    printf '%s "%s";\n' Dir "$1/index" Dir::State::status "$1/index/var/lib/dpkg/status" \
        APT::Architecture "$arch" >"$1/apt.conf"
    APT_CONFIG=$1/apt.conf LC_ALL=C.UTF-8 apt-get --simulate --quiet --no-install-recommends install "${packages[@]}" \
        </dev/null >"$1/plan" 2>"$1/log"
}

# planned_version FOLDER PACKAGE: the version that plan_installation found.
planned_version() {
    sed -n "s/^Inst $2 (\([^ ]*\) .*/\1/p" -- "$1/plan"
}

# known_good WORD…: what known-good.txt says after these words.
known_good() {
    sed -n "s/^$* //p" -- "$known_good_file" 2>/dev/null || true
}

# The date of the known-good state in seconds since 1970; 0 if none is recorded.
known_good_date() {
    local stamp
    stamp=$(known_good archive)
    [[ $stamp =~ ^([0-9]{8})T([0-9]{2})([0-9]{2})([0-9]{2})Z$ ]] || { echo 0 && return; }
    date -u -d "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}:${BASH_REMATCH[3]}:${BASH_REMATCH[4]}" +%s
}

# How to get a root where today's archive cannot give one.
known_good_advice() {
    echo "set CKDISPATCH_MIRROR to Debian's snapshot archive at $(known_good snapshot), a state that is known to be good" \
        "(tools/sealed/known-good.txt)"
}
