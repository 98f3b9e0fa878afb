// SPDX-License-Identifier: MIT
// Buffer instructions: memory behind a resource descriptor with range checks.
#include "gfxsim/ops/vector_memory.hpp"

namespace gfxsim {
namespace {

void run_cache_control(Wave& wave, const Instr&) {
    wave.group->sums.flush();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

Table buffer_table() {
    Table table;
    add_transfers<BufferPlace>(table);
    add_atomics<BufferPlace>(table);

    Definition def;
    def.run = run_cache_control, def.traits.klass = Class::global, def.traits.counter = Counter::vm;
    add_named(table, def, "buffer_", "wbl2", nullptr, nullptr);
    def.traits.counter = Counter::none;
    add_named(table, def, "buffer_", "inv", nullptr, nullptr);
    add_named(table, def, "buffer_", "invl2", nullptr, nullptr);
    add_named(table, def, "buffer_", "wbinvl1", nullptr, nullptr);
    add_named(table, def, "buffer_", "wbinvl1_vol", nullptr, nullptr);
    add_named(table, def, "buffer_", nullptr, "gl0_inv", nullptr);
    add_named(table, def, "buffer_", nullptr, "gl1_inv", nullptr);
    return table;
}

}  // namespace gfxsim
