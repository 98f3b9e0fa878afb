// SPDX-License-Identifier: MIT
// What the handles hold: a family's own objects behind an interface that is the same for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ckdispatch/capi/guard.hpp"
#include "ckdispatch/ckdispatch.h"
#include "ckdispatch/core/device.hpp"
#include "ckdispatch/core/run.hpp"
#include "ckdispatch/core/selection.hpp"
#include "ckdispatch/families/kernel_registry.hpp"

namespace ckdispatch::capi {

class AnyPlan {
public:
    explicit AnyPlan(std::size_t tensor_count) : tensor_count_(tensor_count) {}
    virtual ~AnyPlan() = default;
    virtual const std::string& kernel() const = 0;
    virtual std::uint64_t workspace_bytes() const = 0;
    virtual std::string to_json() const = 0;
    virtual void run(void* const* tensors, const RunOptions& options) const = 0;
    virtual BenchmarkResult benchmark(void* const* tensors, const BenchmarkOptions& options) const = 0;
    virtual Validation validate(void* const* tensors, const RunOptions& options) const = 0;

    std::size_t tensor_count() const { return tensor_count_; }

private:
    std::size_t tensor_count_;
};

/// Of one family. Each has a function make_<family>_dispatcher, in the capi.cpp of its folder.
class FamilyDispatcher {
public:
    virtual ~FamilyDispatcher() = default;
    virtual void use(Strategy strategy) = 0;
    virtual void use(const Terms& constants) = 0;
    virtual void use_model(const std::string& path) = 0;
    virtual bool has_model() const = 0;
    virtual void use(ckd_predictor predictor, void* user) = 0;
    virtual void use(ckd_chooser chooser, void* user) = 0;
    virtual std::unique_ptr<AnyPlan> select(const ckd_problem& problem, bool padded) = 0;
    virtual std::unique_ptr<AnyPlan> select_explicit(const std::string& name_or_key, const ckd_problem& problem) = 0;
    virtual std::string rank(const ckd_problem& problem) = 0;
    virtual std::string costs(const ckd_problem& problem) = 0;
    virtual void attach(std::shared_ptr<Device> device) = 0;
    virtual std::unique_ptr<AnyPlan> run(const ckd_problem& problem, void* const* tensors, const RunOptions& options,
                                         bool padded) = 0;
    virtual Validation validate(const ckd_problem& problem, void* const* tensors, const RunOptions& options) = 0;
};

/// Of all families: a problem is for that of its own.
class AnyDispatcher {
public:
    AnyDispatcher(const KernelRegistry& registry, Name gpu);

    /// Throws InvalidArgumentError for a family that there is none of.
    FamilyDispatcher& of(std::uint32_t family) const;
    FamilyDispatcher& of(const std::string& family) const;
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto& one : families_) visit(*one.dispatcher);
    }

private:
    struct Family {
        std::uint32_t number;
        const char* name;
        std::unique_ptr<FamilyDispatcher> dispatcher;
    };
    std::vector<Family> families_;
};

/// What a handle of C points to. Its place stays when it is destroyed and is used again only after many others, so that
/// a handle which was destroyed, or is one of another kind, can be told from one that lives.
template <class Derived, class Held, std::uint32_t Kind>
struct Handle {
    std::atomic<std::uint32_t> kind{0};  ///< first in every handle
    Held it;

    bool alive() const { return kind.load(std::memory_order_acquire) == Kind; }

    static Derived* make(Held held) {
        Derived* const made = place();
        made->it = std::move(held);
        made->kind.store(Kind, std::memory_order_release);
        return made;
    }

    /// Null is ignored, as by free(). Of one that is not alive ckd_last_error() tells.
    static void destroy(Derived* handle, const char* what) noexcept {
        if (!handle) return;
        std::uint32_t alive = Kind;
        if (!handle->kind.compare_exchange_strong(alive, 0)) {
            (void)guarded([&] { (void)needed(handle, what); });
            return;
        }
        (void)guarded([&] {
            handle->it = nullptr;
            std::lock_guard<std::mutex> lock(mutex());
            ended().push_back(handle);
        });
    }

private:
    static Derived* place() {
        constexpr std::size_t kRest = 1000;
        std::lock_guard<std::mutex> lock(mutex());
        if (ended().size() <= kRest) return new Derived;
        Derived* const first = ended().front();
        ended().pop_front();
        return first;
    }
    static std::mutex& mutex() {
        static auto& one = *new std::mutex;
        return one;
    }
    static std::deque<Derived*>& ended() {
        static auto& all = *new std::deque<Derived*>;
        return all;
    }
};

}  // namespace ckdispatch::capi

struct ckd_registry : ckdispatch::capi::Handle<ckd_registry, std::shared_ptr<ckdispatch::KernelRegistry>, 0x72656769> {
};
struct ckd_device : ckdispatch::capi::Handle<ckd_device, std::shared_ptr<ckdispatch::Device>, 0x64657669> {};
struct ckd_code : ckdispatch::capi::Handle<ckd_code, std::shared_ptr<ckdispatch::DeviceCode>, 0x636f6465> {};
struct ckd_dispatcher
    : ckdispatch::capi::Handle<ckd_dispatcher, std::unique_ptr<ckdispatch::capi::AnyDispatcher>, 0x64697370> {};
struct ckd_plan : ckdispatch::capi::Handle<ckd_plan, std::unique_ptr<ckdispatch::capi::AnyPlan>, 0x706c616e> {};
