// SPDX-License-Identifier: MIT
#include "ckdispatch/batched_transpose/family.hpp"

#include <cstring>

#include "ck_families.h"
#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/core/hash.hpp"
#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch {

template void check_identity<BatchedTransposeKey>(const KernelLibrary&, const BatchedTransposeKey&, const std::string&);
template class BaseRegistry<BatchedTransposeRegistry, BatchedTransposeKey>;

std::shared_ptr<FamilyRegistry> make_batched_transpose_registry(const std::string& name) {
    return std::make_shared<BatchedTransposeRegistry>(name);
}

std::string BatchedTransposeProblem::text() const {
    return "batched_transpose " + std::to_string(batch) + "x" + std::to_string(height) + "x" + std::to_string(width) +
           " " + std::string(dtype.text());
}

std::size_t BatchedTransposeProblem::hash() const {
    std::size_t seed = dtype.hash();
    mix(seed, std::make_tuple(batch, height, width, alignment, workspace_limit));
    return seed;
}

bool operator==(const BatchedTransposeProblem& a, const BatchedTransposeProblem& b) {
    const auto all = [](const BatchedTransposeProblem& p) {
        return std::make_tuple(p.batch, p.height, p.width, p.dtype, p.alignment, p.workspace_limit);
    };
    return all(a) == all(b);
}

void BatchedTransposeProblem::check() const {
    (void)dtype_facts(dtype, BatchedTransposeFamily::kAsked);
    check_alignment(alignment, BatchedTransposeFamily::kAsked);
    constexpr std::int64_t kMost = (std::int64_t(1) << 31) - 1;
    for (const std::int64_t size : {batch, height, width})
        if (size < 1 || size > kMost)
            throw InvalidArgumentError("A batched transpose of " + std::to_string(batch) + " matrices of " +
                                       std::to_string(height) + " x " + std::to_string(width) +
                                       " was asked for; each must be from 1 to 2147483647.");
}

Mismatch BatchedTransposeFamily::mismatch(const Key& key, const Problem& problem, const arch::GpuSpec&) {
    return Checks()
        .check(key.dtype == problem.dtype,
               [&] {
                   return "moves " + std::string(key.dtype.text()) + ", not " + std::string(problem.dtype.text()) + ".";
               })
        .result();
}

Work BatchedTransposeFamily::work(const Key& key, const Problem& p, const Way&) {
    const auto tiles = [](std::int64_t extent, int tile) { return double((extent + tile - 1) / tile); };
    const double bytes = element_bytes(p.dtype);
    Work work;
    work.workgroups = double(p.batch) * tiles(p.height, key.tile.m) * tiles(p.width, key.tile.n);
    work.element_bytes = bytes;
    work.outputs = double(key.tile.m) * key.tile.n;
    work.memory_bytes = 2.0 * double(p.batch) * double(p.height) * double(p.width) * bytes;
    // Element by element, a transfer is an instruction each.
    work.trips = key.pad ? 16 / bytes : 1;
    return work;
}

ck_batched_transpose_problem BatchedTransposeFamily::probe(const Problem& problem, const Way& way) {
    void* const somewhere = reinterpret_cast<void*>(std::uintptr_t(problem.alignment));
    void* const tensors[] = {somewhere, somewhere};
    return bind(problem, way, tensors, 0);
}

ck_batched_transpose_problem BatchedTransposeFamily::bind(const Problem& p, const Way&, Tensors tensors, std::int64_t) {
    return {{sizeof(ck_batched_transpose_problem), CK_FAMILY_BATCHED_TRANSPOSE},
            p.batch,
            p.height,
            p.width,
            tensors[0],
            tensors[1]};
}

Lines BatchedTransposeFamily::lines(const Problem& p, std::size_t tensor) {
    const bool written = tensor == 1;
    return {p.dtype,
            written ? p.height : p.width,
            written ? p.width : p.height,
            written ? p.height : p.width,
            p.batch,
            p.height * p.width,
            written};
}

Validation validate(BatchedTransposeDispatcher& dispatcher, const Plan<BatchedTransposeFamily>& plan, Tensors tensors,
                    const RunOptions& options) {
    Validation result;
    const BatchedTransposeProblem& p = plan.problem;
    dispatcher.run_plan(plan, tensors, options);
    Device& device = dispatcher.device();
    device.synchronize(options.stream);
    result.kernel = plan.name();
    result.device = device.name();
    const auto bytes = std::size_t(element_bytes(p.dtype));
    const std::size_t size = BatchedTransposeFamily::tensor_bytes(p, 0);
    std::vector<char> x(size), y(size);
    device.copy_to_host(x.data(), tensors[0], size);
    device.copy_to_host(y.data(), tensors[1], size);
    for (std::int64_t i = 0; i < p.batch; ++i)
        for (std::int64_t h = 0; h < p.height; ++h)
            for (std::int64_t w = 0; w < p.width; ++w) {
                const std::int64_t from = (i * p.height + h) * p.width + w, to = (i * p.width + w) * p.height + h;
                ++result.checked;
                if (std::memcmp(&x[std::size_t(from) * bytes], &y[std::size_t(to) * bytes], bytes) == 0) continue;
                ++result.wrong;
                result.worst = {i, w, h};
            }
    return result;
}

}  // namespace ckdispatch
