// SPDX-License-Identifier: MIT
#include "gfxsim/timing/compute_unit.hpp"

#include <algorithm>
#include <queue>

namespace gfxsim::timing {
namespace {

// Instructions that raise one of a wave's counters, in their order: when each and all before it are done.
class Pending {
public:
    void add(u64 done) {
        if (done_.size() == 2 * kMost) done_.erase(done_.begin(), done_.begin() + kMost);
        done_.push_back(done_.empty() ? done : std::max(done_.back(), done));
    }
    /// When no more than `left` are not done.
    u64 until(u64 left) const { return done_.size() > left ? done_[done_.size() - 1 - left] : 0; }

private:
    static constexpr int kMost = 64;  // that any counter counts
    std::vector<u64> done_;
};

struct WaveTime {
    const std::vector<Step>* steps = nullptr;
    std::size_t at = 0;
    u32 group = 0, wave = 0;
    int simd = 0;
    u64 came = 0;  ///< to the instruction at `at`
    std::array<Pending, kCounters> pending;
    std::vector<u64> matrix_ready;  ///< of each vector register: when a matrix instruction has written it
};

struct GroupTime {
    const GroupStream* stream = nullptr;
    u32 waves = 0, arrived = 0, ended = 0, first_wave = 0;
    u64 last = 0;
    u64 turn = 0;  ///< of its place on the unit: how many were there before
    std::vector<u32> waiting;
};

class Run {
public:
    Run(const Program& program, const std::vector<Cost>& costs, const Facts& facts, int simds, const Shares& shares,
        const std::vector<const GroupStream*>& groups, std::size_t resident, bool trace)
        : program_(program),
          costs_(costs),
          facts_(facts),
          path_(facts, shares),
          free_(std::size_t(simds)),
          trace_(trace) {
        result_.instructions.resize(program.instrs.size());
        result_.groups.resize(groups.size());
        if (!resident) resident = groups.size();
        int next = 0;
        for (u32 g = 0; g < groups.size(); ++g) {
            GroupTime group;
            group.stream = groups[g], group.waves = u32(groups[g]->waves.size()), group.turn = g / resident,
            group.first_wave = u32(waves_.size());
            for (u32 w = 0; w < group.waves; ++w) {
                WaveTime wave;
                wave.steps = &groups[g]->waves[w], wave.group = g, wave.wave = w, wave.simd = next++ % simds;
                waves_.push_back(std::move(wave));
            }
            groups_.push_back(std::move(group));
        }
        waited_.assign(waves_.size(), Cause::other);
        for (; started_ < std::min(resident, groups_.size()); ++started_) start(groups_[started_], 0);
    }

    UnitTime run() {
        while (!queue_.empty()) {
            const auto [now, index] = queue_.top();
            queue_.pop();
            step(waves_[index], index, now);
        }
        for (const GroupTime& group : groups_) result_.cycles = std::max(result_.cycles, group.last);
        result_.cycles += u64(facts_.end_cycles);
        return std::move(result_);
    }

private:
    using Event = std::pair<u64, u32>;

    void start(const GroupTime& group, u64 now) {
        for (u32 i = group.first_wave; i < group.first_wave + group.waves; ++i) {
            waves_[i].came = now + u64(facts_.start_cycles);
            waves_[i].matrix_ready.assign(kVectorRows + kWidestVector, 0);
            queue_.push({waves_[i].came, i});
        }
    }

    // The wave is at an instruction and could begin it now: does so, or comes back when it can.
    void step(WaveTime& wave, u32 index, u64 now) {
        if (wave.at == wave.steps->size()) return end(wave, now);
        const Step step = (*wave.steps)[wave.at];
        const Instr& instr = program_.instrs[step.instr];
        const Cost& cost = costs_[step.instr];
        Cause cause = Cause::other;
        const u64 begin = begins(wave, step, instr, cost, now, cause);
        if (begin > now) {
            waited_[index] = waited_[index] == Cause::other ? cause : waited_[index];
            return queue_.push({begin, index});
        }
        if (cost.barrier) return barrier(wave, index, now);
        u64 next = now + cost.issue + handing_over(wave, step);
        occupy(wave, step, instr, cost, now);
        if (cost.unit == Unit::branch && wave.at + 1 < wave.steps->size() &&
            (*wave.steps)[wave.at + 1].instr != step.instr + 1)
            next += u64(facts_.branch_cycles);
        pass(wave, index, step, next);
    }

