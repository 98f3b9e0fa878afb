// SPDX-License-Identifier: MIT
// What an epilogue may apply to the product, for the reference: the value, and how far a kernel's may be from it.
#pragma once

#include <vector>

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// A number and the most by which a kernel's may differ from it.
struct Bounded {
    double value = 0;
    double error = 0;
};

/// Kernels evaluate an operation in float32. Constants are the float32 ones in CK's sources.
class FusedOp {
public:
    /// Throws Error: invalid_argument for a count of D tensors that the operation does not take, unsupported for one
    /// that is not known.
    static FusedOp find(Name name, int d_count);

    bool changes_nothing() const { return activation_ == nullptr && combination_ == Combination::none; }
    Bounded apply(Bounded product, const std::vector<double>& ds) const;

private:
    enum class Combination { none, add, multiply };
    using Activation = Bounded (*)(Bounded);

    Combination combination_ = Combination::none;
    Activation activation_ = nullptr;
};

}  // namespace ckdispatch
