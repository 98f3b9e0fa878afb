// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ckdispatch {

/// An open file, closed with the object.
class File {
public:
    explicit File(int number) : number_(number) {}
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    int number() const { return number_; }
    bool open() const { return number_ >= 0; }

private:
    int number_;
};

/// A whole file of at most so many bytes; `what` is what it is called in the sentence that says why it cannot be read.
std::vector<std::uint8_t> read_file(const std::string& path, const std::string& what, std::uint64_t most_bytes);

}  // namespace ckdispatch
