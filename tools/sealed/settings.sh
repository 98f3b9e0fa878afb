# Where things are: the repository's own files, the cache folder and the workspace.

readonly registry_folder=$repository/tools/sealed/registry
readonly package_file=$repository/tools/sealed/packages.txt
readonly compiler_file=$repository/tools/sealed/compilers.txt
readonly known_good_file=$repository/tools/sealed/known-good.txt
# Every sealed root carries this file; inside a root it is how bazelw knows where it is.
readonly marker=etc/ckdispatch-sealed

# Sets $cache, and $cache_is_moved: whether it is another than the workspace's .bazelrc names. Bazel takes the ~ there
# for the home of the account, whatever HOME says; so does bash where HOME is not set.
# A Bazel test may write only to its own TEST_TMPDIR.
find_cache() {
    local asked paths
    if [[ -n ${CKDISPATCH_CACHE-} ]]; then
        asked=$CKDISPATCH_CACHE
    elif [[ -n ${TEST_TMPDIR-} ]]; then
        asked=$TEST_TMPDIR/ckdispatch
    elif [[ -n ${XDG_CACHE_HOME-} ]]; then
        asked=$XDG_CACHE_HOME/ckdispatch
    elif [[ -n ${HOME-} ]]; then
        asked=$HOME/.cache/ckdispatch
    else
        fail "no cache folder can be chosen because HOME is not set; set CKDISPATCH_CACHE."
    fi
    [[ $asked == /* && $asked != *[$' \t\n']* ]] ||
        fail "the cache folder '$asked' cannot be used because its path is relative or has a space" \
            "in it; set CKDISPATCH_CACHE to another one."
    mapfile -t paths < <(readlink -m -- "$asked" "$(unset HOME && printf '%s' ~)/.cache/ckdispatch")
    cache=${paths[0]}
    cache_is_moved=no
    [[ $cache == "${paths[1]}" ]] || cache_is_moved=yes
}

# Sets $workspace, the nearest folder above the current one that Bazel takes for a workspace;
# without one, this repository, so that bazelw can be called from anywhere.
find_workspace() {
    local folder=$PWD
    while [[ ! -e $folder/MODULE.bazel && ! -e $folder/WORKSPACE.bazel && ! -e $folder/WORKSPACE ]]; do
        if [[ -z $folder ]]; then
            cd -- "$repository" || exit
            folder=$repository
            break
        fi
        folder=${folder%/*}
    done
    workspace=$folder
}
