// SPDX-License-Identifier: MIT
// What a made-up kernel library of a family defines: the functions of its API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "ck_kernel_abi.h"

namespace made_up {

const char* describe();
ck_kernel_status supports(const ck_problem* problem, const char* gpu, char* why, std::size_t size);
ck_kernel_status workspace_size(const ck_problem* problem, const char* gpu, std::uint64_t* bytes, char* why,
                                std::size_t size);
ck_kernel_status launch(const ck_problem* problem, const ck_launch_options* options, char* why, std::size_t size);
ck_kernel_status phases(const ck_problem* problem, const char* gpu, std::uint32_t* bits, char* why, std::size_t size);

inline ck_kernel_status say(ck_kernel_status status, char* why, std::size_t size, const char* sentence) {
    if (size) std::snprintf(why, size, "%s", sentence);
    return status;
}

}  // namespace made_up
