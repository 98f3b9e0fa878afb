// SPDX-License-Identifier: MIT
// The gradients of a causal attention where two heads of q share one of k and v, checked:
//     backward MANIFEST [DEVICE]
#include "dispatcher/examples/attention/gradients.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    return check_gradients(gradients(dispatcher, device, false));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }
