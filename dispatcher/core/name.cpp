// SPDX-License-Identifier: MIT
#include "ckdispatch/core/name.hpp"

#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_set>

namespace ckdispatch {
namespace {

// Words stay as long as the process: names are held in objects of static storage too.
const std::string& kept(std::string_view text) {
    static auto& mutex = *new std::shared_mutex;
    static auto& words = *new std::unordered_set<std::string>;
    const std::string word(text);
    {
        std::shared_lock<std::shared_mutex> lock(mutex);
        const auto known = words.find(word);
        if (known != words.end()) return *known;
    }
    std::unique_lock<std::shared_mutex> lock(mutex);
    return *words.insert(word).first;
}

}  // namespace

Name::Name(std::string_view text) {
    const std::string& word = kept(text);
    text_                   = word.c_str();
    size_                   = word.size();
}

}  // namespace ckdispatch
