// SPDX-License-Identifier: MIT
// Device code that does nothing. Needs no header.
extern "C" __attribute__((global)) void nothing() {}
