// SPDX-License-Identifier: MIT
#include "gfxsim/decode/disassembler.hpp"

#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "gfxsim/decode/connection.hpp"
#include "gfxsim/decode/disassembly.hpp"

namespace gfxsim {
namespace {

using disassembly::End;

// Bytes of a socket, fetched in large pieces.
class Reader {
public:
    explicit Reader(Connection& from) : from_(from), buffer_(1 << 16) {}

    void read(void* to, std::size_t bytes) {
        for (u8* place = static_cast<u8*>(to); bytes;) {
            if (at_ == end_) at_ = 0, end_ = from_.receive(buffer_.data(), buffer_.size());
            const std::size_t count = std::min(bytes, end_ - at_);
            std::memcpy(place, buffer_.data() + at_, count);
            at_ += count, place += count, bytes -= count;
        }
    }

private:
    Connection& from_;
    std::vector<u8> buffer_;
    std::size_t at_ = 0, end_ = 0;
};

void check(End end, const char* gpu) {
    switch (end) {
        case End::complete: return;
        case End::no_disassembler:
            throw std::runtime_error("the code object manager has no disassembler for " + std::string(gpu));
        case End::too_many_deaths:
            throw std::runtime_error("more than " + std::to_string(disassembly::kMostDeaths) +
                                     " words of its code are such that the code "
                                     "object manager's disassembler dies of them");
    }
    throw std::runtime_error("the disassembler ended in an unknown way");
}

// Sends a request and the bytes that follow it, and hands over the lines of the answer. `valid` says whether a line
// makes sense.
void ask(const disassembly::Request& request, const u8* bytes, const std::vector<u64>& addresses,
         const std::function<bool(const disassembly::Line&)>& valid,
         const std::function<void(const disassembly::Line&, std::string)>& take) {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    // Until the last line has come the connection is of no use to anybody else.
    Connection connection = Connection::take();
    connection.send(&request, sizeof(request));
    connection.send(bytes, request.size);
    connection.send(addresses.data(), addresses.size() * sizeof(u64));
    Reader reader(connection);
    for (;;) {
        disassembly::Line line;
        reader.read(&line, sizeof(line));
        if (line.bytes == 0) {
            connection.keep();
            return check(End(line.text), request.gpu);
        }
        if (line.text > disassembly::kMostText || !valid(line))
            throw std::runtime_error("the disassembler gave a line that makes no sense");
        std::string text(line.text, '\0');
        reader.read(text.data(), line.text);
        take(line, std::move(text));
    }
}

}  // namespace

void disassemble(const Gpu& gpu, const u8* code, u64 size, const std::function<void(DisassembledLine)>& take) {
    disassembly::Request request;
    request.size = size & ~u64(3);
    if (request.size == 0) return;
    if (request.size > disassembly::kMostCode)
        throw std::runtime_error("it has " + std::to_string(request.size) + " bytes of code, and no more than " +
                                 std::to_string(disassembly::kMostCode) + " can be disassembled");
    gpu.name().copy(request.gpu, sizeof(request.gpu) - 1);

    u64 offset = 0;
    ask(
        request, code, {},
        [&](const disassembly::Line& line) { return line.bytes % 4 == 0 && line.bytes <= request.size - offset; },
        [&](const disassembly::Line& line, std::string text) {
            take({offset, line.bytes, std::move(text)});
            offset += line.bytes;
        });
}

std::vector<std::string> source_lines(const std::vector<u8>& file, const std::vector<u64>& addresses) {
    std::vector<std::string> lines;
    disassembly::Request request;
    request.size = file.size(), request.addresses = addresses.size();
    if (addresses.empty() || request.size > disassembly::kMostCode ||
        request.addresses > (disassembly::kMostCode - request.size) / sizeof(u64)) {
        lines.resize(addresses.size());
        return lines;
    }
    ask(
        request, file.data(), addresses,
        [&](const disassembly::Line& line) { return line.bytes == 1 && lines.size() < addresses.size(); },
        [&](const disassembly::Line&, std::string text) { lines.push_back(std::move(text)); });
    lines.resize(addresses.size());
    return lines;
}

}  // namespace gfxsim
