// SPDX-License-Identifier: MIT
// What main is in the examples.
#pragma once

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

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
