// SPDX-License-Identifier: MIT
// The CPU's own attention, one row at a time. For the sources of this folder.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "ckdispatch/core/device.hpp"
#include "ckdispatch/core/numbers.hpp"
#include "ckdispatch/core/tensors.hpp"
#include "ckdispatch/fmha/dropout.hpp"
#include "ckdispatch/fmha/problem.hpp"

namespace ckdispatch {

/// A tensor of a caller's problem, copied to the host; one that the problem does not have, or that has no elements, is
/// empty.
class FmhaHost {
public:
    FmhaHost(Device& device, const FmhaProblem& p, std::size_t slot, Tensors tensors);

    bool empty() const { return bytes_.empty(); }
    double at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const {
        return numbers_.at(bytes_.data(), batch * strides_.batch + head * strides_.head + row * strides_.row + column);
    }
    double at(std::int64_t index) const { return numbers_.at(bytes_.data(), index); }
    template <class Whole = std::int32_t>
    Whole whole(std::int64_t index) const {
        Whole value;
        std::memcpy(&value, bytes_.data() + index * std::int64_t(sizeof(value)), sizeof(value));
        return value;
    }
    const Numbers& numbers() const { return numbers_; }

private:
    std::vector<char> bytes_;
    FmhaStrides strides_;
    Numbers numbers_;
};

/// One sequence: where its rows and keys are; `batch` is its place in tensors that have one for each.
struct FmhaSequence {
    std::int64_t index, batch, rows, keys, first_row, first_key;
};

/// What the tensors of a problem hold, and what follows from them. New rows count as keys, which they are once it has
/// run.
class FmhaReference {
public:
    FmhaReference(Device& device, const FmhaProblem& p, Tensors tensors);

    FmhaSequence sequence(std::int64_t i) const;
    const FmhaHost& q() const { return q_; }

    /// The score of each key for a row, and -inf for those that it does not keep.
    void score(const FmhaSequence& of, std::int64_t head, std::int64_t row, std::vector<double>& scores) const;
    /// What each key weighs, before any is dropped; returns lse.
    double weigh(const FmhaSequence& of, std::int64_t head, std::int64_t row, std::vector<double>& weights) const;
    /// What a weight is multiplied by.
    double kept(const FmhaSequence& of, std::int64_t head, std::int64_t row, std::int64_t key) const {
        return dropout_ ? dropout_->factor(of.index, head, row, key) : 1;
    }
    const FmhaDropout* dropout() const { return dropout_ ? &*dropout_ : nullptr; }
    /// What an element of o is for weights of which some were dropped, and the sum of its magnitudes.
    std::pair<double, double> output(const FmhaSequence& of, std::int64_t head, const std::vector<double>& weights,
                                     std::int64_t column) const;

    /// Of a head of q.
    double k(const FmhaSequence& of, std::int64_t head, std::int64_t key, std::int64_t column) const {
        return at(k_, of, head, key, column);
    }
    double v(const FmhaSequence& of, std::int64_t head, std::int64_t key, std::int64_t column) const {
        return at(v_, of, head, key, column);
    }

    bool keeps(const FmhaSequence& of, std::int64_t row, std::int64_t key) const;
    /// The relative error of a weight, which is rounded to the dtype of q.
    double roundoff() const { return 2 * q_.numbers().unit_roundoff(); }

private:
    double capped(double score) const;
    double added(const FmhaSequence& of, std::int64_t head, std::int64_t row, std::int64_t key) const;
    double at(const FmhaHost& cache, const FmhaSequence& of, std::int64_t head, std::int64_t key,
              std::int64_t column) const;

    const FmhaProblem& p_;
    FmhaHost q_, k_, v_, bias_, sink_, start_q_, start_k_, length_q_, length_k_, table_, cache_, indptr_, pages_;
    std::optional<FmhaDropout> dropout_;
};

}  // namespace ckdispatch