    // When the instruction can begin, at the earliest `now`, and what keeps it.
    u64 begins(const WaveTime& wave, const Step& step, const Instr& instr, const Cost& cost, u64 now, Cause& cause) {
        u64 begin = now;
        const auto later = [&](u64 at, Cause why) {
            if (at > begin) begin = at, cause = why;
        };
        if (cost.wait) {
            for (int counter = 0; counter < kCounters; ++counter) {
                const u8 left = instr.mod.wait[std::size_t(counter)];
                if (left == kNoWait) continue;
                const bool near = Counter(counter) == Counter::lgkm || Counter(counter) == Counter::km;
                later(wave.pending[std::size_t(counter)].until(left), near ? Cause::lds_wait : Cause::memory_wait);
            }
            return begin;
        }
        const auto& free = free_[std::size_t(wave.simd)];
        switch (cost.unit) {
            case Unit::scalar:
            case Unit::branch: later(free[std::size_t(Unit::scalar)], Cause::scalar); break;
            case Unit::vector:
            case Unit::matrix:
                // Both begin by way of one port.
                later(free[std::size_t(Unit::vector)], Cause::vector);
                if (cost.unit == Unit::matrix) later(free[std::size_t(Unit::matrix)], Cause::matrix);
                for (int n = 0; n < instr.srcs; ++n)
                    later(matrix_ready(wave, instr.src[std::size_t(n)]), Cause::matrix);
                break;
            case Unit::lds:
                later(lds_free_ > u64(facts_.lds_queue_cycles) ? lds_free_ - u64(facts_.lds_queue_cycles) : 0,
                      Cause::lds);
                later(free[std::size_t(Unit::lds)], Cause::lds);
                break;
            case Unit::memory:
                later(free[std::size_t(Unit::memory)], Cause::memory);
                if (step.touch != kNoTouch) later(path_.accepts_at(begin), Cause::memory);
                break;
            default: break;
        }
        return begin;
    }

    u64 matrix_ready(const WaveTime& wave, const Operand& operand) const {
        if (!operand.is_vector()) return 0;
        u64 ready = 0;
        for (int i = 0; i < operand.dwords; ++i)
            ready = std::max(ready, wave.matrix_ready[std::size_t(operand.index) + std::size_t(i)]);
        return ready;
    }

    // Cycles in which a SIMD gives LDS or memory what the wave writes.
    u64 handing_over(const WaveTime& wave, const Step& step) const {
        if (step.touch == kNoTouch) return 0;
        const Touch& touch = groups_[wave.group].stream->touches[step.touch];
        return touch.use == Use::read ? 0 : u64(touch.bytes / facts_.data_bytes_per_cycle);
    }

    void occupy(WaveTime& wave, const Step& step, const Instr& instr, const Cost& cost, u64 now) {
        auto& free = free_[std::size_t(wave.simd)];
        const GroupStream& stream = *groups_[wave.group].stream;
        const Touch* touch = step.touch == kNoTouch ? nullptr : &stream.touches[step.touch];
        u64 done = now;
        switch (cost.unit) {
            case Unit::scalar:
            case Unit::branch:
                free[std::size_t(Unit::scalar)] = now + u64(facts_.issue_cycles);
                done = now + u64(facts_.scalar_latency);
                break;
            case Unit::vector: free[std::size_t(Unit::vector)] = now + cost.busy; break;
            case Unit::matrix:
                free[std::size_t(Unit::vector)] = now + cost.issue;
                free[std::size_t(Unit::matrix)] = now + cost.busy;
                result_.matrix_busy += cost.busy;
                for (int i = 0; i < instr.dst[0].dwords; ++i)
                    wave.matrix_ready[std::size_t(instr.dst[0].index) + std::size_t(i)] =
                        now + cost.busy + u64(facts_.matrix_result_cycles);
                break;
            case Unit::lds: {
                u64 cycles = touch ? std::max<u64>(1, touch->lds_cycles) : 2;
                if (touch && touch->use != Use::read)
                    cycles = std::max(cycles, u64(touch->bytes / facts_.lds_write_bytes_per_cycle));
                free[std::size_t(Unit::lds)] = now + u64(facts_.issue_cycles) + handing_over(wave, step);
                lds_free_ = std::max(lds_free_, now) + cycles;
                result_.lds_busy += cycles;
                done = lds_free_ + u64(facts_.lds_latency);
                break;
            }
            case Unit::memory:
                free[std::size_t(Unit::memory)] = now + u64(facts_.issue_cycles) + handing_over(wave, step);
                if (touch)
                    done = path_.access(now, *touch, stream.lines.data() + touch->first_line, groups_[wave.group].turn);
                break;
            default: break;
        }
        const Counter counter = instr.def->traits.counter;
        if (counter != Counter::none) wave.pending[std::size_t(counter)].add(done);
    }

