// SPDX-License-Identifier: MIT
// What the examples of attention share: their tensors, running and checking, and main.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ckdispatch/fmha/family.hpp"
#include "dispatcher/examples/attention/halves.hpp"

/// The tensors of one problem on the device, packed: matrices that are read have numbers from -1 to 1, and all else is
/// zero until it is put.
class Operands {
public:
    /// Tensors that `other` has too are the same ones.
    Operands(const std::shared_ptr<ckdispatch::Device>& device, const ckdispatch::FmhaProblem& problem,
             const Operands* other = nullptr);

    template <class Value>
    Operands& put(ck_fmha_tensor_index slot, const std::vector<Value>& values) {
        device_->copy_to_device(buffers_[slot]->address(), values.data(), values.size() * sizeof(Value));
        return *this;
    }
    template <class Value>
    std::vector<Value> read(ck_fmha_tensor_index slot) const {
        std::vector<Value> values(buffers_[slot]->size() / sizeof(Value));
        device_->copy_to_host(values.data(), buffers_[slot]->address(), values.size() * sizeof(Value));
        return values;
    }
    /// Of fp16.
    std::vector<double> numbers(ck_fmha_tensor_index slot) const { return from_halves(read<std::uint16_t>(slot)); }

    operator ckdispatch::Tensors() const { return tensors_.data(); }

private:
    void make(const ckdispatch::FmhaProblem& problem, std::size_t slot);

    std::shared_ptr<ckdispatch::Device> device_;
    std::array<std::shared_ptr<ckdispatch::DeviceBuffer>, CK_FMHA_TENSORS> buffers_{};
    std::array<void*, ckdispatch::FmhaFamily::kCallersTensors> tensors_{};
};

/// Has a line with the problem and the kernels that computed it, and what was found wrong by whatever check there is;
/// what main returns.
int report(const ckdispatch::FmhaPlan& plan, std::int64_t checked, std::int64_t wrong);

/// Runs the best plan, and compares the result with the reference of the dispatcher.
int run_and_check(ckdispatch::FmhaDispatcher& dispatcher, const ckdispatch::FmhaProblem& problem,
                  const Operands& operands);

/// Opens what the command line names, MANIFEST [DEVICE], and computes. A simulated device needs CKDISPATCH_SIMULATOR,
/// the path of the simulator's runtime.
int example(int argc, char** argv,
            int (*attend)(ckdispatch::FmhaDispatcher&, const std::shared_ptr<ckdispatch::Device>&));
