// SPDX-License-Identifier: MIT
//
// Host pass only: everything that the host pass of an attention kernel includes. Needs neither CK nor libstdc++.
#pragma once

#include "ck_kernel/host/fmha/append.hpp"
#include "ck_kernel/host/fmha/attention.hpp"
#include "ck_kernel/host/fmha/backward.hpp"
#include "ck_kernel/host/fmha/combine.hpp"
#include "ck_kernel/host/fmha/forward.hpp"
#include "ck_kernel/host/fmha/library.hpp"
#include "ck_kernel/host/fmha/sink.hpp"
#include "ck_kernel/host/fmha/sum.hpp"
#include "ck_kernel/host/library.hpp"