    void barrier(const WaveTime& wave, u32 index, u64 now) {
        GroupTime& group = groups_[wave.group];
        group.waiting.push_back(index);
        if (++group.arrived < group.waves - group.ended) return;
        release(group, now);
    }

    void release(GroupTime& group, u64 now) {
        group.arrived = 0;
        std::vector<u32> waiting;
        waiting.swap(group.waiting);
        for (u32 index : waiting) {
            WaveTime& wave = waves_[index];
            waited_[index] = Cause::barrier;
            pass(wave, index, (*wave.steps)[wave.at], now + u64(facts_.barrier_cycles));
        }
    }

    // The wave goes on with its next instruction.
    void pass(WaveTime& wave, u32 index, const Step& step, u64 next) {
        Spent& spent = result_.instructions[step.instr];
        const u64 cycles = next - wave.came;
        const Cost& cost = costs_[step.instr];
        ++spent.times, spent.cycles += cycles;
        const u64 own = std::min<u64>(cycles, cost.issue);
        const Cause other = waited_[index] == Cause::other ? own_cause(cost) : waited_[index];
        const auto add = [&](Cause cause, u64 count) {
            result_.causes[std::size_t(cause)] += count;
            spent.causes[std::size_t(cause)] += count;
        };
        add(own_cause(cost), own);
        add(other, cycles - own);
        result_.wave_cycles += cycles;
        if (trace_ && result_.stretches.size() < kMostStretches)
            result_.stretches.push_back(
                {wave.group, wave.wave, step.instr, wave.came, next, cycles > 2 * own ? other : own_cause(cost)});
        else if (trace_) ++result_.left_out;
        waited_[index] = Cause::other;
        wave.came = next;
        ++wave.at;
        queue_.push({next, index});
    }

    static Cause own_cause(const Cost& cost) {
        switch (cost.unit) {
            case Unit::scalar:
            case Unit::branch: return Cause::scalar;
            case Unit::vector: return Cause::vector;
            case Unit::matrix: return Cause::matrix;
            case Unit::lds: return Cause::lds;
            case Unit::memory: return Cause::memory;
            default: return cost.barrier ? Cause::barrier : Cause::other;
        }
    }

    void end(WaveTime& wave, u64 now) {
        GroupTime& group = groups_[wave.group];
        group.last = std::max(group.last, now);
        ++group.ended;
        if (group.ended == group.waves) {
            result_.groups[wave.group] = group.last;
            if (started_ < groups_.size()) start(groups_[started_++], group.last + u64(facts_.end_cycles));
        } else if (group.arrived && group.arrived == group.waves - group.ended) release(group, now);
    }

    const Program& program_;
    const std::vector<Cost>& costs_;
    const Facts& facts_;
    MemoryPath path_;
    std::vector<std::array<u64, kUnits>> free_;
    u64 lds_free_ = 0;
    std::vector<WaveTime> waves_;
    std::vector<GroupTime> groups_;
    std::size_t started_ = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
    std::vector<Cause> waited_;  ///< of each wave: what its instruction waited for first
    bool trace_;
    UnitTime result_;
};

}  // namespace

const char* cause_name(Cause cause) {
    constexpr const char* kNames[] = {"scalar",   "vector",      "matrix",  "lds",  "memory",
                                      "lds wait", "memory wait", "barrier", "other"};
    return kNames[int(cause)];
}

UnitTime run_unit(const Program& program, const std::vector<Cost>& costs, const Facts& facts, int simds,
                  const Shares& shares, const std::vector<const GroupStream*>& groups, std::size_t resident,
                  bool trace) {
    return Run(program, costs, facts, simds, shares, groups, resident, trace).run();
}

}  // namespace gfxsim::timing
