// SPDX-License-Identifier: MIT
// A registry that many threads fill and read at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/dispatcher/support/keys.hpp"

namespace ckdispatch {
namespace {

using test::key_with_tile;
using test::name_for;
using test::unopened_kernel;

constexpr int kThreads = 8, kEach = 100;

/// Runs `body(thread)` in 8 threads that begin together.
template <class Body>
void together(Body&& body) {
    std::atomic<int> waiting{kThreads};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            --waiting;
            while (waiting) std::this_thread::yield();
            body(t);
        });
    for (std::thread& thread : threads) thread.join();
}

bool is_sorted_by_key(const Snapshot<GemmRegistry::KernelPtr>& kernels) {
    return std::is_sorted(kernels.begin(), kernels.end(),
                          [](const auto& a, const auto& b) { return a->key() < b->key(); });
}

TEST(RegistryThreads, FillItWithoutLosingAKernelWhileOthersRead) {
    GemmRegistry registry("mine");
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (int r = 0; r < 2; ++r)
        readers.emplace_back([&] {
            std::size_t before = 0;
            while (!done) {
                const auto snapshot = registry.kernels();
                // Kernels come and none goes: what a reader sees only grows, and is always in order.
                EXPECT_GE(snapshot.size(), before);
                EXPECT_TRUE(is_sorted_by_key(snapshot));
                before = snapshot.size();
                if (before) {
                    EXPECT_EQ(registry.find(snapshot[before - 1]->key()), snapshot[before - 1]);
                    EXPECT_EQ(registry.find_name(snapshot[0]->name()), snapshot[0]);
                }
                EXPECT_LE(registry.statistics().kernels, std::size_t(kThreads * kEach));
            }
        });
    together([&](int t) {
        for (int i = 0; i < kEach; ++i) registry.add(unopened_kernel(key_with_tile(i + 1, t + 1, 1)));
    });
    done = true;
    for (std::thread& reader : readers) reader.join();

    ASSERT_EQ(registry.size(), std::size_t(kThreads * kEach));
    EXPECT_EQ(registry.version(), std::uint64_t(kThreads * kEach));
    EXPECT_TRUE(is_sorted_by_key(registry.kernels()));
    for (int t = 0; t < kThreads; ++t)
        for (int i = 0; i < kEach; ++i)
            EXPECT_NE(registry.find_name(name_for(key_with_tile(i + 1, t + 1, 1))), nullptr);
}

TEST(RegistryThreads, ThatAddTheSameKernelsAddEachOnce) {
    GemmRegistry registry("mine");
    std::atomic<int> added{0}, refused{0};
    together([&](int) {
        for (int i = 0; i < kEach; ++i) {
            try {
                registry.add(unopened_kernel(key_with_tile(i + 1, 1, 1)));
                ++added;
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::duplicate);
                ++refused;
            }
        }
    });
    EXPECT_EQ(added, kEach);
    EXPECT_EQ(refused, (kThreads - 1) * kEach);
    EXPECT_EQ(registry.size(), std::size_t(kEach));
}

TEST(RegistryThreads, ThatMergeTheSameKernelsNeverLeaveSomeOfThem) {
    GemmRegistry registry("mine"), other("other");
    for (int i = 0; i < kEach; ++i) other.add(unopened_kernel(key_with_tile(i + 1, 1, 1)));
    std::atomic<int> merged{0};
    together([&](int) {
        try {
            registry.merge(other);
            ++merged;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::duplicate);
        }
        EXPECT_EQ(registry.size(), std::size_t(kEach));
    });
    EXPECT_EQ(merged, 1);
}

TEST(RegistryThreads, AddAndRemoveWithoutHarm) {
    GemmRegistry registry("mine");
    together([&](int t) {
        for (int i = 0; i < kEach; ++i) {
            const GemmKey key = key_with_tile(i + 1, t + 1, 1);
            registry.add(unopened_kernel(key));
            EXPECT_TRUE(registry.remove(name_for(key)));
            (void)registry.kernels();
        }
    });
    EXPECT_EQ(registry.size(), 0u);
    EXPECT_EQ(registry.kernels().size(), 0u);
}

}  // namespace
}  // namespace ckdispatch
