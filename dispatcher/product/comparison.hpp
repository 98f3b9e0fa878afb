// SPDX-License-Identifier: MIT
// A result against the reference, whatever the family: each element within what its dtype and the depth of its sum
// allow.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "ckdispatch/core/device.hpp"
#include "ckdispatch/core/numbers.hpp"
#include "ckdispatch/core/run.hpp"
#include "ckdispatch/product/fused_ops.hpp"

namespace ckdispatch {

/// A copy of a tensor on the host, as numbers.
class HostTensor {
public:
    HostTensor(Device& device, const void* address, std::size_t bytes, Name dtype)
        : bytes_(bytes), numbers_(dtype, device.facts().fp8_encoding) {
        device.copy_to_host(bytes_.data(), address, bytes_.size());
    }

    double at(std::int64_t index) const { return numbers_.at(bytes_.data(), index); }
    const Numbers& numbers() const { return numbers_; }

private:
    std::vector<char> bytes_;
    Numbers numbers_;
};

/// What a kernel accumulates for one element.
struct Sum {
    double value = 0, magnitude = 0;
    std::int64_t terms = 0;

    void add(double term) {
        value += term;
        magnitude += std::fabs(term);
        ++terms;
    }
};

/// Counts what is right and wrong into a Validation.
class Comparison {
public:
    /// `roundings` is how often an output may be rounded: once for each part of its sum that is added to it in memory.
    Comparison(const FusedOp& op, const Numbers& output, double roundings, Validation& result)
        : op_(op), output_(output), roundings_(roundings), result_(result) {}

    /// Whether it is the worst so far, whose place the caller then notes.
    bool is_worst(double actual, const Sum& sum, const std::vector<double>& ds);

private:
    Bounded expected(const Sum& sum, const std::vector<double>& ds) const;
    Bounded stored(Bounded x) const {
        return {x.value, x.error + output_.unit_roundoff() * (std::fabs(x.value) + x.error) + output_.smallest()};
    }

    FusedOp op_;
    const Numbers& output_;
    double roundings_;
    Validation& result_;
};

}  // namespace ckdispatch
