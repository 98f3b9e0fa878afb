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
    std::size_t held_bytes() const { return 0; }
};

struct Chosen {
    explicit Chosen(int number, std::size_t bytes = 100) : number(number), bytes(bytes) {}
    int number;
    std::size_t bytes;
    std::size_t held_bytes() const { return bytes; }
};

using Cache = SelectionCache<Shape, Chosen>;

// What one of 100 bytes takes with its shape and its place in the map.
std::size_t one_costs() {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<Chosen>(1));
    return cache.bytes();
}

TEST(SelectionCache, FindsWhatWasInserted) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<Chosen>(10));
    cache.insert({2}, 0, std::make_shared<Chosen>(20));
    EXPECT_EQ(cache.find({1}, 0)->number, 10);
    EXPECT_EQ(cache.find({2}, 0)->number, 20);
    EXPECT_EQ(cache.find({3}, 0), nullptr);
}

TEST(SelectionCache, ForgetsWhatAnotherVersionInserted) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<Chosen>(10));
    EXPECT_EQ(cache.find({1}, 1), nullptr);
    cache.insert({2}, 1, std::make_shared<Chosen>(20));
    EXPECT_EQ(cache.find({1}, 1), nullptr);
    EXPECT_EQ(cache.find({1}, 0), nullptr);
    EXPECT_EQ(cache.size(), 1u);
}

TEST(SelectionCache, TakesTheLaterOfTwoForOneShape) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<Chosen>(10));
    cache.insert({1}, 0, std::make_shared<Chosen>(11));
    EXPECT_EQ(cache.find({1}, 0)->number, 11);
    EXPECT_EQ(cache.size(), 1u);
}

TEST(SelectionCache, NeverHoldsMoreThanItsLimit) {
    Cache cache(3 * one_costs());
    for (int i = 0; i < 20; ++i) {
        cache.insert({i}, 0, std::make_shared<Chosen>(i));
        EXPECT_LE(cache.size(), 3u);
        EXPECT_EQ(cache.find({i}, 0)->number, i);
    }
}

// A plan of many groups takes a thousand times the room of a plain one.
TEST(SelectionCache, CountsBytesAndNotPlans) {
    Cache cache(10000);
    for (int i = 0; i < 100; ++i) {
        cache.insert({i}, 0, std::make_shared<Chosen>(i, 4000));
        EXPECT_LE(cache.bytes(), 10000u);
        EXPECT_LE(cache.size(), 2u);
    }
    cache.insert({1}, 0, std::make_shared<Chosen>(1, 4000));
    const std::size_t before = cache.bytes();
    cache.insert({1}, 0, std::make_shared<Chosen>(2, 3000));
    EXPECT_EQ(cache.bytes(), before - 1000);
    // One that is larger than all is not kept.
    cache.insert({2}, 0, std::make_shared<Chosen>(3, 20000));
    EXPECT_EQ(cache.find({2}, 0), nullptr);
    EXPECT_EQ(cache.bytes(), 0u);
}

TEST(SelectionCache, IsEmptyOnceCleared) {
    Cache cache;
    cache.insert({1}, 0, std::make_shared<Chosen>(10));
    cache.clear();
    EXPECT_EQ(cache.find({1}, 0), nullptr);
    EXPECT_EQ(cache.size(), 0u);
}

TEST(SelectionCache, AnswersManyThreadsAtOnce) {
    Cache cache(8 * one_costs());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&cache] {
            for (int i = 0; i < 2000; ++i) {
                const Shape shape{i % 16};
                if (const auto found = cache.find(shape, 0)) {
                    EXPECT_EQ(found->number, shape.size);
                }
                cache.insert(shape, 0, std::make_shared<Chosen>(shape.size));
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(cache.size(), 8u);
}

}  // namespace
}  // namespace ckdispatch
