// SPDX-License-Identifier: MIT
#include "gfxsim/probe/probe.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "gfxsim/core/wave.hpp"
#include "gfxsim/decode/decoder.hpp"
#include "gfxsim/ops/tables.hpp"

namespace {

using namespace gfxsim;

void run(const char* name, const uint8_t* code, uint64_t size, gfxsim_probe_state& state) {
    const Gpu* gpu = find_gpu(name);
    if (!gpu) throw Fault(FaultKind::invalid, std::string(name) + " is no GPU that is simulated");
    const auto program = decode(*gpu, "probe", code, size);

    auto memory = std::make_shared<AddressSpace>();
    if (state.memory) {
        Allocation allocation;
        allocation.begin = reinterpret_cast<u64>(state.memory), allocation.end = allocation.begin + state.memory_bytes;
        memory->allocations.push_back(allocation);
    }
    Kernel kernel;
    kernel.name = "probe", kernel.program = program.get(), kernel.wave_size = state.wave_size;
    Launch launch;
    launch.kernel = &kernel, launch.gpu = gpu, launch.memory = memory;
    launch.lds_bytes = state.lds_bytes, launch.scratch_bytes = state.scratch_bytes;
    Workgroup group;
    group.launch = &launch;
    group.lds.assign(state.lds, state.lds + (state.lds ? state.lds_bytes : 0));

    auto wave = std::make_unique<Wave>();
    wave->gpu = gpu, wave->isa = gpu->isa, wave->program = program.get(), wave->group = &group;
    wave->size = u8(state.wave_size), wave->full = state.wave_size == 64 ? ~u64(0) : 0xffffffff;
    std::memcpy(wave->v, state.v, sizeof(state.v));
    std::memcpy(wave->s, state.s, sizeof(state.s));
    wave->scc = state.scc != 0;
    wave->mode.set_bits(state.mode);
    const std::size_t scratch = std::size_t(state.scratch_bytes) * state.wave_size;
    if (state.scratch) wave->scratch.assign(state.scratch, state.scratch + scratch);
    group.waves.push_back(wave.get());

    constexpr u64 kMost = 1 << 20;
    while (wave->state != State::ended) {
        if (wave->pc >= program->instrs.size()) throw Fault(FaultKind::invalid, "the code runs past its end");
        if (++wave->executed > kMost) throw Fault(FaultKind::limit, "the code does not end");
        const Instr& instr = program->instrs[wave->pc++];
        if (!wave->skips_vector || !instr.def || !is_vector(instr.def->traits.klass)) instr.run(*wave, instr);
        wave->state = wave->state == State::ended ? State::ended : State::running;
    }
    group.sums.flush();
    std::memcpy(state.v, wave->v, sizeof(state.v));
    std::memcpy(state.s, wave->s, sizeof(state.s));
    state.scc = wave->scc;
    state.mode = wave->mode.bits();
    if (state.lds) std::copy(group.lds.begin(), group.lds.end(), state.lds);
    if (state.scratch) std::copy(wave->scratch.begin(), wave->scratch.end(), state.scratch);
}

std::string describe(const Definition& def) {
    std::string isas;
    for (Isa isa : {Isa::gfx9, Isa::gfx11, Isa::gfx12}) {
        if (def.isas & isa_bit(isa)) isas += (isas.empty() ? "" : ",") + std::string(isa_name(isa));
    }
    const char* exact = def.traits.exact == Exact::yes ? "exact" : "rounding";
    return std::string(def.name) + " " + isas + " " + class_name(def.traits.klass) + " " + exact + "\n";
}

}  // namespace

extern "C" int gfxsim_probe(const char* gpu, const uint8_t* code, uint64_t size, gfxsim_probe_state* state) {
    try {
        run(gpu, code, size, *state);
        return 0;
    } catch (const std::exception& error) {
        std::snprintf(state->error, sizeof(state->error), "%s", error.what());
        return 1;
    }
}

extern "C" const char* gfxsim_probe_definitions(void) {
    static const std::string text = [] {
        std::string lines;
        for (const Definition& def : all_definitions()) lines += describe(def);
        return lines;
    }();
    return text.c_str();
}
