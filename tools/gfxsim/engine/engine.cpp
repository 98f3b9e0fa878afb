// SPDX-License-Identifier: MIT
#include "gfxsim/engine/engine.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "gfxsim/engine/order.hpp"

namespace gfxsim {
namespace {

// A workgroup that spins until another one has written something gives way after so many instructions of one wave.
constexpr u64 kTurn = u64(1) << 20;

constexpr u64 kNone = ~u64(0);

struct Shared {
    Shared(const Launch& of, u64 count, const EngineOptions& options)
        : launch(of),
          only(options.only),
          groups(only.empty() ? count : only.size()),
          interruption(options.interruption) {}

    const Launch& launch;
    const std::vector<u64>& only;
    u64 groups;  ///< to run
    Interruption interruption;
    std::atomic<u64> next{0};
    /// The lowest workgroup that failed. Those below it go on, so that the same one is reported however many threads
    /// there are.
    std::atomic<u64> failed{kNone};
    std::mutex mutex;
    LaunchOutcome outcome;
    OrderedSums sums;
    std::atomic<u64> executed{0};  ///< instructions of all waves, if they are limited

    /// Whether there is no point in going on with a workgroup.
    bool given_up(u64 index) const { return index >= failed; }

    void fail_all(FaultKind kind, const std::string& why) {
        fail(0, kind, "Kernel " + launch.kernel->name + ": " + why + ".");
    }

    /// Ends the launch if somebody wants it to end, or if it has taken more than it may.
    void go_on(u64 spent) {
        if (interruption.wanted())
            fail_all(FaultKind::interrupted, "the launch was interrupted after " +
                                                 std::to_string(std::min<u64>(next, groups)) + " of " +
                                                 std::to_string(groups) + " workgroups had begun");
        if (launch.launch_limit && executed.fetch_add(spent) + spent > launch.launch_limit)
            fail_all(FaultKind::limit, "the launch has taken more than its limit of " +
                                           std::to_string(launch.launch_limit) + " instructions");
    }

    void fail(u64 index, FaultKind kind, const std::string& sentence) {
        std::lock_guard<std::mutex> lock(mutex);
        if (index >= failed) return;
        failed = index;
        outcome.ok = false, outcome.kind = kind, outcome.error = sentence;
    }
};

struct Group : Workgroup {
    std::vector<std::unique_ptr<Wave>> owned;
};

std::string sentence(const Wave& wave, u32 pc, const std::string& message) {
    const Program& program = *wave.program;
    const Instr& instr = program.instrs[pc];
    const Workgroup& group = *wave.group;
    char place[160];
    std::snprintf(place, sizeof(place), " at offset 0x%x, workgroup (%u, %u, %u), wave %u, on the simulated ",
                  instr.offset, group.id[0], group.id[1], group.id[2], wave.index);
    const bool quotes_text = instr.def == nullptr;
    const std::string quote = quotes_text ? message : "'" + program.text(instr) + "' " + message;
    return "Kernel " + group.launch->kernel->name + ": " + quote + place + std::string(wave.gpu->name()) + " (" +
           program.file + ").";
}

class Worker {
public:
    Worker(Shared& shared, Observer* observer) : shared_(shared), observer_(observer) {}

    void run() {
        try {
            run_groups();
        } catch (const std::bad_alloc&) {
            shared_.fail_all(FaultKind::out_of_memory, "there is not enough memory to simulate it");
        } catch (const std::exception& error) {
            // Not a fault of the kernel's; all the same it must not end the process.
            shared_.fail_all(FaultKind::unsupported, std::string("the simulator cannot go on (") + error.what() + ")");
        }
    }

    u64 instructions = 0;
    u64 waves = 0;

private:
    static constexpr std::size_t kResidents = 64;

    void run_groups() {
        while (true) {
            // A group that is not done after its turn waits behind a new one, as on a GPU with room for several.
            if (resident_.empty() || (stalled_ && resident_.size() < kResidents)) {
                if (!take_group() && resident_.empty()) break;
            }
            auto group = std::move(resident_.front());
            resident_.pop_front();
            // A group that waits when another has failed may wait for that one.
            stalled_ = !shared_.given_up(group->index) && !turn(*group) && shared_.failed == kNone;
            (stalled_ ? resident_ : free_).push_back(std::move(group));
        }
    }

