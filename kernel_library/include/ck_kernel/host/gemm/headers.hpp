// SPDX-License-Identifier: MIT
//
// Host pass only: everything that the host pass of a GEMM kernel includes. Needs neither CK nor libstdc++.
#pragma once

#include "ck_kernel/host/gemm/enqueue.hpp"
#include "ck_kernel/host/gemm/library.hpp"
#include "ck_kernel/host/gemm/supports.hpp"
#include "ck_kernel/host/library.hpp"
