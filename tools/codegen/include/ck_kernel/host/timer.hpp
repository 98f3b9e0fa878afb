// SPDX-License-Identifier: MIT
#pragma once

#include <hip/hip_runtime_api.h>

namespace ck_kernel {

// Times what is enqueued on a stream between start() and stop().
class Timer {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer()
    {
        if(begin_)
            (void)hipEventDestroy(begin_);
        if(end_)
            (void)hipEventDestroy(end_);
    }
    hipError_t start(hipStream_t stream)
    {
        if(const auto error = hipEventCreate(&begin_))
            return error;
        if(const auto error = hipEventCreate(&end_))
            return error;
        return hipEventRecord(begin_, stream);
    }
    hipError_t stop(hipStream_t stream, float* milliseconds)
    {
        if(const auto error = hipEventRecord(end_, stream))
            return error;
        if(const auto error = hipEventSynchronize(end_))
            return error;
        return hipEventElapsedTime(milliseconds, begin_, end_);
    }

private:
    hipEvent_t begin_ = nullptr;
    hipEvent_t end_   = nullptr;
};

} // namespace ck_kernel
