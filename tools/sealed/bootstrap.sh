# Makes the sealed root, once: mmdebstrap fills a temporary folder of the cache, which is renamed
# into place at the end. Whatever kills it leaves at most that folder and never half a root.

root_is_ready() {
    [[ -e $root/$marker ]]
}

# Needs $cache and what find_root sets.
ensure_root() {
    root_is_ready || make_root
    install_tools bubblewrap:bwrap
}

make_root() {
    local started=$SECONDS lock
    check_basics
    make_cache_folder
    exec {lock}>>"$cache/sealed/lock"
    if ! flock -n "$lock"; then
        say "waiting for another bazelw that is making a sealed root in $cache/sealed"
        flock "$lock"
    fi
    if ! root_is_ready; then
        # Only a holder of the lock makes such folders: what is here was left by a killed one.
        remove_leftovers
        check_space
        find_needed_tools
        install_tools "${tools[@]}"
        check_subordinate_ids
        check_namespaces
        say "making the sealed root $key from Debian $suite, once: about 0.7 GB to download and" \
            "2 GB on disk in $cache"
        fill_and_rename
        say "the sealed root is ready after $((SECONDS - started)) s"
    fi
    exec {lock}>&-
}

fill_and_rename() {
    work=$cache/sealed/tmp.$$
    bootstrap_pid=
    trap stop_bootstrap EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    mkdir -- "$work" "$work/root"
    # A process group of its own, so that all of it can be ended at once.
    set -m
    run_mmdebstrap </dev/null >"$work/log" 2>&1 &
    bootstrap_pid=$!
    set +m
    show_progress "$bootstrap_pid" "$work"
    wait "$bootstrap_pid" || { bootstrap_pid= && explain_failure "$work"; }
    bootstrap_pid=
    finish_root 2>>"$work/log" || explain_failure "$work"
    mv -T -- "$work/root" "$root"
    trap - EXIT INT TERM HUP
    remove_folder "$work"
}

# mmdebstrap would finish its step before it heeds TERM, and has nothing to save.
stop_bootstrap() {
    if [[ -n $bootstrap_pid ]]; then
        kill -KILL -- "-$bootstrap_pid" 2>/dev/null || true
        wait "$bootstrap_pid" 2>/dev/null || true
    fi
    remove_folder "$work"
}

remove_leftovers() {
    local folder
    for folder in "$cache"/sealed/tmp.*; do
        [[ -e $folder ]] || continue
        say "removing what an interrupted run left in $folder"
        remove_folder "$folder"
    done
}

# Bazel takes the write permission from what it builds, and while mmdebstrap works some of its files
# belong to subordinate ids.
remove_folder() {
    rm -rf -- "$1" 2>/dev/null && return
    chmod -R u+rwX -- "$1" 2>/dev/null || true
    rm -rf -- "$1" 2>/dev/null || as_owner rm -rf -- "$1" 2>/dev/null ||
        fail "the folder $1 cannot be removed by this user; run: sudo rm -rf $1"
}

# as_owner COMMAND…: as the one who owns a system's files. For an ordinary user that is a namespace
# in which the user is root and the other ids are the user's subordinate ones.
as_owner() {
    if ((EUID == 0)); then
        "$@"
    else
        unshare --map-root-user --map-auto -- "$@"
    fi
}

run_mmdebstrap() {
    local option target arguments
    arguments=(
        --variant=apt
        --architectures="$arch"
        --include="$(IFS=, && echo "${packages[*]}")"
        # A mirror's Release file may outlive its own date; its signature is checked all the same.
        --aptopt='Acquire::Check-Valid-Until "false"'
        # The user that apt would change to cannot reach a private home folder.
        --aptopt='APT::Sandbox::User "root"'
        --dpkgopt=force-unsafe-io
        # Documentation, translations, and what only jlink would read.
        --dpkgopt='path-exclude=/usr/lib/jvm/*/jmods/*'
        --dpkgopt='path-exclude=/usr/share/doc/*'
        --dpkgopt='path-include=/usr/share/doc/*/copyright'
        --dpkgopt='path-exclude=/usr/share/info/*'
        --dpkgopt='path-exclude=/usr/share/locale/*'
        # Maintainer scripts expect the folders of the manual.
        --dpkgopt='path-exclude=/usr/share/man/*/*'
        # These options are for this run, and a proxy's password is not to stay in the root.
        --customize-hook='rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap"'
    )
    while IFS= read -r option; do
        arguments+=(--aptopt="$option")
    done < <(apt_network_options)
    target=("$suite" "$work/root")
    [[ -z ${CKDISPATCH_MIRROR-} ]] || target+=("$CKDISPATCH_MIRROR")
    as_owner mmdebstrap --mode=unshare "${arguments[@]}" "${target[@]}"
}

# How this machine's apt reaches the network: its proxies and certificates.
apt_network_options() {
    apt-config dump 2>/dev/null | grep -E '^Acquire::https?::' || true
}

# The last touches: one owner for all files, so that removing them takes no special rights; the
# folders that the host's own are mounted on; Bazel's system settings without the two that make every
# command warn and leave its sandboxes behind; and the marker.
finish_root() {
    local made=$work/root
    as_owner find "$made" '(' ! -uid 0 -o ! -gid 0 ')' -exec chown -h 0:0 '{}' + || return
    mkdir -p -- "$made/etc/ssl/certs" "$made/usr/local" "$made/usr/src" || return
    if [[ -e $made/etc/bazel/bazelrc ]]; then
        sed -i -e '/host_javabase/d' -e '/sandbox_debug/d' -- "$made/etc/bazel/bazelrc" || return
    fi
    {
        echo "# sealed root $key: $suite, recipe $recipe, and the packages in it"
        sed -nE 's/^(Package|Version): //p' "$made/var/lib/dpkg/status" | paste -d ' ' - - |
            LC_ALL=C sort
    } >"$made/$marker" || return
    # The rename must not reach the disk before the files do.
    sync -f "$made"
}
