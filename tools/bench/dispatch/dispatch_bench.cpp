// SPDX-License-Identifier: MIT
// Times selection and the C++ run path: dispatch_bench DEVICE SCALE MANIFEST…, the first of a plain product. Prints one
// JSON object of samples in nanoseconds.
//
// The device should execute nothing (GFXSIM_EXECUTE=0), so that what is left is the path itself.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "device_code/bundle.hpp"
#include "models/bundled_models.hpp"

namespace {

using namespace ckdispatch;
using Clock = std::chrono::steady_clock;
using Samples = std::vector<double>;

constexpr std::size_t kKernels = 100;

// The clock itself costs tens of nanoseconds, so short calls are timed several at a time.
template <class Call>
Samples sample(int count, int at_a_time, Call&& call) {
    Samples samples;
    for (int i = 0; i < count / 10 * at_a_time; ++i) call(i);
    for (int i = 0; i < count; ++i) {
        const auto begin = Clock::now();
        for (int j = 0; j < at_a_time; ++j) call(i * at_a_time + j);
        samples.push_back(double(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count()) /
                          at_a_time);
    }
    return samples;
}

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16").layout("rcr").build();
}

// As many kernels as asked, all of one signature and all open: the real ones, and again under other tiles.
std::shared_ptr<GemmRegistry> registry_of(const std::string& manifest, std::size_t count) {
    auto declared = std::make_shared<GemmRegistry>("declared");
    declared->load_manifest(manifest);
    auto registry = std::make_shared<GemmRegistry>("benchmark");
    for (int copy = 0; registry->size() < count; ++copy) {
        for (const auto& kernel : declared->kernels()) {
            if (registry->size() >= count) break;
            GemmKey key = kernel->key();
            key.tile.k += copy;
            auto library = KernelLibrary::open(kernel->file());
            // A name belongs to one key, and a library to one name; the copies exist only here.
            registry->add(
                std::make_shared<Kernel<GemmKey>>(key, kernel->name() + (copy ? "_copy" + std::to_string(copy) : ""),
                                                  std::move(library), kernel->priority()));
        }
    }
    return registry;
}

// A launch of the same kernel with nothing but HIP: what any dispatcher would have to do.
class RawLaunch {
public:
    RawLaunch(const std::string& library, const std::string& gpu) {
        void* const runtime = ::dlopen(HIP_SONAME, RTLD_NOW | RTLD_NOLOAD);
        if (!runtime) throw std::runtime_error("the HIP runtime is not loaded");
        const auto load = reinterpret_cast<decltype(&::hipModuleLoadData)>(::dlsym(runtime, "hipModuleLoadData"));
        const auto get = reinterpret_cast<decltype(&::hipModuleGetFunction)>(::dlsym(runtime, "hipModuleGetFunction"));
        launch_ = reinterpret_cast<decltype(&::hipModuleLaunchKernel)>(::dlsym(runtime, "hipModuleLaunchKernel"));
        std::ifstream file(library, std::ios::binary);
        content_.assign(std::istreambuf_iterator<char>(file), {});
        const device_code::ElfFile elf(device_code::bytes_of(content_));
        for (const auto& place : device_code::bundle_places(elf)) {
            if (!place.begins_with(device_code::kBundleMagic)) continue;
            for (const auto& entry : device_code::bundle_entries(place)) {
                if (device_code::processor_of(entry.id) != gpu) continue;
                const device_code::ElfFile code(entry.code);
                for (const auto& symbol : code.symbols(SHT_DYNSYM)) {
                    if (symbol.type() != STT_FUNC || function_) continue;
                    if (load(&module_, entry.code.data) != hipSuccess ||
                        get(&function_, module_, symbol.name.c_str()) != hipSuccess)
                        throw std::runtime_error("the kernel cannot be loaded");
                }
            }
        }
        if (!function_) throw std::runtime_error("the library has no kernel for " + gpu);
    }

    void operator()(unsigned block) {
        void* arguments[] = {arguments_};
        if (launch_(function_, 4, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr) != hipSuccess)
            throw std::runtime_error("the raw launch failed");
    }

private:
    std::vector<std::uint8_t> content_;
    hipModule_t module_ = nullptr;
    hipFunction_t function_ = nullptr;
    decltype(&::hipModuleLaunchKernel) launch_ = nullptr;
    alignas(16) unsigned char arguments_[64] = {};
};

