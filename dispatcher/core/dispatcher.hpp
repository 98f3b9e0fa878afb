// SPDX-License-Identifier: MIT
// Runs problems on a device with the plans that its selector chooses.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ckdispatch/core/device.hpp"
#include "ckdispatch/core/run.hpp"
#include "ckdispatch/core/selector.hpp"
#include "ckdispatch/core/tensors.hpp"
#include "ckdispatch/core/workspaces.hpp"

namespace ckdispatch {

template <class Family>
class Dispatcher {
public:
    using Problem = typename Family::Problem;
    using Registry = typename Family::Registry;
    using PlanPtr = typename Selector<Family>::PlanPtr;

    Dispatcher(std::shared_ptr<Registry> registry, const std::shared_ptr<Device>& device)
        : Dispatcher(std::make_shared<Selector<Family>>(std::move(registry), device->gpu()), device) {}

    /// With a selector that selected before there was a device. Throws WrongGpuError if it selects for another GPU.
    Dispatcher(std::shared_ptr<Selector<Family>> selector, std::shared_ptr<Device> device)
        : selector_(std::move(selector)), device_(std::move(device)), workspaces_(device_) {
        if (device_->gpu() != selector_->gpu())
            throw WrongGpuError("The device " + device_->name() + " is a " + std::string(device_->gpu().text()) +
                                ", and the dispatcher selects for " + std::string(selector_->gpu().text()) + ".");
    }

    Selector<Family>& selector() { return *selector_; }
    Device& device() { return *device_; }
    const std::shared_ptr<Device>& shared_device() const { return device_; }

    PlanPtr select(const Problem& problem) { return selector_->select(problem); }

    /// Enqueues the best plan on the stream and returns it. Throws Error, and then nothing was launched.
    PlanPtr run(const Problem& problem, Tensors tensors, const RunOptions& options = {}) {
        PlanPtr plan = selector_->select(Family::aligned(problem, tensors));
        run_plan(*plan, tensors, options);
        return plan;
    }

    /// The same with Selector::select_padded: what no kernel takes as it is runs on copies, which are made and brought
    /// back on the stream.
    PlanPtr run_padded(const Problem& problem, Tensors tensors, const RunOptions& options = {}) {
        PlanPtr plan = selector_->select_padded(Family::aligned(problem, tensors));
        run_plan(*plan, tensors, options);
        return plan;
    }

    /// With that kernel and no other: by key or by name.
    template <class KeyOrName>
    PlanPtr run_explicit(const KeyOrName& kernel, const Problem& problem, Tensors tensors,
                         const RunOptions& options = {}) {
        PlanPtr plan = selector_->select_explicit(kernel, Family::aligned(problem, tensors));
        run_plan(*plan, tensors, options);
        return plan;
    }

    /// Throws InvalidArgumentError for an output that overlaps another tensor, unless the kernel reads that one
    /// where it writes.
    void run_plan(const Plan<Family>& plan, Tensors tensors, const RunOptions& options = {}) {
        check_there(plan, tensors);
        check_apart(plan, tensors);
        device_->make_current();
        ck_launch_options launch{};
        launch.struct_size = sizeof(launch);
        launch.repeat = 1;
        launch.gpu = plan.gpu.c_str();
        launch.stream = options.stream;
        if (!plan.workspace_bytes) return enqueue(plan, tensors, nullptr, launch);
        // Whichever workspace it is: all launches that use it are enqueued before those of another thread.
        if (options.workspace) {
            check_workspace(plan, tensors, options);
            for (const Stage<Family>& stage : plan.stages)
                if (Family::copies_from_host(stage) && workspaces_.is_captured(options.stream))
                    throw UnsupportedError(stage.kernel->name() +
                                           " was to be enqueued on a stream that is being captured; "
                                           "it copies from the host what a graph would not find there again.");
            const auto enqueuing = enqueuing_on(StreamOrder(options.stream));
            return enqueue(plan, tensors, options.workspace, launch);
        }
        const auto lease = workspaces_.take(plan.workspace_bytes, options.stream);
        enqueue(plan, tensors, lease.address(), launch);
    }

    /// Times a plan: each measured run on its own. Outputs are overwritten, inputs stay as they are.
    BenchmarkResult benchmark(const Plan<Family>& plan, Tensors tensors, const BenchmarkOptions& options = {});

private:
    [[noreturn]] void fail(ck_kernel_status status, const char* why) const {
        std::string sentence = why;
        if (status == CK_KERNEL_DEVICE_FAILED) sentence += device_->last_reason();
        throw_error(code_of(status), sentence);
    }

