// SPDX-License-Identifier: MIT
// The memory that plans need beside their tensors. Two plans may share a piece of it only one after the other: the
// launches of one are enqueued without those of the other between them, and on a stream that has finished, or waits
// for, what the piece was used for before.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ckdispatch/core/device.hpp"

namespace ckdispatch {

/// One order of work: a stream, and for the handle that is another stream in each thread (hipStreamPerThread) the
/// thread.
struct StreamOrder {
    explicit StreamOrder(void* stream);

    friend bool operator==(const StreamOrder& a, const StreamOrder& b) {
        return a.stream == b.stream && a.thread == b.thread;
    }

    void* stream;
    std::thread::id thread;  ///< none for all other streams
};

/// Held while launches that share a workspace are enqueued: no other thread of the process does the same on that stream
/// meanwhile, through any dispatcher.
std::unique_lock<std::mutex> enqueuing_on(const StreamOrder& order);

/// The pieces that a dispatcher keeps, one for each stream.
class Workspaces {
public:
    explicit Workspaces(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    ~Workspaces();
    Workspaces(const Workspaces&) = delete;
    Workspaces& operator=(const Workspaces&) = delete;

    class Lease;

    /// A piece of at least so many bytes for what is enqueued on the stream while the lease lasts. Throws Error
    /// (unsupported) for a stream that is being captured: a graph would use the piece whenever it is launched.
    Lease take(std::uint64_t bytes, void* stream);

    /// Whether what is enqueued on the stream becomes part of a graph.
    bool is_captured(void* stream) const;

private:
    struct Piece {
        explicit Piece(StreamOrder order) : order(order) {}
        StreamOrder order;
        DeviceBuffer memory;
        void* last_use = nullptr;  ///< an event; a stream may be destroyed, and another made with the same handle,
                                   ///< before its work is done
        bool recorded = false;
        bool taken = false;
        std::uint64_t tick = 0;  ///< of the last use, for the one that was not used for longest
    };

    Piece& piece_for(const StreamOrder& order);
    void prepare(Piece& piece, std::uint64_t bytes, void* stream);
    void allocate(Piece& piece, std::uint64_t bytes);
    void await(Piece& piece);
    void give_back(Piece& piece, void* stream) noexcept;

    std::shared_ptr<Device> device_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Piece>> pieces_;
    std::uint64_t ticks_ = 0;
};

class Workspaces::Lease {
public:
    Lease(Lease&& other) noexcept
        : owner_(other.owner_),
          piece_(std::exchange(other.piece_, nullptr)),
          stream_(other.stream_),
          enqueuing_(std::move(other.enqueuing_)) {}
    ~Lease() {
        if (piece_) owner_->give_back(*piece_, stream_);
    }

    void* address() const { return piece_->memory.address(); }
    std::uint64_t size() const { return piece_->memory.size(); }

private:
    friend class Workspaces;
    Lease(Workspaces& owner, Piece& piece, void* stream, std::unique_lock<std::mutex> enqueuing)
        : owner_(&owner), piece_(&piece), stream_(stream), enqueuing_(std::move(enqueuing)) {}

    Workspaces* owner_;
    Piece* piece_;
    void* stream_;
    std::unique_lock<std::mutex> enqueuing_;
};

}  // namespace ckdispatch
