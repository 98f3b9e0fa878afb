// SPDX-License-Identifier: MIT
//
// Which GPUs this library was compiled for. The build passes them as CK_KERNEL_GPUS, a list of name:wave_size such as
// "gfx942:64,gfx1100:32"; GPU facts come from arch/ and from nowhere else.
#pragma once

#include <cstring>

#ifndef CK_KERNEL_GPUS
#error "define CK_KERNEL_GPUS as the GPUs of this library, such as \"gfx942:64,gfx1100:32\""
#endif

namespace ck_kernel {

inline const char* gpu_names() { return CK_KERNEL_GPUS; }

// The wave size of a GPU of this library, or 0 for any other. Target features ("gfx942:sramecc+:xnack-") are ignored.
inline int wave_size_of(const char* gpu) {
    if (gpu == nullptr) return 0;
    const std::size_t length = std::strcspn(gpu, ":");
    for (const char* item = CK_KERNEL_GPUS; length > 0 && *item != '\0';) {
        const std::size_t name = std::strcspn(item, ":");
        if (name == length && std::strncmp(item, gpu, length) == 0) {
            int size = 0;
            for (const char* digit = item + name + 1; *digit >= '0' && *digit <= '9'; ++digit)
                size = 10 * size + (*digit - '0');
            return size;
        }
        item += std::strcspn(item, ",");
        item += *item == ',' ? 1 : 0;
    }
    return 0;
}

}  // namespace ck_kernel
