// SPDX-License-Identifier: MIT
// A kernel library that was opened and believed: its hash, its ABI, its description and its code objects agree.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ck_kernel_abi.h"
#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/resources.hpp"

namespace ckdispatch {

/// Which file, and what it must hash to; an empty hash is not checked.
struct LibraryFile {
    std::string path;
    std::string sha256;
};

/// What a kernel library answered, as an error code.
ErrorCode code_of(ck_kernel_status status);

class KernelLibrary;

/// Compares what a library was registered to hold code for, and its LDS there, with what it holds. Throws Error
/// (damaged).
void check_resources(const KernelLibrary& library, const std::vector<Resources>& registered);

class KernelLibrary {
public:
    /// Opens the file: what is loaded are the bytes that were hashed, whatever becomes of the file meanwhile or later.
    /// It needs no HIP runtime, and once open stays so: a runtime may hold pointers into it. Throws NotFoundError,
    /// DamagedError or AbiMismatchError with the reason.
    static std::shared_ptr<const KernelLibrary> open(const LibraryFile& file);

    const ck_kernel_api& api() const { return *api_; }
    const std::string& path() const { return path_; }
    const std::string& sha256() const { return sha256_; }
    const std::string& family() const { return family_; }
    const std::string& name() const { return name_; }
    /// The kernel's spec as JSON, by its own description.
    const std::string& spec() const { return spec_; }
    /// One for each GPU that it holds code for.
    const std::vector<Resources>& resources() const { return resources_; }

private:
    void read_description();

    std::string path_, sha256_, family_, name_, spec_;
    const ck_kernel_api* api_ = nullptr;
    std::vector<Resources> resources_;
};

}  // namespace ckdispatch
