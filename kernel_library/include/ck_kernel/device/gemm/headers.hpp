// SPDX-License-Identifier: MIT
//
// Device pass only: everything that the device pass of any GEMM kernel includes.
#pragma once

#include "ck_kernel/device/gemm/agreement.hpp"
#include "ck_kernel/device/gemm/tile.hpp"
#include "ck_kernel/device/gemm/work.hpp"
#include "ck_kernel/device/product/headers.hpp"
