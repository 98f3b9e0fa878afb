// SPDX-License-Identifier: MIT
// A table of what was tried as a library, and as a manifest: each is refused with one sentence, soon, and without
// taking the machine's memory.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "ckdispatch/core/library.hpp"
#include "ckdispatch/gemm/registry.hpp"
#include "tests/dispatcher/support/manifest.hpp"
#include "tests/dispatcher/support/process.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::Bytes;
using test::TemporaryFolder;

// What the attempt says, in a process that may take half a gigabyte and ten seconds.
std::string attempt(const std::function<void()>& body) {
    return test::in_a_process_of_its_own([&]() -> std::string {
        [[maybe_unused]] const rlimit memory{std::uint64_t(1) << 29, std::uint64_t(1) << 29};
        const rlimit seconds{10, 10};
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses for itself
        ::setrlimit(RLIMIT_DATA, &memory);
#endif
        ::setrlimit(RLIMIT_CPU, &seconds);
        ::alarm(60);
        body();
        return "it was taken";
    });
}

struct Tried {
    const char* what;
    std::function<void()> prepare;
    const char* sentence;  ///< with FILE for the path
};

std::string with_path(std::string sentence, const std::string& path) {
    for (std::size_t at = 0; (at = sentence.find("FILE", at)) != sentence.npos; at += path.size())
        sentence.replace(at, 4, path);
    return sentence;
}

class HostileLibrary : public testing::Test {
protected:
    void change(const std::function<void(Bytes&)>& body) const {
        Bytes content =
            test::read_bytes(built_library("compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"));
        body(content);
        files.write("lib.so", content);
    }
    template <class T>
    static void put(Bytes& content, std::size_t at, T value) {
        std::memcpy(content.data() + at, &value, sizeof value);
    }
    static std::size_t find(const Bytes& content, std::string_view text) {
        return std::size_t(std::search(content.begin(), content.end(), text.begin(), text.end()) - content.begin());
    }

    TemporaryFolder files;
    const std::string path = files.at("lib.so");
};

TEST_F(HostileLibrary, IsRefusedWithASentence) {
    const std::uint64_t far = ~std::uint64_t(0);
    const Tried all[] = {
        {"nothing", [] {}, "not found: The library FILE cannot be read: No such file or directory."},
        {"a folder", [&] { ::mkdir(path.c_str(), 0700); },
         "i/o failed: The library FILE cannot be read: it is no regular file."},
        {"a pipe that nobody writes to", [&] { ::mkfifo(path.c_str(), 0600); },
         "i/o failed: The library FILE cannot be read: it is no regular file."},
        {"zeros without end", [&] { std::filesystem::create_symlink("/dev/zero", path); },
         "i/o failed: The library FILE cannot be read: it is no regular file."},
        {"links in a circle", [&] { std::filesystem::create_symlink(path, path); },
         "i/o failed: The library FILE cannot be read: Too many levels of symbolic links."},
        {"the memory of the process", [&] { std::filesystem::create_symlink("/proc/self/mem", path); },
         "damaged: FILE is no kernel library: it is no ELF file."},
        {"an empty file", [&] { files.write("lib.so", ""); }, "damaged: FILE is no kernel library: it is no ELF file."},
        {"a terabyte of nothing",
         [&] { std::filesystem::resize_file(files.write("lib.so", ""), std::uint64_t(1) << 40); },
         "i/o failed: The library FILE cannot be read: it has 1099511627776 bytes, and more than 536870912 are not "
         "looked at."},
        {"another program", [&] { files.write("lib.so", test::read_bytes(built_library("ordinary"))); },
         "damaged: FILE is no kernel library: it holds no code for a GPU."},
        {"half of a library", [&] { change([](Bytes& content) { content.resize(content.size() / 2); }); },
         "damaged: FILE is no kernel library: it ends before its section headers."},
        {"a library for another processor", [&] { change([](Bytes& content) { put<std::uint16_t>(content, 18, 8); }); },
         "damaged: The library FILE cannot be loaded: FILE: "},
        {"a library with sections far away", [&] { change([&](Bytes& content) { put(content, 40, far); }); },
         "damaged: FILE is no kernel library: it ends before its section headers."},
        {"a bundle with endless entries",
         [&] { change([&](Bytes& content) { put(content, find(content, "__CLANG_OFFLOAD_BUNDLE__") + 24, far); }); },
         "damaged: FILE is no kernel library: it "},
        {"metadata nested without end",
         [&] {
             change([](Bytes& content) {
                 // The map, its first name, and all that follows become lists in lists.
                 const std::size_t at = find(content, "amdhsa.kernels") - 2;
                 std::fill_n(content.begin() + std::ptrdiff_t(at), 400, std::uint8_t(0x91));
             });
         },
         "damaged: FILE is no kernel library: its metadata is nested more than 32 levels deep."},
        {"counts below zero",
         [&] { change([](Bytes& content) { content[find(content, ".vgpr_count") + 11] = 0xff; }); },
         "damaged: FILE is no kernel library: it has a code object whose metadata has a '.vgpr_count' that is no "
         "count."},
    };
    for (const Tried& one : all) {
        std::filesystem::remove_all(path);
        one.prepare();
        const std::string said = attempt([&] { (void)KernelLibrary::open({path, ""}); });
        EXPECT_EQ(said.find(with_path(one.sentence, path)), 0u) << one.what << ": " << said.substr(0, 500);
        EXPECT_LT(said.size(), 5000u) << one.what;
    }
}

