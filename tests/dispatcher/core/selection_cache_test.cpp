// SPDX-License-Identifier: MIT
#include "ckdispatch/core/selection_cache.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ckdispatch {
namespace {

struct Shape {
    int size;
    friend bool operator==(Shape a, Shape b) { return a.size == b.size; }
    // All in one bucket: only equality may tell shapes apart.
    std::size_t hash() const { return 0; }
};

using Cache = SelectionCache<Shape, int>;

TEST(SelectionCache, FindsWhatWasInserted) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<int>(10));
    cache.insert({2}, 0, std::make_shared<int>(20));
    EXPECT_EQ(*cache.find({1}, 0), 10);
    EXPECT_EQ(*cache.find({2}, 0), 20);
    EXPECT_EQ(cache.find({3}, 0), nullptr);
}

TEST(SelectionCache, ForgetsWhatAnotherVersionInserted) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<int>(10));
    EXPECT_EQ(cache.find({1}, 1), nullptr);
    cache.insert({2}, 1, std::make_shared<int>(20));
    EXPECT_EQ(cache.find({1}, 1), nullptr);
    EXPECT_EQ(cache.find({1}, 0), nullptr);
    EXPECT_EQ(cache.size(), 1u);
}

TEST(SelectionCache, TakesTheLaterOfTwoForOneShape) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<int>(10));
    cache.insert({1}, 0, std::make_shared<int>(11));
    EXPECT_EQ(*cache.find({1}, 0), 11);
    EXPECT_EQ(cache.size(), 1u);
}

TEST(SelectionCache, NeverHoldsMoreThanItsLimit) {
    Cache cache(3);
    for (int i = 0; i < 20; ++i) {
        cache.insert({i}, 0, std::make_shared<int>(i));
        EXPECT_LE(cache.size(), 3u);
        EXPECT_EQ(*cache.find({i}, 0), i);
    }
}

TEST(SelectionCache, IsEmptyOnceCleared) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<int>(10));
    cache.clear();
    EXPECT_EQ(cache.find({1}, 0), nullptr);
    EXPECT_EQ(cache.size(), 0u);
}

TEST(SelectionCache, AnswersManyThreadsAtOnce) {
    Cache cache(8);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&cache] {
            for (int i = 0; i < 2000; ++i) {
                const Shape shape{i % 16};
                if (const auto found = cache.find(shape, 0)) {
                    EXPECT_EQ(*found, shape.size);
                }
                cache.insert(shape, 0, std::make_shared<int>(shape.size));
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(cache.size(), 8u);
}

}  // namespace
}  // namespace ckdispatch
