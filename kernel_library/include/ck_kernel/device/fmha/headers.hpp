// SPDX-License-Identifier: MIT
//
// Device pass only: everything that the device pass of any attention kernel includes.
#pragma once

// CK's forward kernels ask for it, and cannot cap logits without it: exponentials are powers of two.
#define CK_TILE_FMHA_FWD_FAST_EXP2 1

#include "ck_kernel/device/fmha/append.hpp"
#include "ck_kernel/device/fmha/backward.hpp"
#include "ck_kernel/device/fmha/combine.hpp"
#include "ck_kernel/device/fmha/forward.hpp"
#include "ck_kernel/device/fmha/sink.hpp"
#include "ck_kernel/device/fmha/sum.hpp"
