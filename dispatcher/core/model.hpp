// SPDX-License-Identifier: MIT
// A learned model as a file: by what factor kernels take longer, or less long, than the cost model says. docs/models.md
// explains the file.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ckdispatch/core/trees.hpp"

namespace ckdispatch {

/// A JSON object of at most 8 MiB:
///   schema_version  1
///   family, gpu     what it was trained for
///   serves          fields of a kernel's key and the words they must have: {"variant": "forward"}; those that are
///                   left out may have any
///   features        the names of what its trees look at
///   ranges          for each feature the least and the most that training saw: {"depth": [1, 4096]}
///   constants       those of the cost model that it corrects, by name
///   trees           a list of objects with the lists of Tree, whose features are places in `features`
///   manifest        an object that says what the model was made from, and how good it is; nothing here looks into it
/// It is immutable, and may be used from any thread.
class Model {
public:
    /// Reads a file for rows whose numbers are `known_features`, in this order, whichever of them the model uses.
    /// Throws Error: io_failed or not_found if it cannot be read, damaged if it is no model, abi_mismatch if its schema
    /// is another, invalid_argument if it needs a GPU or a feature that is not known.
    static std::shared_ptr<const Model> read(const std::string& path, const std::vector<std::string>& known_features);
    /// The same from what a file holds; `what` is what a sentence calls it.
    static std::shared_ptr<const Model> parse(std::string_view content, const std::string& what,
                                              const std::vector<std::string>& known_features);
    /// The family that a file is for, before anything else of it is looked at. Throws Error as read() does.
    static std::string family_of(const std::string& path);

    const std::string& family() const { return family_; }
    const std::string& gpu() const { return gpu_; }
    const std::map<std::string, std::string>& serves() const { return serves_; }
    /// In the order of the file.
    const std::vector<std::string>& features() const { return features_; }
    const std::map<std::string, double>& constants() const { return constants_; }
    /// As JSON, in one line.
    const std::string& manifest() const { return manifest_; }

    /// What the cost model's time is to be multiplied with: from 1/8 to 8, because what is further off is a mistake.
    double correction(const double* row) const {
        double result = 1;
        corrections(row, 1, &result);
        return result;
    }
    /// Of many rows, which follow each other in memory; takes far less time than one by one.
    void corrections(const double* rows, std::size_t count, double* results) const;

    /// Whether training saw numbers as small and as large as each of the row's; if not, the correction is a guess.
    bool seen(const double* row) const;

private:
    struct Range {
        std::size_t feature;  ///< its place in a row
        double least, most;
    };

    Model(std::size_t row_size, const std::vector<Tree>& trees) : trees_(trees, row_size) {}

    std::string family_, gpu_, manifest_;
    std::map<std::string, std::string> serves_;
    std::vector<std::string> features_;
    std::vector<Range> ranges_;
    std::map<std::string, double> constants_;
    Trees trees_;
};

}  // namespace ckdispatch
