// SPDX-License-Identifier: MIT
//
// Device pass only: the epilogue of a pipeline whose waves take turns, of which the first has the sums of all.
#pragma once

#include <utility>

#include "ck_tile/core.hpp"

namespace ck_kernel::grouped_conv {

template <typename Epilogue>
struct FirstWaveStores : Epilogue {
    template <typename... Arguments>
    __device__ void operator()(Arguments&&... arguments) {
        if (ck_tile::amd_wave_read_first_lane(ck_tile::get_warp_id()) == 0)
            Epilogue::operator()(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace ck_kernel::grouped_conv
