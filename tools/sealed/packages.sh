# The package list, the compilers that it can be completed with, and the key of the root that it makes.

# The distribution that the packages come from, and the version of the steps in bootstrap.sh.
# Raise the version when those steps make another root from the same list.
readonly suite=forky
readonly recipe=3

# list_lines FILE: its lines without comments and spaces.
list_lines() {
    sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' -- "$1"
}

# Sets $compilers, the versions of LLVM in compilers.txt in their order.
read_compilers() {
    local version
    [[ -r $compiler_file ]] || fail "the list of compilers $compiler_file cannot be read."
    mapfile -t compilers < <(list_lines "$compiler_file")
    ((${#compilers[@]})) || fail "the list of compilers $compiler_file names none."
    for version in "${compilers[@]}"; do
        [[ $version =~ ^[1-9][0-9]*$ ]] ||
            fail "the list of compilers $compiler_file has '$version', which is not a version of LLVM such as 21."
    done
}

# read_packages LLVM: sets $packages, the names in packages.txt, sorted, so that their order does not change the key.
read_packages() {
    [[ -r $package_file ]] || fail "the package list $package_file cannot be read."
    mapfile -t packages < <(list_lines "$package_file" | sed "s/{llvm}/$1/g" | LC_ALL=C sort -u)
    ((${#packages[@]})) || fail "the package list $package_file names no package."
}

# use_compiler LLVM: sets $llvm, $packages, $key and $root. Needs $arch and $cache.
use_compiler() {
    local digest
    llvm=$1
    read_packages "$llvm"
    digest=$(printf '%s\n' "$suite $recipe" "${packages[@]}" | sha256sum)
    key=$arch-${digest:0:12}
    root=$cache/sealed/$key
}

# Sets $arch (as Debian calls it), $compilers, and with use_compiler the root that commands run in: the first that was
# made, in the order of the compilers. Without one it is the preferred compiler's, until the archive was asked.
find_root() {
    local machine version
    machine=$(uname -m)
    case $machine in
        aarch64) arch=arm64 ;;
        x86_64) arch=amd64 ;;
        *)
            fail "no sealed root can be made on this machine because its architecture is $machine" \
                "and not aarch64 or x86_64; install Bazel $(wanted_bazel) and ROCm and set" \
                "CKDISPATCH_SEALED=0."
            ;;
    esac
    read_compilers
    for version in "${compilers[@]}"; do
        use_compiler "$version"
        ! root_is_ready || return 0
    done
    use_compiler "${compilers[0]}"
}

# root_identity FOLDER: a digest of what the root there was made of: the steps, and every package with its version. Two roots
# of one package list, made on different days, have different ones. Needs $key.
root_identity() {
    local digest
    digest=$({ printf '%s\n' "$key" && tail -n +2 -- "$1/$marker"; } | sha256sum)
    printf '%s' "${digest:0:32}"
}
