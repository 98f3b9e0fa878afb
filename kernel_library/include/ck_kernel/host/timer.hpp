// SPDX-License-Identifier: MIT
#pragma once

#include "ck_kernel/host/hip_runtime.hpp"

namespace ck_kernel {

// Times what is enqueued on a stream between start() and stop().
class Timer {
public:
    explicit Timer(const Hip& hip) : hip_(hip) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() {
        if (begin_) (void)hip_.event_destroy(begin_);
        if (end_) (void)hip_.event_destroy(end_);
    }
    hipError_t start(hipStream_t stream) {
        if (const auto error = hip_.event_create(&begin_)) return error;
        if (const auto error = hip_.event_create(&end_)) return error;
        return hip_.event_record(begin_, stream);
    }
    hipError_t stop(hipStream_t stream, float* milliseconds) {
        if (const auto error = hip_.event_record(end_, stream)) return error;
        if (const auto error = hip_.event_synchronize(end_)) return error;
        return hip_.event_elapsed_time(milliseconds, begin_, end_);
    }

private:
    const Hip& hip_;
    hipEvent_t begin_ = nullptr;
    hipEvent_t end_ = nullptr;
};

}  // namespace ck_kernel