// The same that Python is timed with: a product, one with a D tensor, and groups.
std::vector<GemmProblem> problems_of_more_tensors() {
    std::vector<GemmProblem> all{
        problem_of(256, 256, 256),
        GemmProblemBuilder().sizes(256, 256, 256).dtype("fp16").layout("rcr").fused("MultiDAddRelu", 1).build()};
    for (const int groups : {3, 4}) {
        GemmProblemBuilder builder;
        builder.dtype("fp16").layout("rcr");
        for (int i = 0; i < groups; ++i) builder.group(256, 256, 256);
        all.push_back(builder.build());
    }
    return all;
}

// Trees of a real model, as if they were for these kernels: what they say is nonsense here, what they take is not.
std::shared_ptr<const Model> some_model(Name gpu) {
    const auto& all = models::bundled();
    const auto largest = std::max_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.content.size() < b.content.size(); });
    auto document = nlohmann::json::parse(largest->content);
    document["family"] = GemmKey::family;
    document["gpu"] = gpu.text();
    document["serves"] = nlohmann::json::object();
    return Model::parse(document.dump(), "The model of the benchmark", feature_names(GemmFamily::details()));
}

nlohmann::json measure(const std::string& device_name, double scale, const std::vector<std::string>& manifests) {
    const auto times = [&](int count) { return std::max(20, int(count * scale)); };
    auto device = Device::open(device_name);
    auto registry = registry_of(manifests.at(0), kKernels);
    GemmDispatcher dispatcher(registry, device);

    nlohmann::json samples;
    samples["kernels"] = registry->size();
    std::vector<GemmProblem> known;
    for (int i = 0; i < 64; ++i) known.push_back(problem_of(256 + 128 * i, 512, 1024));
    for (const GemmProblem& problem : known) dispatcher.select(problem);
    samples["select_cached"] =
        sample(times(2000), 20, [&](int i) { dispatcher.select(known[std::size_t(i) % known.size()]); });
    // Never the same problem twice; the sizes suit unpadded kernels, as most calls do.
    const auto select_another = [next = std::int64_t(0)](GemmSelector& selector) mutable {
        ++next;
        selector.select(problem_of(256 * (1 + next % 61), 256 * (1 + next / 61), 512));
    };
    samples["select_cold"] =
        sample(times(1000), 1, [&, select = select_another](int) mutable { select(dispatcher.selector()); });
    GemmSelector learned(registry, device->gpu());
    learned.use(some_model(device->gpu()));
    samples["select_cold_model"] =
        sample(times(1000), 1, [&, select = select_another](int) mutable { select(learned); });

    const GemmProblem small = problem_of(256, 256, 256);
    const DeviceBuffer a(device, 256 * 256 * 2), b(device, 256 * 256 * 2), c(device, 256 * 256 * 2);
    void* const tensors[] = {a.address(), b.address(), c.address()};
    const auto plan = dispatcher.select(small);
    RawLaunch raw(plan->stages.front().kernel->file().path, std::string(device->gpu().text()));
    const auto block = unsigned(plan->stages.front().kernel->resources_on(device->gpu())->workgroup_size);
    samples["raw_launch"] = sample(times(2000), 10, [&](int) { raw(block); });
    samples["cpp_run"] = sample(times(2000), 10, [&](int) { dispatcher.run(small, tensors); });

    auto all = std::make_shared<GemmRegistry>("all");
    for (const std::string& manifest : manifests) all->load_manifest(manifest, Duplicates::keep);
    GemmDispatcher of_all(all, device);
    for (const GemmProblem& problem : problems_of_more_tensors()) {
        const auto chosen = of_all.select(problem);
        const std::size_t count = GemmFamily::tensor_count(problem);
        std::vector<DeviceBuffer> buffers;
        std::vector<void*> addresses;
        for (std::size_t i = 0; i < count; ++i)
            addresses.push_back(buffers.emplace_back(device, 256 * 256 * 2).address());
        samples["runtime_" + std::to_string(count)] =
            sample(times(2000), 10, [&](int) { of_all.run_plan(*chosen, addresses.data()); });
    }
    device->synchronize();
    return samples;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        std::fprintf(stderr, "dispatch_bench: DEVICE SCALE MANIFEST… are expected\n");
        return 2;
    }
    try {
        std::printf("%s\n",
                    measure(arguments[1], std::atof(arguments[2]), {arguments + 3, arguments + count}).dump().c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dispatch_bench: %s\n", error.what());
        return 1;
    }
}
