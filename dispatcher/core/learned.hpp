// SPDX-License-Identifier: MIT
// A learned model on its GPU: which kernels it is for, the cost model that it corrects, and by how much.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ckdispatch/core/features.hpp"
#include "ckdispatch/core/fields.hpp"
#include "ckdispatch/core/gpus.hpp"
#include "ckdispatch/core/model.hpp"

namespace ckdispatch {

/// Those that come with the runtime for a family and a GPU; read once, whoever asks.
std::vector<std::shared_ptr<const Model>> bundled_models(std::string_view family, Name gpu,
                                                         const std::vector<std::string>& known_features);

/// A model's constants in the order of arch::cost_terms. Throws InvalidArgumentError if one is missing, or is of no
/// term.
Terms constants_of(const Model& model);

template <class Key>
class Learned {
public:
    /// Throws InvalidArgumentError if the model is of another family, or names a field that its keys do not have.
    explicit Learned(std::shared_ptr<const Model> model)
        : model_(std::move(model)), costs_(gpu_facts(Name(model_->gpu())), constants_of(*model_)) {
        if (model_->family() != Key::family)
            throw InvalidArgumentError("A model of the family " + model_->family() + " was given for " +
                                       std::string(Key::family) + ".");
        for (const auto& [field, word] : model_->serves()) require(field, word);
    }

    const Model& model() const { return *model_; }
    const CostModel& costs() const { return costs_; }
    bool serves(const Key& key) const {
        return std::all_of(required_.begin(), required_.end(), [&](const auto& holds) { return holds(key); });
    }
    /// Whether both are for the same kernels, so that one takes the place of the other.
    bool replaces(const Learned& other) const { return model_->serves() == other.model_->serves(); }

private:
    void require(const std::string& field, const std::string& word) {
        const std::size_t before = required_.size();
        Key::fields([&](std::string_view name, auto member) {
            if (name != field) return;
            Key wanted;
            fields_detail::parse(word, wanted.*member);
            required_.push_back([member, value = wanted.*member](const Key& key) { return key.*member == value; });
        });
        if (required_.size() == before)
            throw InvalidArgumentError("A model is for kernels whose " + field + " is " + word + ", and those of " +
                                       std::string(Key::family) + " have no such field.");
    }

    std::shared_ptr<const Model> model_;
    CostModel costs_;
    std::vector<std::function<bool(const Key&)>> required_;
};

}  // namespace ckdispatch
