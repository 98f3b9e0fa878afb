// SPDX-License-Identifier: MIT
// Prints the tables of cost_constants.hpp as JSON.
#include <cstdio>
#include <string>
#include <string_view>

#include "arch/cost_constants.hpp"
#include "json_text.hpp"

namespace arch = ckdispatch::arch;

int main() {
    std::string terms, rows, shares, cycles;
    for (const std::string_view term : arch::cost_terms) terms += (terms.empty() ? "" : ", ") + text(term);
    for (const arch::CostConstants& one : arch::cost_constants) {
        std::string values;
        for (std::size_t i = 0; i < arch::kCostTerms; ++i)
            values += (i ? ", " : "") + text(arch::cost_terms[i]) + ": " + number(one.values[i]);
        const std::string row =
            "\"family\": " + text(one.family) + ", \"gpu\": " + text(one.gpu) + ", \"source\": " + text(one.source);
        rows += std::string(rows.empty() ? "{" : ", {") + row + ", \"values\": {" + values + "}}";
    }
    for (const arch::BandwidthShare& one : arch::bandwidth_shares)
        shares += (shares.empty() ? "" : ", ") + text(one.gpu) + ": " + number(one.per_workgroup);
    for (const arch::MatrixCycles& one : arch::matrix_cycles) {
        const std::string names = text(one.gpu) + ", " + text(one.dtype),
                          tile = number(one.m) + ", " + number(one.n) + ", " + number(one.k);
        cycles += (cycles.empty() ? "[" : ", [") + names + ", " + tile + ", " + number(one.cycles) + "]";
    }
    std::printf("{\"terms\": [%s], \"constants\": [%s], \"shares\": {%s}, ", terms.c_str(), rows.c_str(),
                shares.c_str());
    std::printf("\"cycles\": [%s], ", cycles.c_str());
    std::printf("\"places\": {\"launch\": %zu, \"first\": %zu}}\n", arch::cost_term::launch, arch::cost_term::first);
}
