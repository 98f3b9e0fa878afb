// SPDX-License-Identifier: MIT
// Files that a test makes and that go with it.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ckdispatch::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes_of_text(std::string_view text) { return {text.begin(), text.end()}; }

inline Bytes read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("The test's file " + path + " is missing.");
    return {std::istreambuf_iterator<char>(file), {}};
}

class TemporaryFolder {
public:
    TemporaryFolder() {
        const char* base = std::getenv("TEST_TMPDIR");
        path_ = std::string(base ? base : "/tmp") + "/ckdispatch-XXXXXX";
        if (!::mkdtemp(path_.data())) throw std::runtime_error("No folder can be made for the test.");
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string at(const std::string& name) const { return path_ + "/" + name; }

    /// Writes a file and returns its path.
    std::string write(const std::string& name, const Bytes& content) const {
        std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
        std::ofstream file(at(name), std::ios::binary);
        file.write(reinterpret_cast<const char*>(content.data()), std::streamsize(content.size()));
        if (!file.flush()) throw std::runtime_error("The test's file " + at(name) + " cannot be written.");
        return at(name);
    }
    std::string write(const std::string& name, std::string_view content) const {
        return write(name, bytes_of_text(content));
    }

private:
    std::string path_;
};

}  // namespace ckdispatch::test
