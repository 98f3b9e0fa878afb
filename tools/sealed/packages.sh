# The package list, and the key of the root that it makes.

# The distribution that the packages come from, and the version of the steps in bootstrap.sh.
# Raise the version when those steps make another root from the same list.
readonly suite=forky
readonly recipe=2

# Sets $packages, the names in packages.txt, sorted, so that their order does not change the key.
read_packages() {
    [[ -r $package_file ]] || fail "the package list $package_file cannot be read."
    mapfile -t packages < <(
        sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' -- "$package_file" | LC_ALL=C sort -u
    )
    ((${#packages[@]})) || fail "the package list $package_file names no package."
}

# Sets $arch (as Debian calls it), $packages, $key and $root.
find_root() {
    local machine digest
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
    read_packages
    digest=$(printf '%s\n' "$suite $recipe" "${packages[@]}" | sha256sum)
    key=$arch-${digest:0:12}
    root=$cache/sealed/$key
}
