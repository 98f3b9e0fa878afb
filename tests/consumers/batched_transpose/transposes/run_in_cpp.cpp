// SPDX-License-Identifier: MIT
// Transposes on the simulator: as they are, with tiles that are not full, and through the registry of all families.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include "ckdispatch/batched_transpose/family.hpp"
#include "ckdispatch/families/kernel_registry.hpp"

using namespace ckdispatch;

namespace {

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
}

void run(BatchedTransposeDispatcher& dispatcher, const std::shared_ptr<Device>& device,
         const BatchedTransposeProblem& problem, const std::string& kernel) {
    const std::size_t bytes = BatchedTransposeFamily::tensor_bytes(problem, 0);
    std::vector<unsigned char> values(bytes);
    std::iota(values.begin(), values.end(), static_cast<unsigned char>(1));
    const DeviceBuffer x(device, bytes), y(device, bytes);
    device->copy_to_device(x.address(), values.data(), bytes);
    device->fill(y.address(), 0, bytes);
    void* const tensors[] = {x.address(), y.address()};
    const Validation result = validate(dispatcher, problem, tensors);
    require(result.ok() && result.checked > 0, problem.text() + ": " + std::to_string(result.wrong) + " of " +
                                                   std::to_string(result.checked) + " are wrong");
    require(result.kernel == kernel, problem.text() + " was computed by " + result.kernel + ", not " + kernel);
    std::printf("%s by %s on %s\n", problem.text().c_str(), result.kernel.c_str(), result.device.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    KernelRegistry kernels("transposes");
    for (int i = 2; i < argc; ++i)
        if (std::string(argv[i]).find(".manifest.json") != std::string::npos) kernels.load_manifest(argv[i]);
    require(kernels.size() == 4, "The manifest of four kernels is not among the arguments.");
    const auto device = Device::open("sim:gfx942", argv[1]);
    BatchedTransposeDispatcher dispatcher(kernels.of<BatchedTransposeRegistry>(), device);
    run(dispatcher, device, {3, 128, 64, Name("fp16")}, "batched_transpose_fp16_64x64x1_w2");
    run(dispatcher, device, {2, 65, 7, Name("fp16")}, "batched_transpose_fp16_64x64x1_w1_pad");
    run(dispatcher, device, {1, 64, 192, Name("fp32")}, "batched_transpose_fp32_64x64x1_w2");
    try {
        dispatcher.select({1, 64, 64, Name("bf16")});
        require(false, "A dtype that no kernel has was selected for.");
    } catch (const Error& error) {
        require(error.code() == ErrorCode::no_kernel, error.what());
    }
    return 0;
}
