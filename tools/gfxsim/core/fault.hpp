// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace gfxsim {

enum class FaultKind { unsupported, memory, limit, trap, invalid, out_of_memory, interrupted };

/// Ends a launch. The message is one sentence without the kernel's name and address, which the engine adds.
class Fault : public std::runtime_error {
public:
    Fault(FaultKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    FaultKind kind() const { return kind_; }

private:
    FaultKind kind_;
};

}  // namespace gfxsim
