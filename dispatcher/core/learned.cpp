// SPDX-License-Identifier: MIT
#include "ckdispatch/core/learned.hpp"

#include <map>
#include <mutex>

#include "models/bundled_models.hpp"

namespace ckdispatch {

std::vector<std::shared_ptr<const Model>> bundled_models(std::string_view family, Name gpu,
                                                         const std::vector<std::string>& known_features) {
    static std::mutex reading;
    static std::map<std::string_view, std::shared_ptr<const Model>> read;  // by the file's name
    std::vector<std::shared_ptr<const Model>> found;
    for (const models::Bundled& one : models::bundled()) {
        if (one.family != family || one.gpu != gpu.text()) continue;
        std::lock_guard<std::mutex> lock(reading);
        auto& model = read[one.name];
        if (!model) model = Model::parse(one.content, "The bundled model " + std::string(one.name), known_features);
        found.push_back(model);
    }
    return found;
}

Terms constants_of(const Model& model) {
    Terms constants{};
    std::size_t known = 0;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        const auto found = model.constants().find(std::string(arch::cost_terms[i]));
        if (found == model.constants().end())
            throw InvalidArgumentError("A model lacks the constant '" + std::string(arch::cost_terms[i]) +
                                       "' of the cost model; it was made for another version.");
        if (!(found->second >= 0))
            throw DamagedError("A model has the constant '" + found->first + "' = " + std::to_string(found->second) +
                               "; none is below 0.");
        constants[i] = found->second;
        ++known;
    }
    if (known != model.constants().size())
        throw InvalidArgumentError(
            "A model has constants that the cost model does not know; it was made for another version.");
    return constants;
}

}  // namespace ckdispatch
