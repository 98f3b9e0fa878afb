// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/core/memory.hpp"

namespace gfxsim {

/// Page-aligned memory of this process between two pages that cannot be accessed. It lies in the lower half of a 48-bit
/// address space, where GPUs have their memory: their code takes bit 47 of an address for its sign.
class Region {
public:
    enum class Fill { poison, zero };

    Region() = default;
    /// Throws std::bad_alloc.
    explicit Region(u64 bytes, Fill fill = Fill::poison);
    ~Region();
    Region(Region&& other) noexcept { *this = static_cast<Region&&>(other); }
    Region& operator=(Region&& other) noexcept;

    u8* data() const { return data_; }
    u64 address() const { return reinterpret_cast<u64>(data_); }
    u64 size() const { return size_; }

private:
    u8* data_ = nullptr;
    u64 size_ = 0;
};

}  // namespace gfxsim
