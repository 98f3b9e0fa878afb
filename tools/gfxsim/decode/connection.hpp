// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gfxsim {

/// The socket to the process that disassembles. A connection that is not kept is closed, and its process ends.
/// Its caller guards it: there is one at a time.
class Connection {
public:
    /// The one that was kept last, or a new one to a new process. Throws std::runtime_error with half a sentence.
    static Connection take();
    void keep();
    ~Connection();
    Connection(Connection&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
    Connection& operator=(Connection&&) = delete;

    void send(const void* bytes, std::size_t count);
    /// At least one byte, at most `most`; returns how many.
    std::size_t receive(void* bytes, std::size_t most);

private:
    explicit Connection(int socket) : socket_(socket) {}
    int socket_;
};

}  // namespace gfxsim
