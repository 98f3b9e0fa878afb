// SPDX-License-Identifier: MIT
#include "gfxsim/hip/interrupts.hpp"

#include <deque>

namespace gfxsim {
namespace {

std::atomic<u64> heard{0};
static_assert(std::atomic<u64>::is_always_lock_free, "a signal handler may use nothing that locks");

// The program's handler. What it points to is never changed or freed: a signal may still be on its way through a
// handler of before.
std::atomic<const struct sigaction*> target{nullptr};

void hear(int signal, siginfo_t* info, void* context) {
    heard.fetch_add(1, std::memory_order_relaxed);
    const struct sigaction* const program = target.load();
    if (program->sa_flags & SA_SIGINFO) program->sa_sigaction(signal, info, context);
    else program->sa_handler(signal);
}

bool is_ours(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == &hear; }

bool has_handler(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

bool same_handler(const struct sigaction& a, const struct sigaction& b) {
    const int flags = SA_SIGINFO;
    if ((a.sa_flags & flags) != (b.sa_flags & flags)) return false;
    return a.sa_flags & flags ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler;
}

// Programs have few handlers, so few are ever kept.
const struct sigaction* kept(const struct sigaction& action) {
    static std::deque<struct sigaction>& all = *new std::deque<struct sigaction>;
    for (const struct sigaction& known : all) {
        if (same_handler(known, action)) return &known;
    }
    all.push_back(action);
    return &all.back();
}

}  // namespace

Interruption interruption() { return {&heard, heard.load()}; }

InterruptWatch::InterruptWatch() {
    // Ours may be there already: a program that saved it during a launch has put it back. It leads on to the program's
    // all the same.
    if (sigaction(SIGINT, nullptr, &program_) != 0 || !has_handler(program_) || is_ours(program_)) return;
    target.store(kept(program_));
    // All else is as the program wants it: whether calls are restarted, on which stack, with what blocked.
    struct sigaction ours = program_, replaced;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = &hear;
    if (sigaction(SIGINT, &ours, &replaced) != 0) return;
    watches_ = same_handler(replaced, program_);
    // Another thread has just set a handler: it stays.
    if (!watches_) sigaction(SIGINT, &replaced, nullptr);
}

InterruptWatch::~InterruptWatch() {
    struct sigaction now;
    if (!watches_ || sigaction(SIGINT, nullptr, &now) != 0 || !is_ours(now)) return;
    sigaction(SIGINT, &program_, &now);
    if (!is_ours(now)) sigaction(SIGINT, &now, nullptr);
}

}  // namespace gfxsim
