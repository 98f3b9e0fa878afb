// SPDX-License-Identifier: MIT
// Entries by name and by number.
#include <dlfcn.h>

#include "gfxsim/hip/api.hpp"

#include <hip/amd_detail/hip_prof_str.h>

using namespace gfxsim;

extern "C" {

const char* hipApiName(uint32_t id) { return hip_api_name(id); }

hipError_t hipGetProcAddress(const char* symbol, void** function, int, uint64_t,
                             hipDriverProcAddressQueryResult* status) {
    return api(__func__, [&] {
        require(symbol && function, "it needs a name and a place for the function.");
        Dl_info self{};
        dladdr(reinterpret_cast<void*>(&hipGetProcAddress), &self);
        void* const library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        *function = library ? dlsym(library, symbol) : nullptr;
        if (library) dlclose(library);
        if (status) *status = *function ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
        if (!*function) fail(hipErrorNotFound, "there is no entry '" + std::string(symbol) + "'.");
    });
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

}  // extern "C"
