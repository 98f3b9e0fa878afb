// SPDX-License-Identifier: MIT
#include "gfxsim/hip/transfer.hpp"

#include <cstring>

#include "gfxsim/hip/runtime.hpp"

namespace gfxsim {
namespace {

// From the first byte of the box to its last.
size_t extent(const Place& place, const Shape& shape) {
    size_t rows = 0, slices = 0, bytes = 0;
    const bool too_large = __builtin_mul_overflow(shape.height - 1, place.pitch, &rows) ||
                           __builtin_mul_overflow(shape.depth - 1, place.slice, &slices) ||
                           __builtin_add_overflow(rows, slices, &bytes) ||
                           __builtin_add_overflow(bytes, shape.width, &bytes);
    if (too_large) fail(hipErrorInvalidValue, "the copy is larger than the address space.");
    return bytes;
}

void check_place(const Place& place, const Shape& shape, bool on_device, const char* side) {
    const std::string name = std::string("the ") + side;
    if (shape.height > 1 && shape.width > place.pitch)
        fail(hipErrorInvalidPitchValue, name + " has a pitch that is less than the width.");
    require(place.pointer, "a pointer is null.");
    const auto memory = runtime().memory.snapshot();
    const u64 address = reinterpret_cast<u64>(place.pointer);
    const bool known = memory->find(address, 1) != nullptr;
    const size_t n = extent(place, shape);
    if (!known && on_device) fail(hipErrorInvalidValue, name + " is no device memory.");
    if (known && !memory->find(address, n))
        fail(hipErrorInvalidValue,
             name + " of " + std::to_string(n) + " bytes begins " + memory->describe(address) + ".");
}

}  // namespace

void copy(const Place& to, const Place& from, const Shape& shape, hipMemcpyKind kind) {
    if (shape.width == 0 || shape.height == 0 || shape.depth == 0) return;
    const bool valid = kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToHost ||
                       kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU ||
                       kind == hipMemcpyDefault;
    if (!valid) fail(hipErrorInvalidMemcpyDirection, "the direction is none that exists.");
    const bool both = kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU;
    check_place(to, shape, both || kind == hipMemcpyHostToDevice, "destination");
    check_place(from, shape, both || kind == hipMemcpyDeviceToHost, "source");
    for (size_t z = 0; z < shape.depth; ++z) {
        for (size_t y = 0; y < shape.height; ++y) {
            u8* const row = static_cast<u8*>(to.pointer) + z * to.slice + y * to.pitch;
            std::memmove(row, static_cast<const u8*>(from.pointer) + z * from.slice + y * from.pitch, shape.width);
            runtime().memory.mark_written(reinterpret_cast<u64>(row), shape.width);
        }
    }
}

void copy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    copy(Place{to, bytes, bytes}, Place{const_cast<void*>(from), bytes, bytes}, Shape{bytes, 1, 1}, kind);
}

void fill(const Place& to, const Shape& shape, unsigned value, unsigned element) {
    if (shape.width == 0 || shape.height == 0 || shape.depth == 0) return;
    check_place(to, shape, true, "destination");
    for (size_t z = 0; z < shape.depth; ++z) {
        for (size_t y = 0; y < shape.height; ++y) {
            u8* const row = static_cast<u8*>(to.pointer) + z * to.slice + y * to.pitch;
            if (element == 1) std::memset(row, int(value), shape.width);
            else
                for (size_t x = 0; x + element <= shape.width; x += element) std::memcpy(row + x, &value, element);
            runtime().memory.mark_written(reinterpret_cast<u64>(row), shape.width);
        }
    }
}

}  // namespace gfxsim
