// SPDX-License-Identifier: MIT
#include "gfxsim/engine/engine.hpp"

#include <atomic>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace gfxsim {
namespace {

// A workgroup that spins until another one has written something gives way after so many instructions of one wave.
constexpr u64 kTurn = u64(1) << 20;

struct Shared {
    Shared(const Launch& of, u64 count) : launch(of), groups(count) {}

    const Launch& launch;
    u64 groups;
    std::atomic<u64> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    LaunchOutcome outcome;
    std::mutex order;
    std::map<u64, DeferredAdds> done;   ///< sums of workgroups that are done before one with a lower index
    u64 added = 0;                      ///< workgroups whose sums are in memory

    void add_in_order(u64 index, DeferredAdds sums) {
        std::lock_guard<std::mutex> lock(order);
        done.emplace(index, std::move(sums));
        for (auto first = done.begin(); first != done.end() && first->first == added; first = done.erase(first), ++added)
            first->second.flush();
    }
};

struct Group : Workgroup {
    std::vector<std::unique_ptr<Wave>> owned;
};

std::string sentence(const Wave& wave, u32 pc, const std::string& message) {
    const Program& program = *wave.program;
    const Instr& instr     = program.instrs[pc];
    const Workgroup& group = *wave.group;
    char place[160];
    std::snprintf(place, sizeof(place), " at offset 0x%x, workgroup (%u, %u, %u), wave %u, on the simulated ", instr.offset, group.id[0],
                  group.id[1], group.id[2], wave.index);
    const bool quotes_text  = instr.def == nullptr;
    const std::string quote = quotes_text ? message : "'" + program.text(instr) + "' " + message;
    return "Kernel " + group.launch->kernel->name + ": " + quote + place + std::string(wave.gpu->name()) + " (" + program.file + ").";
}

class Worker {
public:
    Worker(Shared& shared, Observer* observer) : shared_(shared), observer_(observer) {}

    void run() {
        while (!shared_.stop) {
            // A group that is not done after its turn waits behind a new one, as on a GPU with room for several.
            if (resident_.empty() || (stalled_ && resident_.size() < kResidents)) {
                if (!take_group() && resident_.empty()) break;
            }
            Group& group = *resident_.front();
            stalled_     = !turn(group);
            if (shared_.stop) break;
            auto front = std::move(resident_.front());
            resident_.pop_front();
            if (stalled_) resident_.push_back(std::move(front));
            else free_.push_back(std::move(front));
        }
    }

    u64 instructions = 0;
    u64 waves        = 0;

private:
    static constexpr std::size_t kResidents = 64;

    bool take_group() {
        const u64 index = shared_.next.fetch_add(1);
        if (index >= shared_.groups) return false;
        const Launch& launch = shared_.launch;
        std::unique_ptr<Group> group;
        if (!free_.empty()) group = std::move(free_.back()), free_.pop_back();
        else group = std::make_unique<Group>();
        group->launch = &launch, group->index = index;
        group->id[0] = u32(index % launch.grid[0]);
        group->id[1] = u32(index / launch.grid[0] % launch.grid[1]);
        group->id[2] = u32(index / (u64(launch.grid[0]) * launch.grid[1]));
        group->lds.assign(launch.lds_bytes, 0xa5);
        const u32 items = launch.block[0] * launch.block[1] * launch.block[2], size = launch.kernel->wave_size;
        const u32 count = (items + size - 1) / size;
        while (group->owned.size() < count) group->owned.push_back(std::make_unique<Wave>());
        group->waves.clear();
        group->at_barrier = 0, group->running = count;
        for (u32 i = 0; i < count; ++i) {
            Wave& wave = *group->owned[i];
            start_wave(wave, *group, i);
            wave.observer = observer_;
            group->waves.push_back(&wave);
            if (observer_) observer_->start(wave);
        }
        waves += count;
        resident_.push_back(std::move(group));
        return true;
    }

    // Runs every wave until it waits or ends; true when the workgroup is done.
    bool turn(Group& group) {
        u64 budget = kTurn * group.waves.size();
        while (group.running > 0) {
            bool progress = false;
            for (Wave* wave : group.waves) {
                if (wave->state == State::yielded) wave->state = State::running;
                if (wave->state != State::running) continue;
                progress          = true;
                const u64 before  = wave->executed;
                if (!step(*wave)) return false;
                const u64 spent   = wave->executed - before;
                instructions += spent;
                budget -= spent < budget ? spent : budget;
                if (wave->state == State::ended) --group.running;
                else if (wave->state == State::barrier) ++group.at_barrier;
            }
            if (group.running > 0 && group.at_barrier == group.running) {
                group.at_barrier = 0;
                if (observer_) observer_->barrier(group);
                for (Wave* wave : group.waves) {
                    if (wave->state == State::barrier) wave->state = State::running;
                }
            } else if (!progress) {
                fail(*group.waves[0], FaultKind::invalid, "has waves that wait at a barrier that the others never reach");
                return false;
            }
            if (budget == 0 && group.running > 0) return false;
        }
        shared_.add_in_order(group.index, group.sums.take());
        return true;
    }