    bool take_group() {
        const u64 turn = shared_.next.fetch_add(1);
        if (turn >= shared_.groups) return false;
        const u64 index = shared_.only.empty() ? turn : shared_.only[turn];
        if (shared_.given_up(index)) return false;
        const Launch& launch = shared_.launch;
        std::unique_ptr<Group> group;
        if (!free_.empty()) group = std::move(free_.back()), free_.pop_back();
        else group = std::make_unique<Group>();
        group->launch = &launch, group->index = index;
        group->id[0] = u32(index % launch.grid[0]);
        group->id[1] = u32(index / launch.grid[0] % launch.grid[1]);
        group->id[2] = u32(index / (u64(launch.grid[0]) * launch.grid[1]));
        group->lds.assign(launch.lds_bytes, kPoisonByte);
        group->sums = {};
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

    // Runs every wave until it waits or ends; false when the workgroup waits for another, or is given up.
    bool turn(Group& group) {
        u64 budget = kTurn * group.waves.size();
        while (group.running > 0) {
            for (Wave* wave : group.waves) {
                if (wave->state == State::yielded) wave->state = State::running;
                if (wave->state != State::running) continue;
                const u64 before = wave->executed;
                if (!step(*wave)) return false;
                const u64 spent = wave->executed - before;
                instructions += spent;
                shared_.go_on(spent);
                if (shared_.given_up(group.index)) return false;
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
            }
            if (group.running > 0 && budget == 0) return false;
        }
        shared_.sums.done(group.index, group.sums.take());
        return true;
    }

    bool step(Wave& wave) {
        u32 at = wave.pc;
        try {
            if (observer_) wave.skips_vector ? run_until<true, true>(wave, at) : run_until<true, false>(wave, at);
            else wave.skips_vector ? run_until<false, true>(wave, at) : run_until<false, false>(wave, at);
            return true;
        } catch (const Fault& fault) {
            fail(wave, at, fault.kind(), fault.what());
            return false;
        }
    }

    // `at` follows the instruction that is running, for whoever catches its fault. A wave yields when it begins or ends
    // to skip.
    template <bool observed, bool skipping>
    void run_until(Wave& wave, u32& at) {
        const Instr* code = wave.program->instrs.data();
        const u64 count = wave.program->instrs.size();
        const u64 limit = shared_.launch.instruction_limit, turn = wave.executed + kTurn;
        const u64 end = limit && limit < turn ? limit : turn;
        while (wave.state == State::running && wave.executed != end) {
            if (wave.pc >= count)
                throw Fault(FaultKind::invalid, "is the last instruction before a wave goes on where there is none");
            at = wave.pc++;
            ++wave.executed;
            if constexpr (skipping) {
                if (code[at].def && is_vector(code[at].def->traits.klass)) continue;
            }
            if constexpr (observed) observer_->before(wave, code[at]);
            code[at].run(wave, code[at]);
            if constexpr (observed) observer_->after(wave, code[at]);
        }
        if (wave.state != State::running) return;
        if (limit && wave.executed >= limit)
            throw Fault(FaultKind::limit,
                        "is where a wave stopped after the limit of " + std::to_string(limit) + " instructions");
        wave.state = State::yielded;
    }

    void fail(const Wave& wave, u32 at, FaultKind kind, const std::string& message) {
        shared_.fail(wave.group->index, kind, sentence(wave, at, message));
    }

    Shared& shared_;
    Observer* observer_;
    std::deque<std::unique_ptr<Group>> resident_;
    std::deque<std::unique_ptr<Group>> free_;
    bool stalled_ = false;
};

/// While it lives, threads that are made take none of the program's signals, for which the program has threads of its
/// own. Those that an instruction of the thread itself causes reach it all the same.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, own);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

}  // namespace

LaunchOutcome run_launch(const Launch& launch, const EngineOptions& options) {
    Shared shared{launch, u64(launch.grid[0]) * launch.grid[1] * launch.grid[2], options};
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
    try {
        const SignalsBlocked blocked;
        for (unsigned i = 1; i < threads; ++i) pool.emplace_back([worker = workers[i].get()] { worker->run(); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
        // Threads that the machine does not give are done without.
    }
    workers[0]->run();
    for (std::thread& thread : pool) thread.join();
    for (const auto& worker : workers) {
        shared.outcome.wave_instructions += worker->instructions;
        shared.outcome.waves += worker->waves;
    }
    return std::move(shared.outcome);
}

}  // namespace gfxsim
