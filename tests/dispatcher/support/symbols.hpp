// SPDX-License-Identifier: MIT
// Functions of a kernel library beyond the ABI of kernels.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "ckdispatch/core/library.hpp"

namespace ckdispatch::test {

/// A library is loaded from memory, under a name that the loader alone knows.
template <class Function>
Function symbol_of(const KernelLibrary& library, const char* name) {
    Dl_info found{};
    void* handle = nullptr;
    if (::dladdr(reinterpret_cast<const void*>(library.api().describe), &found))
        handle = ::dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    void* const symbol = handle ? ::dlsym(handle, name) : nullptr;
    if (!symbol) throw std::runtime_error("The library " + library.path() + " has no " + name + ".");
    return reinterpret_cast<Function>(symbol);
}

}  // namespace ckdispatch::test
