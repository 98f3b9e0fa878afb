// SPDX-License-Identifier: MIT
#include "ckdispatch/core/dtypes.hpp"

#include <string>

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/error.hpp"

namespace ckdispatch {

const arch::DtypeSpec& dtype_facts(Name name, std::string_view asked) {
    const arch::DtypeSpec* found = arch::find_by_name<arch::DtypeSpec>(arch::dtypes, name.text());
    if (found) return *found;
    std::string known;
    for (const arch::DtypeSpec& dtype : arch::dtypes) known += (known.empty() ? "" : ", ") + std::string(dtype.name);
    throw InvalidArgumentError(std::string(asked) + " of the dtype '" + std::string(name.text()) +
                               "' was asked for; the dtypes are " + known + ".");
}

Name usual_output(Name a, Name b, std::string_view asked) {
    for (const arch::DtypeCombination& pair : arch::dtype_combinations)
        if (pair.a == a.text() && pair.b == b.text()) return pair.output;
    throw InvalidArgumentError(std::string(asked) + " of " + std::string(a.text()) + " and " + std::string(b.text()) +
                               " was asked for; no GPU multiplies that pair.");
}

}  // namespace ckdispatch
