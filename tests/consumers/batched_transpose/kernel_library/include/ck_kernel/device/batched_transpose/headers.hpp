// SPDX-License-Identifier: MIT
//
// Device pass only: everything that the device pass of any batched transpose includes.
#pragma once

#include "ck_tile/ops/batched_transpose/kernel/batched_transpose_kernel.hpp"
#include "ck_tile/ops/batched_transpose/pipeline/batched_transpose_pipeline.hpp"
#include "ck_tile/ops/batched_transpose/pipeline/batched_transpose_problem.hpp"
