"""The public rules and providers of ckdispatch."""

load("//rules/private:device_code.bzl", _ck_device_code = "ck_device_code")
load("//rules/private:for_gpus.bzl", _ck_for_gpus = "ck_for_gpus")
load(
    "//rules/private:hip_toolchain.bzl",
    _disabled_hip_toolchain = "disabled_hip_toolchain",
    _hip_toolchain = "hip_toolchain",
)
load("//rules/private:kernel.bzl", _ck_kernel = "ck_kernel")
load(
    "//rules/private:kernel_set.bzl",
    _ck_kernel_set = "ck_kernel_set",
    _ck_kernel_sets = "ck_kernel_sets",
)
load(
    "//rules/private:providers.bzl",
    _CkDeviceHeadersInfo = "CkDeviceHeadersInfo",
    _CkKernelInfo = "CkKernelInfo",
    _CkKernelSetInfo = "CkKernelSetInfo",
    _HipToolchainInfo = "HipToolchainInfo",
)

ck_device_code = _ck_device_code
ck_for_gpus = _ck_for_gpus
ck_kernel = _ck_kernel
ck_kernel_set = _ck_kernel_set
ck_kernel_sets = _ck_kernel_sets
disabled_hip_toolchain = _disabled_hip_toolchain
hip_toolchain = _hip_toolchain
CkDeviceHeadersInfo = _CkDeviceHeadersInfo
CkKernelInfo = _CkKernelInfo
CkKernelSetInfo = _CkKernelSetInfo
HipToolchainInfo = _HipToolchainInfo
