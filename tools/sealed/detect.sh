# What this machine has of its own, and which Bazel will be used.

wanted_bazel() {
    local version
    read -r version <"$repository/.bazelversion"
    printf '%s' "$version"
}

# The ROCm installation of this machine, or nothing.
own_rocm() {
    local folder
    for folder in "${ROCM_PATH-}" /opt/rocm; do
        if [[ -n $folder && (-x $folder/bin/hipcc || -x $folder/llvm/bin/clang++) ]]; then
            printf '%s' "$folder"
            return
        fi
    done
}

# The Bazel of this machine, or nothing.
own_bazel() {
    command -v bazel || command -v bazelisk || true
}

# bazel_version PROGRAM: its version number, or nothing where it has none (a development build).
# Distributions add a suffix: 7.7.1-1 is 7.7.1.
bazel_version() {
    "$1" --version 2>/dev/null | sed -nE 's/^bazel ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p' || true
}

# Sets $mode (inside: in a sealed root already; own: this machine's Bazel and ROCm; sealed) and
# $reason, a phrase that follows "because".
choose_mode() {
    local rocm bazel version
    case "${CKDISPATCH_SEALED-}" in
        '' | 0 | 1) ;;
        *) usage_error "CKDISPATCH_SEALED is '$CKDISPATCH_SEALED'; it can be 0, 1 or unset." ;;
    esac
    if [[ ${CKDISPATCH_SEALED-} == 1 ]]; then
        mode=sealed reason="CKDISPATCH_SEALED=1 asks for it"
        return
    fi
    if [[ -e /$marker ]]; then
        mode=inside reason="this is a sealed root already"
        return
    fi
    rocm=$(own_rocm) bazel=$(own_bazel)
    if [[ ${CKDISPATCH_SEALED-} == 0 ]]; then
        [[ -n $bazel ]] ||
            fail "CKDISPATCH_SEALED=0 asks for this machine's own Bazel, and neither bazel nor" \
                "bazelisk is on the PATH; install Bazel $(wanted_bazel) or unset it."
        mode=own reason="CKDISPATCH_SEALED=0 asks for it"
    elif [[ -z $rocm ]]; then
        mode=sealed reason="this machine has no ROCm (ROCM_PATH or /opt/rocm)"
    elif [[ -z $bazel ]]; then
        mode=sealed reason="this machine has no Bazel"
    else
        version=$(bazel_version "$bazel")
        if [[ $version == "$(wanted_bazel)" ]]; then
            mode=own reason="Bazel $version and the ROCm in $rocm are on this machine"
        else
            mode=sealed
            reason="this machine's Bazel is ${version:-of no known version} and not $(wanted_bazel)"
        fi
    fi
}
