// SPDX-License-Identifier: MIT
#include "tests/dispatcher/support/built.hpp"

#include <algorithm>
#include <sstream>

namespace ckdispatch::test {

std::string built_file(std::string_view part, std::string_view other_part) {
    const char* all = std::getenv("CK_TEST_FILES");
    std::istringstream words(all ? all : "");
    std::string found;
    for (std::string path; words >> path;) {
        const std::string name = path.substr(path.rfind('/') + 1);
        if (name.find(part) == name.npos || name.find(other_part) == name.npos) continue;
        if (!found.empty())
            throw std::runtime_error("Both " + found + " and " + path + " are called " + std::string(part) + ".");
        found = path;
    }
    if (found.empty())
        throw std::runtime_error("No built file is called " + std::string(part) + " and " + std::string(other_part) +
                                 "; CK_TEST_FILES names them.");
    return found;
}

void exchange(Bytes& content, std::string_view text, std::string_view other) {
    if (text.size() != other.size()) throw std::runtime_error("A text is exchanged for another of the same length.");
    // As bytes: a char above 127 is negative on some machines, and then equals none of them.
    const Bytes before = bytes_of_text(text), after = bytes_of_text(other);
    bool found = false;
    for (auto at = content.begin();
         (at = std::search(at, content.end(), before.begin(), before.end())) != content.end();) {
        at = std::copy(after.begin(), after.end(), at);
        found = true;
    }
    if (!found) throw std::runtime_error("The file has no text '" + std::string(text) + "'.");
}

}  // namespace ckdispatch::test