    bool step(Wave& wave) {
        u32 at = wave.pc;
        try {
            if (observer_) run_observed(wave, at);
            else run_plain(wave, at);
            return true;
        } catch (const Fault& fault) {
            fail_at(wave, at, fault.kind(), fault.what());
            return false;
        }
    }

    void check_limit(Wave& wave) {
        const u64 limit = shared_.launch.instruction_limit;
        if (limit && wave.executed >= limit)
            throw Fault(FaultKind::limit, "is where a wave stopped after the limit of " + std::to_string(limit) + " instructions");
        if (shared_.stop) wave.state = State::ended;
    }

    void run_plain(Wave& wave, u32& at) {
        const Instr* code = wave.program->instrs.data();
        const u64 count   = wave.program->instrs.size();
        const u64 end     = turn_end(wave);
        u64 executed      = wave.executed;
        while (wave.state == State::running) {
            at = wave.pc;
            if (at >= count) throw_outside(at);
            if (executed == end) break;
            ++executed, ++wave.pc;
            wave.executed = executed;
            code[at].run(wave, code[at]);
        }
        finish_turn(wave, end);
    }

    void run_observed(Wave& wave, u32& at) {
        const Instr* code = wave.program->instrs.data();
        const u64 count   = wave.program->instrs.size();
        const u64 end     = turn_end(wave);
        while (wave.state == State::running) {
            at = wave.pc;
            if (at >= count) throw_outside(at);
            if (wave.executed == end) break;
            ++wave.executed, ++wave.pc;
            observer_->before(wave, code[at]);
            code[at].run(wave, code[at]);
            observer_->after(wave, code[at]);
        }
        finish_turn(wave, end);
    }

    u64 turn_end(const Wave& wave) const {
        const u64 limit = shared_.launch.instruction_limit, turn = wave.executed + kTurn;
        return limit && limit < turn ? limit : turn;
    }

    void finish_turn(Wave& wave, u64 end) {
        if (wave.state == State::running && wave.executed == end) {
            check_limit(wave);
            if (wave.state == State::running) wave.state = State::yielded;
        }
    }

    [[noreturn]] static void throw_outside(u32& at) {
        at = 0;
        throw Fault(FaultKind::invalid, "is the first instruction of code that a wave left by a jump to no instruction");
    }

    void fail_at(const Wave& wave, u32 at, FaultKind kind, const std::string& message) {
        std::lock_guard<std::mutex> lock(shared_.mutex);
        if (shared_.outcome.ok)
            shared_.outcome.ok = false, shared_.outcome.kind = kind, shared_.outcome.error = sentence(wave, at, message);
        shared_.stop = true;
    }

    void fail(const Wave& wave, FaultKind kind, const std::string& message) { fail_at(wave, wave.pc ? wave.pc - 1 : 0, kind, message); }

    Shared& shared_;
    Observer* observer_;
    std::deque<std::unique_ptr<Group>> resident_;
    std::vector<std::unique_ptr<Group>> free_;
    bool stalled_ = false;
};

}  // namespace

LaunchOutcome run_launch(const Launch& launch, const EngineOptions& options) {
    Shared shared{launch, u64(launch.grid[0]) * launch.grid[1] * launch.grid[2]};
    unsigned threads = options.threads ? options.threads : std::thread::hardware_concurrency();
    if (threads == 0) threads = 1;
    if (threads > shared.groups) threads = unsigned(shared.groups ? shared.groups : 1);

    std::vector<std::unique_ptr<Worker>> workers;
    for (unsigned i = 0; i < threads; ++i) {
        std::unique_ptr<Observer> observer = options.observer ? options.observer() : nullptr;
        workers.push_back(std::make_unique<Worker>(shared, observer.get()));
        shared.outcome.observers.push_back(std::move(observer));
    }
    std::vector<std::thread> pool;
    for (unsigned i = 1; i < threads; ++i) pool.emplace_back([worker = workers[i].get()] { worker->run(); });
    workers[0]->run();
    for (std::thread& thread : pool) thread.join();
    for (const auto& worker : workers) {
        shared.outcome.wave_instructions += worker->instructions;
        shared.outcome.waves += worker->waves;
    }
    return std::move(shared.outcome);
}

}  // namespace gfxsim
