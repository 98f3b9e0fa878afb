// SPDX-License-Identifier: MIT
#pragma once

#include <amd_comgr/amd_comgr.h>

#include <string>

#include "gfxsim/disassembler/instructions.hpp"

namespace gfxsim {

/// The source lines of a code object, by its debug information, as the code object manager reads it. That may end the
/// process.
class SourceLines {
public:
    explicit SourceLines(const Code& file);
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    /// FILE:LINE of the instruction at an address of the file, of the innermost function that was inlined; empty if it
    /// is not known.
    std::string at(u64 address) const;

private:
    amd_comgr_data_t data_{};
    amd_comgr_symbolizer_info_t info_{};
    bool usable_ = false;
};

}  // namespace gfxsim
