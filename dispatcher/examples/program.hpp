// SPDX-License-Identifier: MIT
// What main is in the examples, and how they load kernels.
#pragma once

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

/// Calls `run`, whose failure is one sentence; with fewer than `least` arguments it says what they are.
template <class Run>
int program(int argc, char** argv, int least, const char* takes, Run&& run) {
    if (argc <= least) {
        std::cerr << "usage: " << std::filesystem::path(argv[0]).filename().string() << " " << takes << '\n';
        return 2;
    }
    try {
        return run();
    } catch (const std::exception& error) {  // ckdispatch::Error also has a code()
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

/// Adds the kernels of a manifest, or the one of a library.
template <class Registry>
void load(Registry& registry, const std::string& path) {
    if (std::filesystem::path(path).extension() == ".so") registry.add_library({path, {}});
    else registry.load_manifest(path);
}
