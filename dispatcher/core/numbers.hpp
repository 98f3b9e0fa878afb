// SPDX-License-Identifier: MIT
// Elements of the small dtypes as numbers of the CPU, for the reference.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// Element `index` of an array of that dtype. fp8 and bf8 are in the encoding of the GPU. Throws Error for a dtype that
/// is not known.
class Numbers {
public:
    Numbers(Name dtype, arch::Fp8Encoding encoding);

    double at(const void* array, std::int64_t index) const { return read_(array, index); }
    /// Half the distance from 1 to the next number: the relative error of rounding to this dtype; 0 for integers.
    double unit_roundoff() const { return roundoff_; }
    /// The smallest positive number, for results too small to have a relative error.
    double smallest() const { return smallest_; }
    /// The largest finite number; larger results become infinite, or this.
    double largest() const { return largest_; }

private:
    double (*read_)(const void*, std::int64_t) = nullptr;
    double roundoff_ = 0;
    double smallest_ = 0;
    double largest_ = 0;
};

}  // namespace ckdispatch
