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
        open_work_folder
        choose_what_to_make
        say "making the sealed root $key with clang $llvm from Debian $suite, once: about 0.7 GB to" \
            "download and 2 GB on disk in $cache"
        fill_and_rename
        say "the sealed root is ready after $((SECONDS - started)) s"
    fi
    exec {lock}>&-
}

open_work_folder() {
    work=$cache/sealed/tmp.$$
    remove_when_ended "$work"
    mkdir -- "$work" "$work/root"
}

# Asks the archive. Sets what use_compiler sets, and $check_date.
choose_what_to_make() {
    say "asking Debian $suite what it has"
    ask_archive "$work" || explain_failure "$work"
    check_archive_age
    [[ $check_date == true ]] ||
        say "Debian $suite is of $(day "$archive_date") and past its date; its signature is checked, and its date is not"
    choose_compiler "$work" || nothing_to_install
    ((${#refused[@]} == 0)) ||
        say "clang $llvm is used, because what is preferred cannot be installed ($(joined '; ' "${refused[@]}"))"
}

fill_and_rename() {
    start_stoppable run_mmdebstrap >"$work/log" 2>&1
    show_progress "$started_pid" "$work"
    wait_for_started || explain_failure "$work"
    finish_root 2>>"$work/log" || explain_failure "$work"
    mv -T -- "$work/root" "$root"
    trap - EXIT INT TERM HUP
    remove_folder "$work"
}

# remove_when_ended FOLDER: whatever ends this shell first ends what start_stoppable started, and removes the folder.
remove_when_ended() {
    started_pid= folder_to_remove=$1
    trap stop_and_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# mmdebstrap would finish its step before it heeds TERM, and has nothing to save.
stop_and_remove() {
    if [[ -n $started_pid ]]; then
        kill -KILL -- "-$started_pid" 2>/dev/null || true
        wait "$started_pid" 2>/dev/null || true
    fi
    remove_folder "$folder_to_remove"
}

# start_stoppable COMMAND…: in the background, in a process group of its own, so that all of it can be ended at once.
start_stoppable() {
    set -m
    "$@" </dev/null &
    started_pid=$!
    set +m
}

wait_for_started() {
    local code=0
    wait "$started_pid" || code=$?
    started_pid=
    return "$code"
}

# stoppable COMMAND…: runs it to its end, unless a signal ends both.
stoppable() {
    start_stoppable "$@"
    wait_for_started
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
    mmdebstrap_options "$check_date"
    # shellcheck disable=SC2016 # What $1 is, mmdebstrap knows.
    options+=(
        --variant=apt
        --include="$(joined , "${packages[@]}")"
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
    as_owner mmdebstrap "${options[@]}" "$suite" "$work/root" ${CKDISPATCH_MIRROR:+"$CKDISPATCH_MIRROR"}
}

# The last touches: one owner for all files, so that removing them takes no special rights; the
# folders that the host's own are mounted on, and those that anyone may enter wherever the root is bare; Bazel's system settings without the two that make every
# command warn and leave its sandboxes behind; and the marker.
finish_root() {
    local made=$work/root
    as_owner find "$made" '(' ! -uid 0 -o ! -gid 0 ')' -exec chown -h 0:0 '{}' + || return
    mkdir -p -- "$made/etc/ssl/certs" "$made/opt" "$made/usr/local" "$made/usr/src" || return
    chmod 755 -- "$made" "$made/etc" "$made/opt" || return
    if [[ -e $made/etc/bazel/bazelrc ]]; then
        sed -i -e '/host_javabase/d' -e '/sandbox_debug/d' -- "$made/etc/bazel/bazelrc" || return
    fi
    {
        echo "# sealed root $key: $suite of $(day "$archive_date"), recipe $recipe, and the packages in it"
        sed -nE 's/^(Package|Version): //p' "$made/var/lib/dpkg/status" | paste -d ' ' - - |
            LC_ALL=C sort
    } >"$made/$marker" || return
    # The rename must not reach the disk before the files do.
    sync -f "$made"
}