class HostileManifest : public test::ManifestTest {};

TEST_F(HostileManifest, IsRefusedWithASentence) {
    const std::string path = files.at("set.manifest.json");
    const auto changed = [&](const std::function<void(Json&)>& body) {
        return [this, body] {
            Json document = this->document;
            body(document);
            files.write("set.manifest.json", document.dump());
        };
    };
    const auto entry = [&](const std::function<void(Json&)>& body) {
        return changed([body](Json& document) { body(document["kernels"][0]); });
    };
    const auto text = [&](const std::string& content) {
        return [this, content] { files.write("set.manifest.json", content); };
    };
    const Tried all[] = {
        {"a pipe that nobody writes to", [&] { ::mkfifo(path.c_str(), 0600); },
         "i/o failed: The manifest FILE cannot be read: it is no regular file."},
        {"zeros without end", [&] { std::filesystem::create_symlink("/dev/zero", path); },
         "i/o failed: The manifest FILE cannot be read: it is no regular file."},
        {"a terabyte of nothing",
         [&] { std::filesystem::resize_file(files.write("set.manifest.json", ""), std::uint64_t(1) << 40); },
         "i/o failed: The manifest FILE cannot be read: it has 1099511627776 bytes, and more than 268435456 are not "
         "looked at."},
        {"no JSON", text("{'kernels': []}"), "damaged: The manifest FILE is not valid JSON."},
        {"lists in lists", text(std::string(100000, '[')),
         "damaged: The manifest FILE is nested more than 64 levels deep."},
        {"a list", text("[]"), "damaged: The manifest FILE has no 'schema_version'."},
        {"another version", changed([](Json& all) { all["schema_version"] = 1e300; }),
         "ABI mismatch: The manifest FILE has another schema version than 1, which this runtime reads."},
        {"kernels that are a number", changed([](Json& all) { all["kernels"] = -1; }),
         "damaged: The manifest FILE has 'kernels' that are no list."},
        {"kernels that are nothing", changed([](Json& all) { all["kernels"] = {nullptr}; }),
         "damaged: The manifest FILE has no 'spec'."},
        {"a way out of the folder", entry([](Json& one) { one["path"] = "a/../../lib.so"; }),
         "damaged: The manifest FILE names the library a/../../lib.so, which is outside its folder."},
        {"a library anywhere", entry([](Json& one) { one["path"] = "/lib/libc.so.6"; }),
         "damaged: The manifest FILE names the library /lib/libc.so.6, which is outside its folder."},
        {"a path that ends early", entry([](Json& one) { one["path"] = std::string("lib.so\0/../..", 13); }),
         "damaged: The manifest FILE names the library lib.so\xef\xbf\xbd/../.., which is outside its folder."},
        {"no hash", entry([](Json& one) { one["library_sha256"] = ""; }),
         "damaged: The manifest FILE has a 'library_sha256' that is no SHA-256."},
        {"the name of another", entry([](Json& one) { one["name"] = "gemm"; }),
         "damaged: The manifest FILE names gemm and holds the spec of gemm_fp16_rcr_"},
        {"a name of 1 MB", entry([](Json& one) { one["name"] = std::string(1000000, 'x'); }),
         "damaged: The manifest FILE has the name of a kernel with 1000000 letters; it has at most 1000."},
        {"a dtype of 1 MB", entry([](Json& one) { one["spec"]["dtype_a"] = std::string(1000000, 'x'); }),
         "invalid argument: The manifest FILE has a wrong field 'dtype_a': The word 'xxxxx"},
        {"a tile below zero", entry([](Json& one) { one["spec"]["tile"] = {-64, 64, 64}; }),
         "damaged: The manifest FILE has a wrong field 'tile': three whole numbers from 1 to 65536 are expected, not "
         "[-64,64,64]."},
        {"registers without end", entry([](Json& one) { one["summary"]["gfx942"]["vgprs"] = 1e30; }),
         "damaged: The manifest FILE has a 'vgprs' that is no count."},
        {"a GPU that nobody made", entry([](Json& one) { one["summary"]["gfx000"] = one["summary"]["gfx942"]; }),
         "damaged: The manifest FILE names the GPU gfx000, which this runtime does not know."},
        {"the same kernel twice", changed([](Json& all) { all["kernels"].push_back(all["kernels"][0]); }),
         "duplicate: The registry mine already has the kernel gemm_fp16_rcr_"},
    };
    for (const Tried& one : all) {
        std::filesystem::remove_all(path);
        one.prepare();
        const std::string said = attempt([&] { GemmRegistry("mine").load_manifest(path); });
        EXPECT_EQ(said.find(with_path(one.sentence, path)), 0u) << one.what << ": " << said.substr(0, 500);
        EXPECT_LT(said.size(), 5000u) << one.what;
    }
}

}  // namespace
}  // namespace ckdispatch
