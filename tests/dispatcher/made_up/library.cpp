// SPDX-License-Identifier: MIT
// What makes a kernel library of the functions of one: real code objects, for two GPUs, and the symbol that it exports.
#include "tests/dispatcher/made_up/library.hpp"

// Where a kernel library has its device code.
asm(".section .hip_fatbin,\"a\",%progbits\n"
    ".p2align 12\n"
    ".incbin \"nothing_bundle.hipfb\"\n"
    ".previous\n");

extern "C" const ck_kernel_api* ck_kernel_get_api(void) {
    static const ck_kernel_api api = {CK_KERNEL_ABI_VERSION, sizeof(ck_kernel_api),   made_up::describe,
                                      made_up::supports,     made_up::workspace_size, made_up::launch,
                                      made_up::phases};
    return &api;
}
