// SPDX-License-Identifier: MIT
// Disassembles for the runtime. A worker answers requests; what it is at and what it has found lie in memory that it
// shares with its supervisor, so that after its death another one goes on behind the instruction that it died of.
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "gfxsim/decode/disassembly.hpp"
#include "gfxsim/disassembler/instructions.hpp"
#include "gfxsim/disassembler/source_lines.hpp"

namespace {

using namespace gfxsim;
using namespace gfxsim::disassembly;

struct Shared {
    bool busy = false;  ///< with a request
    Request request;
    u64 offset = 0;  ///< of the instruction that is being disassembled; or which address it is
    u64 deaths = 0;
    u64 found = 0;                        ///< bytes of `lines` that have not been sent
    u8 lines[1 << 16];                    ///< small, so that they are read while the next ones are made
    alignas(1 << 16) u8 code[kMostCode];  ///< in pages of its own, whatever their size
};

// Seconds of computing for a buffer of lines, which takes milliseconds; an instruction that takes longer takes for
// ever.
constexpr int kMostSeconds = 20;

bool receive(void* bytes, u64 count) {
    for (char* to = static_cast<char*>(bytes); count;) {
        const ssize_t got = recv(kSocket, to, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got, count -= u64(got);
    }
    return true;
}

void limit_time() {
    const itimerval limit{{0, 0}, {kMostSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
}

void send_lines(Shared& shared) {
    for (u64 at = 0; at < shared.found;) {
        const ssize_t sent = send(kSocket, shared.lines + at, shared.found - at, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) _exit(0);
        at += u64(sent);
    }
    shared.found = 0;
    limit_time();
}

void add(Shared& shared, const void* bytes, u64 count) {
    std::memcpy(shared.lines + shared.found, bytes, count);
    shared.found += count;
}

void add_line(Shared& shared, const Disassembled& line) {
    const Line header{u32(line.size), u32(std::min<u64>(line.text.size(), kMostText))};
    if (shared.found + sizeof(header) + header.text > sizeof(shared.lines)) send_lines(shared);
    add(shared, &header, sizeof(header));
    add(shared, line.text.data(), header.text);
    shared.offset += line.size;
}

u64 bytes_of(const Request& request) { return request.size + 8 * request.addresses; }

void finish(Shared& shared, End end) {
    const Line last{0, u32(end)};
    if (shared.found + sizeof(last) > sizeof(shared.lines)) send_lines(shared);
    add(shared, &last, sizeof(last));
    send_lines(shared);
    // The next request begins with pages that hold nothing, and nothing is kept of a large one.
    madvise(shared.code, bytes_of(shared.request), MADV_REMOVE);
    shared.offset = shared.deaths = 0;
    shared.busy = false;
}

void answer_addresses(Shared& shared, bool after_death) {
    if (shared.deaths > kMostDeathsOfAFile) return finish(shared, End::too_many_deaths);
    const SourceLines lines({shared.code, shared.request.size});
    limit_time();
    if (after_death) add_line(shared, {"", 1});
    while (shared.offset < shared.request.addresses) {
        u64 address;
        std::memcpy(&address, shared.code + shared.request.size + 8 * shared.offset, 8);
        add_line(shared, {lines.at(address), 1});
    }
    finish(shared, End::complete);
}

void answer(Shared& shared, bool after_death) {
    if (shared.request.addresses) return answer_addresses(shared, after_death);
    static std::map<const Gpu*, Instructions> known;
    const Gpu* const gpu = find_gpu(shared.request.gpu);
    if (!gpu) return finish(shared, End::no_disassembler);
    const Instructions& instructions = known.try_emplace(gpu, *gpu).first->second;
    if (!instructions.usable()) return finish(shared, End::no_disassembler);
    if (shared.deaths > kMostDeaths) return finish(shared, End::too_many_deaths);
    const Code code{shared.code, shared.request.size};
    limit_time();
    if (after_death) add_line(shared, without_manager(*gpu, code, shared.offset));
    while (shared.offset < code.size) add_line(shared, instructions.at(code, shared.offset));
    finish(shared, End::complete);
}

[[noreturn]] void work(Shared& shared) {
    if (shared.busy) answer(shared, true);
    for (;;) {
        if (!receive(&shared.request, sizeof(Request)) || shared.request.size > kMostCode) _exit(0);
        if (shared.request.addresses > (kMostCode - shared.request.size) / 8) _exit(0);
        shared.request.gpu[sizeof(shared.request.gpu) - 1] = 0;
        if (!receive(shared.code, bytes_of(shared.request))) _exit(0);
        shared.busy = true;
        answer(shared, false);
    }
}

[[noreturn]] void supervise(Shared& shared) {
    for (;;) {
        const pid_t worker = fork();
        if (worker < 0) _exit(1);
        if (worker == 0) work(shared);
        int status = 0;
        while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {}
        const bool died = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        if (!died || !shared.busy) _exit(0);
        ++shared.deaths;
    }
}

}  // namespace

int main() {
    // The program's other files are none of ours: whoever waits for their end must not wait for us.
    const long most = sysconf(_SC_OPEN_MAX);
    if (close_range(3, ~0U, 0) != 0) {
        for (int file = 3; file < most; ++file) close(file);
    }
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 1;
    // Nobody's child: the program that started this one waits for the first process alone.
    const pid_t other = fork();
    if (other != 0) _exit(other < 0);
    supervise(*static_cast<Shared*>(memory));
}
