// SPDX-License-Identifier: MIT
#include "gfxsim/cli/times.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace gfxsim {
namespace {

using Json = nlohmann::ordered_json;

// What the waves' cycles went to, the most first.
std::string causes(const Json& cycles) {
    std::vector<std::pair<double, std::string>> parts;
    double all = 0;
    for (const auto& [name, count] : cycles.items()) parts.emplace_back(count.get<double>(), name), all += count.get<double>();
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [count, name] : parts) {
        const int percent = all > 0 ? int(100 * count / all + 0.5) : 0;
        if (percent >= 3) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(percent) + " %";
    }
    return text;
}

void print_launch(const Json& launch) {
    const Json& time = launch.at("time");
    std::printf("%10.2f us  %s, grid %llux%llux%llu\n", time.at("us").get<double>(), launch.at("kernel").get<std::string>().c_str(),
                launch.at("grid")[0].get<unsigned long long>(), launch.at("grid")[1].get<unsigned long long>(), launch.at("grid")[2].get<unsigned long long>());
    std::printf("               %llu full rounds of %u workgroups on each compute unit, and %llu workgroups; matrix cores busy %.0f %%, LDS %.0f %%\n",
                time.at("rounds").get<unsigned long long>(), time.at("workgroups_per_unit").get<unsigned>(), time.at("rest").get<unsigned long long>(),
                100 * time.at("matrix_busy").get<double>(), 100 * time.at("lds_busy").get<double>());
    std::printf("               cycles of waves: %s\n", causes(time.at("wave_cycles")).c_str());
}

}  // namespace

void print_times(const std::string& report, bool json) {
    std::ifstream file(report);
    std::string line;
    Json all = Json::array();
    while (std::getline(file, line)) {
        Json launch = Json::parse(line, nullptr, false);
        if (launch.is_object() && launch.contains("time")) all.push_back(std::move(launch));
    }
    if (json) {
        std::printf("%s\n", all.dump(2).c_str());
        return;
    }
    double sum = 0;
    for (const Json& launch : all) print_launch(launch), sum += launch.at("time").at("us").get<double>();
    if (all.empty())
        std::printf("No kernel was launched.\n");
    else
        std::printf("%10.2f us in all, simulated for %s: %zu launches, %llu of their workgroups in time\n", sum,
                    all.back().at("device").get<std::string>().substr(4).c_str(), all.size(),
                    [&] { unsigned long long sample = 0; for (const Json& launch : all) sample += launch.at("time").at("sample").get<unsigned long long>(); return sample; }());
}

}  // namespace gfxsim
