// SPDX-License-Identifier: MIT
// A process has one HIP runtime and one simulated GPU, so a test of several needs several processes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch::test {

/// What the body returns in a process of its own; the code and the sentence of an Error, as "not found: …"; or how the
/// process ended.
template <class Body>
std::string in_a_process_of_its_own(Body&& body) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
        std::string said;
        try {
            said = body();
        } catch (const Error& error) {
            said = std::string(name_of(error.code())) + ": " + error.what();
        } catch (const std::exception& error) {
            said = std::string("exception: ") + error.what();
        }
        ::_exit(::write(ends[1], said.data(), said.size()) == ssize_t(said.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char part[4096];
    for (ssize_t got; (got = ::read(ends[0], part, sizeof(part))) > 0;) said.append(part, std::size_t(got));
    ::close(ends[0]);
    int status = -1;
    ::waitpid(child, &status, 0);
    if (status != 0) return "it ended with status " + std::to_string(status);
    return said;
}

}  // namespace ckdispatch::test
