// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gfxsim/cli/commands.hpp"

namespace gfxsim {

/// Options up to the first argument that is none.
struct Parsed {
    std::map<std::string, std::string> values;  ///< --name VALUE
    std::vector<std::string> rest;

    bool has(const std::string& name) const { return values.count(name) != 0; }
    std::string get(const std::string& name, const std::string& otherwise = "") const;
    /// The value as a number; a usage error if it is none.
    unsigned long long number(const std::string& name, unsigned long long otherwise) const;
};

/// `with_value` and `flags` are the options that the command knows, with their dashes.
Parsed parse(const Arguments& arguments, const std::vector<std::string>& with_value,
             const std::vector<std::string>& flags);

}  // namespace gfxsim
