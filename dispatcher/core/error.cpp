// SPDX-License-Identifier: MIT
#include "ckdispatch/core/error.hpp"

#include <algorithm>

namespace ckdispatch {
namespace {

constexpr std::size_t kLongest = 4000, kKeptAtEnd = 1000;
constexpr std::string_view kCut = " … ", kUnreadable = "\xef\xbf\xbd";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the character that a text begins with; 0 if it begins with none.
std::size_t character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
    const std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
    if (size == 0 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!continues(text[i])) return 0;
    // Spelt longer than need be, halves of a pair, and what is beyond the last.
    const bool longer = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool none = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
    return longer || none ? 0 : size;
}

void append_readable(std::string& all, std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = character(text);
        if (size) all += text.substr(0, size);
        else if (text[0] == '\n' || text[0] == '\t') all += ' ';
        else all += kUnreadable;
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
}

}  // namespace

std::string presentable(std::string_view text) {
    std::string all;
    if (text.size() <= kLongest) {
        append_readable(all, text);
        return all;
    }
    std::size_t head = kLongest - kKeptAtEnd, tail = text.size() - kKeptAtEnd;
    // Between characters.
    for (int i = 0; i < 3 && continues(text[head]); ++i) --head;
    for (int i = 0; i < 3 && continues(text[tail]); ++i) ++tail;
    append_readable(all, text.substr(0, head));
    all += kCut;
    append_readable(all, text.substr(tail));
    return all;
}

std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::ok: return "ok";
        case ErrorCode::invalid_argument: return "invalid argument";
        case ErrorCode::not_found: return "not found";
        case ErrorCode::duplicate: return "duplicate";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::no_kernel: return "no kernel";
        case ErrorCode::wrong_gpu: return "wrong GPU";
        case ErrorCode::abi_mismatch: return "ABI mismatch";
        case ErrorCode::damaged: return "damaged";
        case ErrorCode::device_failed: return "device failed";
        case ErrorCode::out_of_memory: return "out of memory";
        case ErrorCode::io_failed: return "i/o failed";
        case ErrorCode::mismatch: return "mismatch";
        case ErrorCode::internal: return "internal error";
    }
    return "unknown";
}

void throw_error(ErrorCode code, const std::string& sentence) {
    switch (code) {
        case ErrorCode::invalid_argument: throw ErrorOf<ErrorCode::invalid_argument>(sentence);
        case ErrorCode::not_found: throw ErrorOf<ErrorCode::not_found>(sentence);
        case ErrorCode::duplicate: throw ErrorOf<ErrorCode::duplicate>(sentence);
        case ErrorCode::unsupported: throw ErrorOf<ErrorCode::unsupported>(sentence);
        case ErrorCode::no_kernel: throw ErrorOf<ErrorCode::no_kernel>(sentence);
        case ErrorCode::wrong_gpu: throw ErrorOf<ErrorCode::wrong_gpu>(sentence);
        case ErrorCode::abi_mismatch: throw ErrorOf<ErrorCode::abi_mismatch>(sentence);
        case ErrorCode::damaged: throw ErrorOf<ErrorCode::damaged>(sentence);
        case ErrorCode::device_failed: throw ErrorOf<ErrorCode::device_failed>(sentence);
        case ErrorCode::out_of_memory: throw ErrorOf<ErrorCode::out_of_memory>(sentence);
        case ErrorCode::io_failed: throw ErrorOf<ErrorCode::io_failed>(sentence);
        case ErrorCode::mismatch: throw ErrorOf<ErrorCode::mismatch>(sentence);
        case ErrorCode::ok:
        case ErrorCode::internal: break;
    }
    throw InternalError(sentence);
}

}  // namespace ckdispatch
