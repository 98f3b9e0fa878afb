// SPDX-License-Identifier: MIT
// Generates 64 tokens one after the other with a cache of pages: each step turns a new key by its position, appends it,
// and attends to all before it, checked:
//     decode MANIFEST [DEVICE]
#include <cstdlib>
#include <iostream>

#include "dispatcher/examples/attention/attention.hpp"
#include "dispatcher/examples/attention/rotary.hpp"

using namespace ckdispatch;

namespace {

constexpr std::int64_t kHeads = 2, kHead = 64, kWidth = kHeads * kHead, kWords = 16, kTokens = 64, kPage = 128;

// A model of one layer: the embedding of a token is its q and k, and v is what it has to say.
// The next token is that whose embedding is most like what attention found.
std::size_t next_token(const std::vector<double>& embeddings, const std::vector<double>& o) {
    std::size_t best = 0;
    double most = -1e9;
    for (std::size_t word = 0; word < kWords; ++word) {
        double likeness = 0;
        for (std::size_t i = 0; i < kWidth; ++i) likeness += embeddings[word * kWidth + i] * o[i];
        if (likeness > most) most = likeness, best = word;
    }
    return best;
}

// The numbers of one token.
std::vector<std::uint16_t> row(const std::vector<double>& of, std::size_t token) {
    const auto first = of.begin() + std::ptrdiff_t(token * kWidth);
    return to_halves({first, first + kWidth});
}

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Room for 128 keys in page 2 of 3. One problem serves every step: seqlen_k, on the device, says how many keys
    // there are.
    const auto builder = FmhaProblemBuilder()
                             .dtype("fp16")
                             .sizes(1, kHeads)
                             .lengths(1, kPage)
                             .head_sizes(kHead)
                             .pages(kPage, 3, 1)
                             .with(CK_FMHA_SEQLEN_K);
    const auto problem = FmhaProblemBuilder(builder).append(1).rotary("half", kHead, kPage).build();
    Operands operands(device, problem);
    const auto [cosines, sines] = rotations(kPage, kHead);
    operands.put(CK_FMHA_ROTARY_COS, to_halves(cosines))
        .put(CK_FMHA_ROTARY_SIN, to_halves(sines))
        .put(CK_FMHA_BLOCK_TABLE, std::vector<std::int32_t>{2});
    const auto plan = dispatcher.select(problem);

    const auto embeddings = sixteenths(kWords * kWidth, 5), values = sixteenths(kWords * kWidth, 6);
    std::size_t token = 0;
    std::cout << "tokens";
    for (std::int32_t step = 0; step < kTokens; ++step) {
        operands.put(CK_FMHA_Q, row(embeddings, token))
            .put(CK_FMHA_K_NEW, row(embeddings, token))
            .put(CK_FMHA_V_NEW, row(values, token));
        operands.put(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{step});
        dispatcher.run_plan(*plan, operands);
        device->synchronize();
        token = next_token(embeddings, operands.numbers(CK_FMHA_O));
        std::cout << ' ' << token;
    }
    std::cout << '\n';

    // What the last step found, and the same of q and the cache as it left them.
    const auto o = operands.numbers(CK_FMHA_O);
    const auto last = builder.build();
    operands.put(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{kTokens});
    const int failed = run_and_check(dispatcher, last, Operands(device, last, &operands));
    return differing(o, operands.numbers(CK_FMHA_O), 2e-3) ? EXIT_FAILURE : failed;
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }
