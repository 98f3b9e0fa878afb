# Where things are: the workspace, the cache folder, and what the environment asks for.

readonly registry_folder=$repository/tools/sealed/registry
readonly package_file=$repository/tools/sealed/packages.txt
# Every sealed root carries this file; inside a root it is how bazelw knows where it is.
readonly marker=etc/ckdispatch-sealed

# The cache folder in effect. A Bazel test may write only to its own TEST_TMPDIR.
find_cache() {
    if [[ -n ${CKDISPATCH_CACHE-} ]]; then
        cache=$CKDISPATCH_CACHE
    elif [[ -n ${TEST_TMPDIR-} ]]; then
        cache=$TEST_TMPDIR/ckdispatch
    elif [[ -n ${XDG_CACHE_HOME-} ]]; then
        cache=$XDG_CACHE_HOME/ckdispatch
    elif [[ -n ${HOME-} ]]; then
        cache=$HOME/.cache/ckdispatch
    else
        fail "no cache folder can be chosen because HOME is not set; set CKDISPATCH_CACHE."
    fi
    [[ $cache == /* ]] || fail "the cache folder '$cache' is a relative path; give an absolute one."
    cache=$(readlink -m -- "$cache")
    [[ $cache != *[$' \t\n']* ]] ||
        fail "the cache folder '$cache' has a space in its name, which compilers in it cannot" \
            "cope with; set CKDISPATCH_CACHE to another one."
}

# True when the cache is not the one that the workspace's .bazelrc names.
cache_is_moved() {
    [[ $cache != "$(readlink -m -- "${HOME:-/nonexistent}/.cache/ckdispatch")" ]]
}

# The nearest folder above the current one that Bazel takes for a workspace; without one, this
# repository, so that bazelw can be called from anywhere.
find_workspace() {
    workspace=$PWD
    while [[ ! -e $workspace/MODULE.bazel && ! -e $workspace/WORKSPACE.bazel &&
        ! -e $workspace/WORKSPACE ]]; do
        if [[ -z $workspace ]]; then
            workspace=$repository
            cd -- "$repository"
            return
        fi
        workspace=${workspace%/*}
    done
}
