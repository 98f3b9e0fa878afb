// SPDX-License-Identifier: MIT
#include "gfxsim/cli/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace gfxsim {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void usage_error(const std::string& sentence) {
    throw std::runtime_error(sentence + "; gfxsim --help shows what there is.");
}

std::string Parsed::get(const std::string& name, const std::string& otherwise) const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
}

unsigned long long Parsed::number(const std::string& name, unsigned long long otherwise) const {
    if (!has(name)) return otherwise;
    const std::string text = get(name);
    char* end = nullptr;
    const auto value = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || *end || text.front() == '-') usage_error(name + " wants a number, not '" + text + "'");
    return value;
}

Parsed parse(const Arguments& arguments, const std::vector<std::string>& with_value,
             const std::vector<std::string>& flags) {
    Parsed parsed;
    std::size_t at = 0;
    for (; at < arguments.size() && arguments[at].rfind('-', 0) == 0; ++at) {
        const std::string& name = arguments[at];
        if (name == "--") {
            ++at;
            break;
        }
        if (contains(flags, name)) {
            parsed.values[name] = "1";
        } else if (contains(with_value, name)) {
            if (at + 1 == arguments.size()) usage_error(name + " wants a value");
            parsed.values[name] = arguments[++at];
        } else {
            usage_error("There is no option '" + name + "' here");
        }
    }
    parsed.rest.assign(arguments.begin() + long(at), arguments.end());
    return parsed;
}

}  // namespace gfxsim
