// SPDX-License-Identifier: MIT
// Device code that the program has registered or loaded.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gfxsim/hip/api.hpp"
#include "gfxsim/loader/code_object.hpp"

/// A kernel of a loaded module.
struct ihipModuleSymbol_t {
    const gfxsim::Kernel* kernel = nullptr;
};

struct ihipModule_t {
    std::unique_ptr<gfxsim::CodeObject> code;
    std::map<std::string, ihipModuleSymbol_t> functions;
};

namespace gfxsim {

/// Device code within a library or the program. It is loaded when something of it is first used.
struct FatBinary {
    struct ManagedVariable {
        std::string name;
        void* memory;
    };

    const void* wrapper = nullptr;
    std::unique_ptr<ihipModule_t> module;
    std::vector<ManagedVariable> managed;
};

/// What stands for a kernel or a variable on the host, and what it is on the device.
struct Registered {
    FatBinary* binary = nullptr;
    std::string name;
    std::size_t size = 0;
    void* managed = nullptr;  ///< memory of a managed variable
};

/// All device code of the process. Its owner guards it.
class Programs {
public:
    FatBinary* add_binary(const void* wrapper);
    void remove_binary(FatBinary* binary);
    void add_function(const void* host, Registered function) { functions_[host].push_back(std::move(function)); }
    void add_variable(const void* host, Registered variable) { variables_[host].push_back(std::move(variable)); }

    hipModule_t load(const Image& image);
    /// A HipError if there is no such module.
    void unload(hipModule_t module);
    hipFunction_t function(hipModule_t module, const char* name);
    const Variable& variable(hipModule_t module, const char* name);

    /// The kernel that a host function stands for. A HipError if it stands for none or cannot be loaded.
    hipFunction_t function(const void* host);
    Variable variable(const void* host);
    /// A HipError if the handle is none of a loaded kernel.
    const Kernel& kernel(hipFunction_t handle) const;
    /// All kernels of its code object.
    std::vector<const Kernel*> kernels_beside(hipFunction_t handle) const;

private:
    ihipModule_t& loaded(FatBinary& binary);
    hipFunction_t find_function(ihipModule_t& module, const std::string& name);
    void drop(ihipModule_t& module);

    using Registry = std::map<const void*, std::vector<Registered>>;

    std::map<FatBinary*, std::unique_ptr<FatBinary>> binaries_;
    std::map<hipModule_t, std::unique_ptr<ihipModule_t>> modules_;
    std::set<hipFunction_t> handles_;
    Registry functions_;
    Registry variables_;
};

}  // namespace gfxsim
