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
        message() = presentable(sentence);
    } catch (...) {
        message().clear();
    }
    return static_cast<ckd_status>(code);
}

std::string text_of(const char* given, const char* what, std::size_t longest) {
    const std::size_t size = ::strnlen(&needed(given, what), longest + 1);
    if (size > longest)
        throw InvalidArgumentError(std::string("A call was made with ") + what + " that does not end within " +
                                   std::to_string(longest) + " bytes.");
    return {given, size};
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
