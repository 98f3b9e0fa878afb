// SPDX-License-Identifier: MIT
//
// Host pass only, to be included before CK. CK's headers include <iostream>, with which libstdc++ sets up its streams
// in every library. Nothing here uses one, and a kernel library needs libc alone: so they are declared, and nothing
// more.
#pragma once

#include <istream>
#include <ostream>

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_IOSTREAM)
#define _GLIBCXX_IOSTREAM 1
namespace std {
extern istream cin;
extern ostream cout, cerr, clog;
}  // namespace std
#endif
