// SPDX-License-Identifier: MIT
#include "ckdispatch/core/workspaces.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/hip_api.hpp"

namespace ckdispatch {
namespace {

// Streams that come and go would otherwise leave a piece behind each.
constexpr std::size_t kMostPieces = 32;

// Such bytes are a NaN in every format of floats.
constexpr int kNotANumber = 0xff;

hipStream_t stream_of(void* stream) { return static_cast<hipStream_t>(stream); }
hipEvent_t event_of(void* event) { return static_cast<hipEvent_t>(event); }

// The stream of each thread's own is one constant for all of them.
bool is_per_thread(void* stream) { return stream_of(stream) == hipStreamPerThread; }

}  // namespace

StreamOrder::StreamOrder(void* stream) : stream(stream) {
    if (is_per_thread(stream)) thread = std::this_thread::get_id();
}

std::unique_lock<std::mutex> enqueuing_on(const StreamOrder& order) {
    // A stream has one of these mutexes and shares it with a few others, which costs them a moment's wait; so nothing
    // has to be cleared away when it goes.
    static auto& mutexes = *new std::array<std::mutex, 64>;
    const std::size_t place = std::hash<void*>{}(order.stream) / 16 + std::hash<std::thread::id>{}(order.thread) / 16;
    return std::unique_lock<std::mutex>(mutexes[(place ^ place >> 6 ^ place >> 12) % mutexes.size()]);
}

Workspaces::~Workspaces() {
    for (const auto& piece : pieces_) {
        if (piece->recorded) (void)device_->hip().event_synchronize(event_of(piece->last_use));
        if (piece->last_use) (void)device_->hip().event_destroy(event_of(piece->last_use));
    }
}

Workspaces::Lease Workspaces::take(std::uint64_t bytes, void* stream) {
    const StreamOrder order(stream);
    std::unique_lock<std::mutex> enqueuing = enqueuing_on(order);
    // Before anything is recorded on the stream, which would become a part of the graph.
    if (is_captured(stream))
        throw UnsupportedError("A plan that needs a workspace of " + std::to_string(bytes) +
                               " bytes was to be enqueued on a stream that is being captured; give it "
                               "one that lasts as long as the graph.");
    Lease lease(*this, piece_for(order), stream, std::move(enqueuing));
    prepare(*lease.piece_, bytes, stream);
    return lease;
}

bool Workspaces::is_captured(void* stream) const {
    hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
    device_->check(device_->hip().stream_is_capturing(stream_of(stream), &capture), "hipStreamIsCapturing");
    return capture != hipStreamCaptureStatusNone;
}

// The stream's own piece, which nobody else has: whoever takes it is the one who enqueues there.
Workspaces::Piece& Workspaces::piece_for(const StreamOrder& order) {
    std::lock_guard<std::mutex> lock(mutex_);
    Piece *own = nullptr, *oldest = nullptr;
    for (const auto& piece : pieces_) {
        if (piece->taken) continue;
        if (piece->order == order) own = piece.get();
        if (!oldest || piece->tick < oldest->tick) oldest = piece.get();
    }
    if (!own && pieces_.size() >= kMostPieces) own = oldest;
    if (!own) own = pieces_.emplace_back(std::make_unique<Piece>(order)).get();
    own->order = order;
    own->taken = true;
    own->tick = ++ticks_;
    return *own;
}

void Workspaces::prepare(Piece& piece, std::uint64_t bytes, void* stream) {
    const HipApi& hip = device_->hip();
    if (!piece.last_use) {
        hipEvent_t event = nullptr;
        device_->check(hip.event_create_with_flags(&event, hipEventDisableTiming), "hipEventCreateWithFlags");
        piece.last_use = event;
    }
    if (piece.memory.size() < bytes) {
        allocate(piece, bytes);
        // Kernels load whole tiles, also elements that no kernel before has written, and throw those away. Of one that
        // uses them nobody gets a number.
        return device_->fill(piece.memory.address(), kNotANumber, piece.memory.size(), stream);
    }
    // On the same stream there is nothing to wait for.
    if (piece.recorded)
        device_->check(hip.stream_wait_event(stream_of(stream), event_of(piece.last_use), 0), "hipStreamWaitEvent");
}

void Workspaces::allocate(Piece& piece, std::uint64_t bytes) {
    await(piece);
    piece.memory = DeviceBuffer();
    try {
        piece.memory = DeviceBuffer(device_, bytes);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        // What other streams do not use at the moment may be enough.
        std::lock_guard<std::mutex> lock(mutex_);
        for (const auto& other : pieces_) {
            if (other->taken) continue;
            await(*other);
            other->memory = DeviceBuffer();
        }
        piece.memory = DeviceBuffer(device_, bytes);
    }
}

// Until the GPU has done with it.
void Workspaces::await(Piece& piece) {
    if (piece.recorded)
        device_->check(device_->hip().event_synchronize(event_of(piece.last_use)), "hipEventSynchronize");
}

void Workspaces::give_back(Piece& piece, void* stream) noexcept {
    if (piece.last_use) {
        piece.recorded = device_->hip().event_record(event_of(piece.last_use), stream_of(stream)) == hipSuccess;
        // Then nothing can wait on the GPU.
        if (!piece.recorded) (void)device_->hip().stream_synchronize(stream_of(stream));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    piece.taken = false;
}

}  // namespace ckdispatch
