// SPDX-License-Identifier: MIT
//
// Host pass only. CK's headers include <iostream>, whose mere presence asks libstdc++ to set up its streams. Nothing here
// uses a stream and a kernel library needs libc alone, so what would set them up does nothing: the function of GCC 13 and
// later, or the object of earlier ones.
#pragma once

#define CK_KERNEL_NO_STREAMS(function, symbol) \
    extern "C" __attribute__((weak, visibility("hidden"))) void function(void*) asm(symbol); \
    extern "C" __attribute__((weak, visibility("hidden"))) void function(void*) {}

CK_KERNEL_NO_STREAMS(ck_kernel_no_streams, "_ZSt21ios_base_library_initv")
CK_KERNEL_NO_STREAMS(ck_kernel_no_streams_begin, "_ZNSt8ios_base4InitC1Ev")
CK_KERNEL_NO_STREAMS(ck_kernel_no_streams_end, "_ZNSt8ios_base4InitD1Ev")

#undef CK_KERNEL_NO_STREAMS
