// SPDX-License-Identifier: MIT
//
// What Bazel precompiles once for each GPU, for the device passes of all batched transposes.
#include "ck_kernel/device/batched_transpose/headers.hpp"
