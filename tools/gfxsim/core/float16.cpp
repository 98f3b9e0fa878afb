// SPDX-License-Identifier: MIT
#include "gfxsim/core/float16.hpp"

#include "gfxsim/core/float8.hpp"

namespace gfxsim {

f16 to_f16(f64 value, Round round) {
    const u64 bits = bit_cast<u64>(value);
    const bool nan = (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    if (nan) return f16{u16((bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x3ff))};
    return f16{u16(encode(kF16, value, round))};
}

}  // namespace gfxsim
