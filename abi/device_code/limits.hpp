// SPDX-License-Identifier: MIT
// What a file with device code may ask for. Whoever reads one uses memory in proportion to its size, whatever its
// tables say.
#pragma once

#include <cstdint>

namespace ckdispatch::device_code::limits {

/// Bytes of a file.
inline constexpr std::uint64_t kFile = std::uint64_t(4) << 30;

/// Entries of one bundle, and of all bundles of a host file.
inline constexpr std::uint64_t kBundleEntries = 4096, kAllEntries = std::uint64_t(1) << 20;

/// The names of an ELF file may be in its tables more than once, and one may be the end of another.
inline constexpr std::uint64_t kNamesPerByte = 4;

/// What all compressed bundles of a file of so many bytes may unpack to.
constexpr std::uint64_t unpacked(std::uint64_t file) {
    return (std::uint64_t(64) << 20) + 200 * (file < kFile ? file : kFile);
}

/// Bytes of memory for a code object's segments, which need not be in the file; they cost what is used of them.
inline constexpr std::uint64_t kSegments = std::uint64_t(4) << 30;

/// Bytes of a code object's metadata, which has some thousand for each kernel; read, they may take sixteen times as
/// many.
inline constexpr std::uint64_t kMetadata = std::uint64_t(64) << 20;

/// Bytes of a kernel's arguments.
inline constexpr std::uint64_t kArguments = std::uint64_t(1) << 20;

/// Characters of a name in a sentence, and of a sentence.
inline constexpr std::uint64_t kQuoted = 300, kSentence = 4000;

}  // namespace ckdispatch::device_code::limits
