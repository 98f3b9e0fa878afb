// SPDX-License-Identifier: MIT
//
// Device pass only: everything that the device pass of any grouped convolution kernel includes.
#pragma once

#include "ck_kernel/device/grouped_conv/compute.hpp"
#include "ck_kernel/device/grouped_conv/given_vectors.hpp"
#include "ck_kernel/device/product/headers.hpp"
