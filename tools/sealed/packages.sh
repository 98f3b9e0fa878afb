# The package list, and the key of the root that it makes.

# The distribution that the packages come from, and the version of the steps in bootstrap.sh.
# Raise the version when those steps make another root from the same list.
readonly suite=forky
readonly recipe=1

# The packages of packages.txt, sorted, one per line.
package_list() {
    [[ -r $package_file ]] || fail "the package list $package_file cannot be read."
    sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' -- "$package_file" | LC_ALL=C sort -u
}

# Sets $arch (as Debian calls it), $key and $root.
find_root() {
    case "$(uname -m)" in
        aarch64) arch=arm64 ;;
        x86_64) arch=amd64 ;;
        *)
            fail "no sealed root can be made on this machine because its architecture is" \
                "$(uname -m) and not aarch64 or x86_64; install Bazel $(wanted_bazel) and ROCm" \
                "and set CKDISPATCH_SEALED=0."
            ;;
    esac
    local digest
    digest=$({ echo "$suite $recipe"; package_list; } | sha256sum)
    key=$arch-${digest:0:12}
    root=$cache/sealed/$key
}