    void enqueue(const Plan<Family>& plan, Tensors tensors, void* workspace, ck_launch_options& launch) const {
        const auto address = [&](const Argument& one) -> void* {
            if (one.kind == Argument::Kind::nothing) return nullptr;
            void* const base = one.kind == Argument::Kind::tensor
                                   ? tensors[one.index]
                                   : static_cast<char*>(workspace) + plan.temporaries[one.index].offset;
            return base ? static_cast<char*>(base) + one.offset : nullptr;
        };
        std::vector<void*> bound_tensors;
        char why[512];
        for (const Transfer& one : plan.before) transfer(one, address(one.to), address(one.from), launch.stream);
        for (const Stage<Family>& stage : plan.stages) {
            for (const Transfer& one : stage.before) transfer(one, address(one.to), address(one.from), launch.stream);
            Tensors arguments = tensors + stage.in_order_from.value_or(0);
            if (!stage.in_order_from) {
                bound_tensors.clear();
                for (const Argument& one : stage.arguments) bound_tensors.push_back(address(one));
                arguments = bound_tensors.data();
            }
            launch.workspace = stage.scratch ? address(Argument::temporary(*stage.scratch)) : nullptr;
            launch.workspace_size = stage.workspace_bytes;
            launch.phases = stage.phases;
            const std::int64_t launches = Family::launches(stage.problem, stage.way);
            for (std::int64_t i = 0; i < launches; ++i) {
                const auto bound = Family::bind(stage.problem, stage.way, arguments, i);
                const auto status = stage.api->launch(&bound.base, &launch, why, sizeof(why));
                if (status != CK_KERNEL_OK) fail(status, why);
            }
            for (const Transfer& one : stage.after) transfer(one, address(one.to), address(one.from), launch.stream);
        }
    }

    void transfer(const Transfer& one, void* to, const void* from, void* stream) const {
        // An optional tensor that is not there.
        if (!to || (!from && one.from.kind != Argument::Kind::nothing)) return;
        for (std::uint64_t i = 0; i < one.blocks * one.sets; ++i) {
            const std::uint64_t at = i % one.blocks, set = i / one.blocks;
            char* const block = static_cast<char*>(to) + set * one.to_set + at * one.to_block;
            if (from)
                device_->copy_rows(block, one.to_pitch,
                                   static_cast<const char*>(from) + set * one.from_set + at * one.from_block,
                                   one.from_pitch, one.width, one.rows, stream);
            else
                for (std::uint64_t row = 0; row < one.rows; ++row)
                    device_->fill(block + row * one.to_pitch, 0, one.width, stream);
        }
    }

    /// Kernels refuse what is not there themselves, and of a plan on copies they see none of the caller's.
    static void check_there(const Plan<Family>& plan, Tensors tensors) {
        for (std::size_t i = 0; i < plan.regions.size(); ++i)
            if (!tensors[i] && !plan.regions[i].optional && plan.regions[i].reach)
                refuse_missing(Family::kAsked, Family::tensor_name(plan.problem, i));
    }

    /// Kernels read inputs again and again while they write their output.
    static void check_apart(const Plan<Family>& plan, Tensors tensors) {
        const auto clash = first_clash(plan.regions, tensors, [&](const Clash& one) {
            return one.same && plan.stages.size() == 1 && Family::reads_where_it_writes(plan.stages.front(), one.other);
        });
        if (clash) refuse_overlap(plan.problem, *clash);
    }
    [[noreturn]] static void refuse_overlap(const Problem& problem, const Clash& clash) {
        const std::string written = Family::tensor_name(problem, clash.written),
                          other = Family::tensor_name(problem, clash.other);
        const char* gaps =
            clash.certain
                ? "."
                : ", and where leading dimensions or batch strides differ, the gaps of a tensor count as its own.";
        throw InvalidArgumentError(std::string(Family::kAsked) + " was to be run with " + written +
                                   " in the memory of " + other + "; what is written must not overlap another tensor" +
                                   gaps);
    }

