// SPDX-License-Identifier: MIT
//
// A library of the right kind with nothing in it: what the fake compiler of the tests begins its output with.

const void* ck_kernel_get_api(void) { return 0; }
