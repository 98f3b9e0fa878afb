// SPDX-License-Identifier: MIT
#include "gfxsim/hip/modules.hpp"

#include <algorithm>

#include "gfxsim/hip/runtime.hpp"
#include "gfxsim/loader/bundle.hpp"

namespace gfxsim {
namespace {

std::unique_ptr<ihipModule_t> load_module(const Image& image) {
    const Gpu& gpu = *settings().gpu;
    try {
        const DeviceCode found = find_code_object(image, gpu);
        auto module = std::make_unique<ihipModule_t>();
        module->code = CodeObject::load({found.code, image.file}, gpu, runtime().memory);
        return module;
    } catch (const NoCodeForGpu& error) {
        fail_loudly(hipErrorNoBinaryForGpu, error.what());
    } catch (const HipError&) {
        throw;
    } catch (const std::runtime_error& error) {
        fail_loudly(hipErrorInvalidImage, error.what());
    }
}

}  // namespace

FatBinary* Programs::add_binary(const void* wrapper) {
    auto made = std::make_unique<FatBinary>();
    made->wrapper = wrapper;
    FatBinary* binary = made.get();
    binaries_.emplace(binary, std::move(made));
    return binary;
}

void Programs::remove_binary(FatBinary* binary) {
    const auto found = binaries_.find(binary);
    if (found == binaries_.end()) return;
    for (Registry* registry : {&functions_, &variables_}) {
        for (auto entry = registry->begin(); entry != registry->end();) {
            auto& list = entry->second;
            list.erase(
                std::remove_if(list.begin(), list.end(), [&](const Registered& r) { return r.binary == binary; }),
                list.end());
            entry = list.empty() ? registry->erase(entry) : std::next(entry);
        }
    }
    if (binary->module) drop(*binary->module);
    binaries_.erase(found);
}

void Programs::drop(ihipModule_t& module) {
    for (auto& [name, function] : module.functions) handles_.erase(&function);
}

hipModule_t Programs::load(const Image& image) {
    auto made = load_module(image);
    const hipModule_t module = made.get();
    modules_.emplace(module, std::move(made));
    return module;
}

void Programs::unload(hipModule_t module) {
    const auto found = modules_.find(module);
    if (found == modules_.end()) fail(hipErrorInvalidHandle, "the module is none that is loaded.");
    drop(*module);
    modules_.erase(found);
}

hipFunction_t Programs::find_function(ihipModule_t& module, const std::string& name) {
    const auto known = module.functions.find(name);
    if (known != module.functions.end()) return &known->second;
    const Kernel* kernel = module.code->kernel(name);
    if (!kernel) return nullptr;
    ihipModuleSymbol_t& function = module.functions[name];
    function.kernel = kernel;
    handles_.insert(&function);
    return &function;
}

hipFunction_t Programs::function(hipModule_t module, const char* name) {
    if (!modules_.count(module)) fail(hipErrorInvalidHandle, "the module is none that is loaded.");
    if (const hipFunction_t found = find_function(*module, name)) return found;
    fail(hipErrorNotFound, "the module has no kernel '" + std::string(name) + "'.");
}

const Variable& Programs::variable(hipModule_t module, const char* name) {
    if (!modules_.count(module)) fail(hipErrorInvalidHandle, "the module is none that is loaded.");
    const Variable* found = module->code->variable(name);
    if (!found) fail(hipErrorNotFound, "the module has no variable '" + std::string(name) + "'.");
    return *found;
}

ihipModule_t& Programs::loaded(FatBinary& binary) {
    if (binary.module) return *binary.module;
    std::unique_ptr<ihipModule_t> module;
    try {
        module = load_module(registered_image(binary.wrapper));
    } catch (const HipError&) {
        throw;
    } catch (const std::runtime_error& error) {
        fail_loudly(hipErrorInvalidImage, error.what());
    }
    for (const FatBinary::ManagedVariable& variable : binary.managed) {
        // On the device a managed variable is a pointer to the memory that host and device share.
        const Variable* pointer = module->code->variable(variable.name);
        if (pointer && pointer->size == sizeof(void*))
            std::memcpy(reinterpret_cast<void*>(pointer->address), &variable.memory, sizeof(void*));
    }
    binary.module = std::move(module);
    return *binary.module;
}

hipFunction_t Programs::function(const void* host) {
    const auto found = functions_.find(host);
    if (found == functions_.end())
        fail(hipErrorInvalidDeviceFunction, "the function is no kernel that has been registered.");
    const Registered& registered = found->second.back();
    ihipModule_t& module = loaded(*registered.binary);
    if (const hipFunction_t function = find_function(module, registered.name)) return function;
    fail_loudly(hipErrorInvalidDeviceFunction,
                module.code->program().file + ": it has no kernel '" + registered.name + "'.");
}

Variable Programs::variable(const void* host) {
    const auto found = variables_.find(host);
    if (found == variables_.end())
        fail(hipErrorInvalidSymbol, "the symbol is no device variable that has been registered.");
    const Registered& registered = found->second.back();
    if (registered.managed) return {registered.name, reinterpret_cast<u64>(registered.managed), registered.size};
    ihipModule_t& module = loaded(*registered.binary);
    const Variable* variable = module.code->variable(registered.name);
    if (!variable)
        fail_loudly(hipErrorInvalidSymbol,
                    module.code->program().file + ": it has no variable '" + registered.name + "'.");
    return *variable;
}

const Kernel& Programs::kernel(hipFunction_t handle) const {
    if (!handles_.count(handle)) fail(hipErrorInvalidHandle, "the function is no kernel of a loaded module.");
    return *handle->kernel;
}

std::vector<const Kernel*> Programs::kernels_beside(hipFunction_t handle) const {
    std::vector<const Kernel*> found;
    const auto look_in = [&](const ihipModule_t* module) {
        if (!module || !module->code) return;
        const auto& kernels = module->code->kernels();
        const auto same = kernels.find(handle->kernel->name);
        if (same == kernels.end() || &same->second != handle->kernel) return;
        for (const auto& kernel : kernels) found.push_back(&kernel.second);
    };
    for (const auto& module : modules_) look_in(module.second.get());
    for (const auto& binary : binaries_) look_in(binary.second->module.get());
    return found;
}

}  // namespace gfxsim
