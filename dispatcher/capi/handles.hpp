// SPDX-License-Identifier: MIT
// What the handles hold: a family's own objects behind an interface that is the same for all. A new family adds one line to families.cpp.
#pragma once

#include <memory>
#include <string>

#include "ckdispatch/ckdispatch.h"
#include "ckdispatch/core/device.hpp"
#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/core/run.hpp"

namespace ckdispatch::capi {

class AnyPlan {
public:
    virtual ~AnyPlan()                                                             = default;
    virtual const std::string& kernel() const                                      = 0;
    virtual std::uint64_t workspace_bytes() const                                  = 0;
    virtual std::size_t tensor_count() const                                       = 0;
    virtual std::string to_json() const                                            = 0;
    virtual void run(void* const* tensors, const RunOptions& options) const        = 0;
    virtual BenchmarkResult benchmark(void* const* tensors, const BenchmarkOptions& options) const = 0;
};

class AnyRegistry;

class AnyDispatcher {
public:
    virtual ~AnyDispatcher()                                                                                      = default;
    virtual void use(ckd_strategy strategy)                                                                       = 0;
    virtual void use(ckd_predictor predictor, void* user)                                                         = 0;
    virtual void use(ckd_chooser chooser, void* user)                                                             = 0;
    virtual std::unique_ptr<AnyPlan> select(const ckd_problem& problem)                                           = 0;
    virtual std::unique_ptr<AnyPlan> select_explicit(const std::string& name_or_key, const ckd_problem& problem)  = 0;
    virtual std::string rank(const ckd_problem& problem)                                                          = 0;
    virtual void attach(std::shared_ptr<Device> device)                                                           = 0;
    virtual std::unique_ptr<AnyPlan> run(const ckd_problem& problem, void* const* tensors, const RunOptions& options) = 0;
    virtual Validation validate(const ckd_problem& problem, void* const* tensors, const RunOptions& options)      = 0;
};

class AnyRegistry {
public:
    virtual ~AnyRegistry()                                                                                                = default;
    virtual std::size_t load_manifest(const std::string& path, Duplicates duplicates, int priority)                       = 0;
    virtual std::string add_library(const LibraryFile& file, Duplicates duplicates, int priority)                         = 0;
    virtual bool remove(const std::string& name)                                                                          = 0;
    virtual std::size_t merge(const AnyRegistry& other, Duplicates duplicates)                                            = 0;
    virtual std::unique_ptr<AnyRegistry> filtered(const std::string& filter) const                                        = 0;
    virtual std::size_t size() const                                                                                      = 0;
    virtual std::uint64_t version() const                                                                                 = 0;
    virtual std::string find(const std::string& name_or_key) const                                                        = 0;
    virtual std::string to_json() const                                                                                   = 0;
    virtual std::unique_ptr<AnyDispatcher> dispatcher(Name gpu)                                                           = 0;
};

std::unique_ptr<AnyRegistry> make_registry(ckd_family family, const std::string& name);
std::unique_ptr<AnyRegistry> named_registry(ckd_family family, const std::string& name);
std::unique_ptr<AnyRegistry> registry_from_json(ckd_family family, const std::string& text);

}  // namespace ckdispatch::capi

struct ckd_registry {
    std::unique_ptr<ckdispatch::capi::AnyRegistry> it;
};
struct ckd_device {
    std::shared_ptr<ckdispatch::Device> it;
};
struct ckd_dispatcher {
    std::unique_ptr<ckdispatch::capi::AnyDispatcher> it;
};
struct ckd_plan {
    std::unique_ptr<ckdispatch::capi::AnyPlan> it;
};
