// SPDX-License-Identifier: MIT
#include "gfxsim/cli/times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace gfxsim {
namespace {

using Json = nlohmann::ordered_json;

// What the waves' cycles went to, the most first.
std::string causes(const Json& cycles) {
    std::vector<std::pair<double, std::string>> parts;
    double all = 0;
    for (const auto& [name, count] : cycles.items())
        parts.emplace_back(count.get<double>(), name), all += count.get<double>();
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [count, name] : parts) {
        const int percent = all > 0 ? int(std::lround(100 * count / all)) : 0;
        if (percent >= 3) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(percent) + " %";
    }
    return text;
}

void print_launch(const Json& launch) {
    const Json& time = launch.at("time");
    std::printf("%10.2f us  %s, grid %llux%llux%llu\n", time.at("us").get<double>(),
                launch.at("kernel").get<std::string>().c_str(), launch.at("grid")[0].get<unsigned long long>(),
                launch.at("grid")[1].get<unsigned long long>(), launch.at("grid")[2].get<unsigned long long>());
    std::printf(
        "               %llu full rounds of %u workgroups on each compute unit, and %llu workgroups; matrix cores busy "
        "%.0f %%, LDS %.0f %%\n",
        time.at("rounds").get<unsigned long long>(), time.at("workgroups_per_unit").get<unsigned>(),
        time.at("rest").get<unsigned long long>(), 100 * time.at("matrix_busy").get<double>(),
        100 * time.at("lds_busy").get<double>());
    std::printf("               cycles of waves: %s\n", causes(time.at("wave_cycles")).c_str());
}

// The instructions on which waves of the sample spent the most, or all in their order.
void print_instructions(const Json& time, std::size_t most) {
    std::vector<const Json*> list;
    double all = 0;
    for (const Json& one : time.at("instructions")) list.push_back(&one), all += one.at("cycles").get<double>();
    if (most && most < list.size()) {
        std::stable_sort(list.begin(), list.end(),
                         [](const Json* a, const Json* b) { return a->at("cycles") > b->at("cycles"); });
        list.resize(most);
    }
    std::printf("               %7s %10s %8s  %6s  %-60s %s\n", "cycles", "times", "each", "offset", "instruction",
                "what the cycles went to");
    for (const Json* one : list) {
        const double cycles = one->at("cycles").get<double>(), times = one->at("times").get<double>();
        std::printf("               %5.1f %% %10.0f %8.1f  %06llx  %-60s %s\n", all > 0 ? 100 * cycles / all : 0.0,
                    times, cycles / times, one->at("offset").get<unsigned long long>(),
                    one->at("text").get<std::string>().c_str(), causes(one->at("wave_cycles")).c_str());
    }
}

// The source lines on whose instructions waves of the sample spent the most.
void print_lines(const Json& time, std::size_t most) {
    std::map<std::string, std::map<std::string, double>> lines;
    double all = 0;
    bool known = false;
    for (const Json& one : time.at("instructions")) {
        known |= one.contains("source");
        for (const auto& [cause, cycles] : one.at("wave_cycles").items())
            lines[one.value("source", "elsewhere")][cause] += cycles.get<double>();
        all += one.at("cycles").get<double>();
    }
    if (!known) {
        std::printf("               its code does not tell of source lines; compile it with -gline-tables-only\n");
        return;
    }
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [line, spent] : lines) {
        double cycles = 0;
        for (const auto& [cause, count] : spent) cycles += count;
        order.emplace_back(cycles, line);
    }
    if (most)
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (most && most < order.size()) order.resize(most);
    std::printf("               %7s  %-60s %s\n", "cycles", "source", "what the cycles went to");
    for (const auto& [cycles, line] : order)
        std::printf("               %5.1f %%  %-60s %s\n", all > 0 ? 100 * cycles / all : 0.0, line.c_str(),
                    causes(Json(lines[line])).c_str());
}

}  // namespace

void print_times(const std::string& report, const TimeDetails& details) {
    std::ifstream file(report);
    std::string line;
    Json all = Json::array();
    while (std::getline(file, line)) {
        Json launch = Json::parse(line, nullptr, false);
        if (launch.is_object() && launch.contains("time")) all.push_back(std::move(launch));
    }
    if (details.json) {
        std::printf("%s\n", all.dump(2).c_str());
        return;
    }
    double sum = 0;
    for (const Json& launch : all) {
        print_launch(launch);
        if (details.instructions) print_instructions(launch.at("time"), *details.instructions);
        if (details.lines) print_lines(launch.at("time"), *details.lines);
        sum += launch.at("time").at("us").get<double>();
    }
    if (all.empty()) std::printf("No kernel was launched.\n");
    else
        std::printf("%10.2f us in all, simulated for %s: %zu launches, %llu of their workgroups in time\n", sum,
                    all.back().at("device").get<std::string>().substr(4).c_str(), all.size(), [&] {
                        unsigned long long sample = 0;
                        for (const Json& launch : all)
                            sample += launch.at("time").at("sample").get<unsigned long long>();
                        return sample;
                    }());
    if (!all.empty() && !all.back().at("time").at("whole_facts").get<bool>())
        std::printf("Some figures of this GPU are those of others, so its times are a guess.\n");
}

void finish_trace(const std::string& events, const std::string& file) {
    std::ifstream in(events, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text.size() < 2 || text[0] != '[') text = "[\n";
    if (text[text.size() - 2] == ',') text.erase(text.size() - 2, 1);
    text += "]\n";
    const std::string part = file + ".part";
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(text.data(), std::streamsize(text.size()));
    out.close();
    if (!out || std::rename(part.c_str(), file.c_str()) != 0) {
        std::remove(part.c_str());
        throw std::runtime_error("--trace names " + file + ", which cannot be written.");
    }
}

}  // namespace gfxsim