    static void check_workspace(const Plan<Family>& plan, Tensors tensors, const RunOptions& options) {
        const std::uint64_t bytes = plan.workspace_bytes;
        if (options.workspace_size < bytes)
            throw InvalidArgumentError("A workspace of " + std::to_string(options.workspace_size) +
                                       " bytes was given, and the plan needs " + std::to_string(bytes) + ".");
        for (std::size_t i = 0; i < plan.regions.size(); ++i)
            if (touches(plan.regions[i], tensors[i], options.workspace, bytes))
                throw InvalidArgumentError("A workspace was given that overlaps " +
                                           Family::tensor_name(plan.problem, i) + "; it must be memory of its own.");
        if (reinterpret_cast<std::uintptr_t>(options.workspace) % 16)
            throw InvalidArgumentError("A workspace was given that is not aligned to 16 bytes.");
    }

    std::shared_ptr<Selector<Family>> selector_;
    std::shared_ptr<Device> device_;
    Workspaces workspaces_;
};

template <class Family>
BenchmarkResult Dispatcher<Family>::benchmark(const Plan<Family>& plan, Tensors tensors,
                                              const BenchmarkOptions& options) {
    constexpr int kMostRuns = 1000000, kMostCopies = 1024;
    const auto within = [](int value, int least, int most) { return value >= least && value <= most; };
    if (!within(options.repeat, 1, kMostRuns) || !within(options.warmup, 0, kMostRuns) ||
        !within(options.rotating_buffers, 1, kMostCopies))
        throw InvalidArgumentError("A benchmark was asked for with warmup = " + std::to_string(options.warmup) +
                                   ", repeat = " + std::to_string(options.repeat) + " and rotating_buffers = " +
                                   std::to_string(options.rotating_buffers) + "; repeat is from 1 to " +
                                   std::to_string(kMostRuns) + ", warmup from 0, and rotating_buffers from 1 to " +
                                   std::to_string(kMostCopies) + ".");
    const std::size_t count = Family::tensor_count(plan.problem);
    std::vector<std::vector<void*>> sets{{tensors, tensors + count}};
    std::vector<DeviceBuffer> copies;
    for (int i = 1; i < options.rotating_buffers; ++i) {
        std::vector<void*> set;
        for (std::size_t t = 0; t < count; ++t) {
            const std::size_t bytes = tensors[t] ? plan.regions[t].reach : 0;
            copies.emplace_back(device_, bytes);
            if (bytes) device_->copy_on_device(copies.back().address(), tensors[t], bytes);
            set.push_back(copies.back().address());
        }
        sets.push_back(std::move(set));
    }
    const auto& facts = selector_->facts();
    DeviceBuffer flush(device_, options.flush_cache ? std::size_t(facts.l2_bytes + facts.infinity_cache_bytes) : 0);

    // Of its own, so that nothing but the plan is between two looks at the clock.
    const DeviceBuffer workspace(device_, std::size_t(plan.workspace_bytes));
    RunOptions run;
    run.stream = options.stream;
    run.workspace = workspace.address();
    run.workspace_size = workspace.size();
    BenchmarkResult result;
    result.kernel = plan.name();
    result.device = device_->name();
    result.simulated = device_->simulated();
    if (result.simulated)
        result.times =
            options.timer == Timer::gpu && device_->simulates_times() ? TimesOf::simulated_gpu : TimesOf::simulator;
    for (int i = 0; i < options.warmup; ++i) run_plan(plan, sets[std::size_t(i) % sets.size()].data(), run);
    GpuTimer timer(device_, options.stream);
    for (int i = 0; i < options.repeat; ++i) {
        const auto& set = sets[std::size_t(i) % sets.size()];
        if (flush.size()) device_->fill(flush.address(), i & 1, flush.size(), options.stream);
        if (options.timer == Timer::gpu) {
            timer.start();
            run_plan(plan, set.data(), run);
            result.milliseconds.push_back(timer.stop());
        } else {
            device_->synchronize(options.stream);
            const auto begin = std::chrono::steady_clock::now();
            run_plan(plan, set.data(), run);
            device_->synchronize(options.stream);
            result.milliseconds.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
    }
    return result;
}

/// Runs a problem by its best plan and compares what it computes, as the family's function for a plan does.
template <class Family>
Validation validate(Dispatcher<Family>& dispatcher, const typename Family::Problem& problem, Tensors tensors,
                    const RunOptions& options = {}) {
    return validate(dispatcher, *dispatcher.select(Family::aligned(problem, tensors)), tensors, options);
}

}  // namespace ckdispatch
