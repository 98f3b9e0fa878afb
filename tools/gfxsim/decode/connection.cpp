// SPDX-License-Identifier: MIT
// This library is a guest in programs that know nothing of the process that it starts. So that process is nobody's
// child, whose end a program would wait for; it holds none of the program's files; and a program may fork, or close
// every file that it finds.
#include "gfxsim/decode/connection.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "gfxsim/core/types.hpp"
#include "gfxsim/decode/disassembly.hpp"

extern char** environ;

namespace gfxsim {
namespace {

// A kept socket, and what tells that it is still the same one.
struct Kept {
    int socket = -1;
    pid_t process = 0;
    struct stat identity{};
};

Kept& kept() {
    static Kept one;
    return one;
}

bool is_alive(const Kept& one) {
    struct stat now{};
    return one.socket >= 0 && one.process == getpid() && fstat(one.socket, &now) == 0 &&
           now.st_ino == one.identity.st_ino && now.st_dev == one.identity.st_dev && S_ISSOCK(now.st_mode);
}

// The file that holds this code: the runtime, or a program that contains it.
std::string own_file() {
    const u64 here = reinterpret_cast<u64>(&own_file);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        u64 begin = 0, end = 0;
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64, &begin, &end) != 2 || here < begin || here >= end)
            continue;
        const std::size_t path = line.find('/');
        return path == std::string::npos ? "" : line.substr(path);
    }
    return "";
}

std::string program() {
    if (const char* folder = std::getenv("GFXSIM_RUNTIME_DIR"))
        return std::string(folder) + "/" + disassembly::kProgram;
    const std::string file = own_file();
    return file.substr(0, file.rfind('/') + 1) + disassembly::kProgram;
}

[[noreturn]] void refuse(const std::string& path, int error) {
    throw std::runtime_error(
        "the disassembler " + path + " cannot be run (" + std::strerror(error) +
        "); it belongs beside the simulator's runtime, or in the folder that GFXSIM_RUNTIME_DIR names");
}

struct Files {
    Files() { posix_spawn_file_actions_init(&actions); }
    ~Files() { posix_spawn_file_actions_destroy(&actions); }
    posix_spawn_file_actions_t actions;
};

struct Attributes {
    Attributes() {
        posix_spawnattr_init(&value);
        sigset_t none, all;
        sigemptyset(&none), sigfillset(&all);
        posix_spawnattr_setsigmask(&value, &none);
        posix_spawnattr_setsigdefault(&value, &all);
        // Signals from a terminal are for the program.
        posix_spawnattr_setpgroup(&value, 0);
        posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~Attributes() { posix_spawnattr_destroy(&value); }
    posix_spawnattr_t value;
};

int start() {
    const std::string path = program();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse(path, errno);
    // Not one of the standard files, if the program has closed those.
    const int ours = fcntl(ends[0], F_DUPFD_CLOEXEC, 3), theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    close(ends[0]), close(ends[1]);
    int error = ours < 0 || theirs < 0 ? EMFILE : 0;
    pid_t child = 0;
    if (!error) {
        Files files;
        const Attributes attributes;
        posix_spawn_file_actions_adddup2(&files.actions, theirs, disassembly::kSocket);
        for (int standard : {1, 2})
            posix_spawn_file_actions_addopen(&files.actions, standard, "/dev/null", O_WRONLY, 0);
        std::string name = path;
        char* const words[] = {name.data(), nullptr};
        error = posix_spawn(&child, path.c_str(), &files.actions, &attributes.value, words, environ);
    }
    if (theirs >= 0) close(theirs);
    if (error) {
        if (ours >= 0) close(ours);
        refuse(path, error);
    }
    // It leaves a process of its own behind and ends at once.
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    return ours;
}

[[noreturn]] void lost() { throw std::runtime_error("the process that disassembles ended before its work"); }

}  // namespace

Connection Connection::take() {
    Kept& one = kept();
    if (!is_alive(one)) {
        // A process that was forked gives up its copy of the other's socket.
        if (one.socket >= 0 && one.process != getpid()) {
            one.process = getpid();
            if (is_alive(one)) close(one.socket);
        }
        one.socket = -1;
        return Connection(start());
    }
    const int socket = one.socket;
    one.socket = -1;
    return Connection(socket);
}

void Connection::keep() {
    Kept& one = kept();
    one.socket = socket_, one.process = getpid();
    socket_ = -1;
    if (fstat(one.socket, &one.identity) != 0) one.socket = -1;
}

Connection::~Connection() {
    if (socket_ >= 0) close(socket_);
}

void Connection::send(const void* bytes, std::size_t count) {
    for (const char* from = static_cast<const char*>(bytes); count;) {
        const ssize_t sent = ::send(socket_, from, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) lost();
        from += sent, count -= std::size_t(sent);
    }
}

std::size_t Connection::receive(void* bytes, std::size_t most) {
    ssize_t count = 0;
    while ((count = recv(socket_, bytes, most, 0)) < 0 && errno == EINTR) {}
    if (count <= 0) lost();
    return std::size_t(count);
}

}  // namespace gfxsim
