// SPDX-License-Identifier: MIT
//
// Host pass only: everything that the host pass of a grouped convolution kernel includes.
#pragma once

#include "ck_kernel/host/grouped_conv/enqueue.hpp"
#include "ck_kernel/host/grouped_conv/library.hpp"
#include "ck_kernel/host/grouped_conv/supports.hpp"
#include "ck_kernel/host/library.hpp"
