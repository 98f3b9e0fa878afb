// SPDX-License-Identifier: MIT
#include "ckdispatch/core/name.hpp"

#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_set>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

// Far more than any generator has. A server that is asked for words that nobody knows must not keep all of them.
constexpr std::size_t kMostWords = 100000, kLongestWord = 256;

std::string shortened(std::string_view text) { return std::string(text.substr(0, 60)) + (text.size() > 60 ? "…" : ""); }

// Words stay as long as the process: names are held in objects of static storage too.
const std::string& kept(std::string_view text) {
    static auto& mutex = *new std::shared_mutex;
    static auto& words = *new std::unordered_set<std::string>;
    if (text.size() > kLongestWord)
        throw InvalidArgumentError(
            "The word '" + shortened(text) + "' of " + std::to_string(text.size()) +
            " letters was met where the name of a dtype, a layout or their like is expected; they have at most " +
            std::to_string(kLongestWord) + ".");
    const std::string word(text);
    {
        std::shared_lock<std::shared_mutex> lock(mutex);
        const auto known = words.find(word);
        if (known != words.end()) return *known;
    }
    std::unique_lock<std::shared_mutex> lock(mutex);
    if (words.size() >= kMostWords)
        throw OutOfMemoryError(
            "The word '" + shortened(text) + "' was met, and this process has met " + std::to_string(kMostWords) +
            " others as names of dtypes, layouts and their like; those that are known can still be used.");
    return *words.insert(word).first;
}

}  // namespace

Name::Name(std::string_view text) : Name() {
    if (text.empty()) return;
    const std::string& word = kept(text);
    text_ = word.c_str();
    size_ = word.size();
}

}  // namespace ckdispatch
