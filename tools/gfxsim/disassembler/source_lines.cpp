// SPDX-License-Identifier: MIT
#include "gfxsim/disassembler/source_lines.hpp"

namespace gfxsim {
namespace {

void keep_text(const char* text, void* user) { *static_cast<std::string*>(user) = text; }

// From "FUNCTION at FILE:LINE:COLUMN", and lines about those that it is inlined into.
std::string place(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    const std::size_t before = line.find(" at "), column = line.rfind(':');
    if (before == std::string::npos || column == std::string::npos || column < before) return "";
    const std::string found = line.substr(before + 4, column - before - 4);
    return found.rfind("??", 0) == 0 ? "" : found;
}

}  // namespace

SourceLines::SourceLines(const Code& file) {
    if (amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data_) != AMD_COMGR_STATUS_SUCCESS) return;
    usable_ =
        amd_comgr_set_data(data_, file.size, reinterpret_cast<const char*>(file.bytes)) == AMD_COMGR_STATUS_SUCCESS &&
        amd_comgr_create_symbolizer_info(data_, keep_text, &info_) == AMD_COMGR_STATUS_SUCCESS;
}

SourceLines::~SourceLines() {
    if (usable_) amd_comgr_destroy_symbolizer_info(info_);
    amd_comgr_release_data(data_);
}

std::string SourceLines::at(u64 address) const {
    std::string text;
    if (!usable_ || amd_comgr_symbolize(info_, address, true, &text) != AMD_COMGR_STATUS_SUCCESS) return "";
    return place(text);
}

}  // namespace gfxsim
