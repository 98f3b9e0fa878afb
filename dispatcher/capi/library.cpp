// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <cstring>

#include "ckdispatch/capi/guard.hpp"

namespace ckdispatch::capi {
namespace {

std::string& message() {
    thread_local std::string text;
    return text;
}

}  // namespace

ckd_status failed(ErrorCode code, const char* sentence) noexcept {
    try {
        message() = sentence;
    } catch (...) {
        message().clear();
    }
    return static_cast<ckd_status>(code);
}

char* allocated(const std::string& text) {
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (!copy) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

}  // namespace ckdispatch::capi

using namespace ckdispatch;

uint32_t ckd_abi_version(void) { return CKD_ABI_VERSION; }
const char* ckd_last_error(void) { return capi::message().c_str(); }
const char* ckd_status_name(ckd_status status) { return name_of(static_cast<ErrorCode>(status)).data(); }
void ckd_free_text(char* text) { std::free(text); }
