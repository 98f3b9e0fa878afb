// SPDX-License-Identifier: MIT
#include <iterator>

#include "ckdispatch/capi/of_family.hpp"
#include "ckdispatch/capi/structures.hpp"
#include "ckdispatch/fmha/family.hpp"

namespace ckdispatch::capi {
namespace {

static_assert(CKD_FMHA_TENSORS == FmhaFamily::kCallersTensors);
static_assert(CKD_FMHA_MASK_TOP_LEFT == CK_FMHA_MASK_TOP_LEFT &&
              CKD_FMHA_MASK_BOTTOM_RIGHT == CK_FMHA_MASK_BOTTOM_RIGHT);

const char* word_of(std::int32_t index, std::initializer_list<const char*> words, const char* what) {
    if (index < 0 || std::size_t(index) >= words.size())
        throw InvalidArgumentError("An attention with a " + std::string(what) + " of the kind " +
                                   std::to_string(index) + " was asked for; there are kinds from 0 to " +
                                   std::to_string(words.size() - 1) + ".");
    return std::next(words.begin(), index)[0];
}

void read_strides(const ckd_fmha_problem& p, FmhaProblemBuilder& builder) {
    using Layout = FmhaProblemBuilder::Layout;
    if (p.layout < CKD_FMHA_LAYOUT_BSHD || p.layout > CKD_FMHA_LAYOUT_STRIDES)
        throw InvalidArgumentError("An attention with the layout " + std::to_string(p.layout) +
                                   " was asked for; it is 0 for bshd, 1 for bhsd, or 2 for strides.");
    builder.layout(p.layout == CKD_FMHA_LAYOUT_BSHD   ? Layout::bshd
                   : p.layout == CKD_FMHA_LAYOUT_BHSD ? Layout::bhsd
                                                      : Layout::strides);
    if (p.layout != CKD_FMHA_LAYOUT_STRIDES) return;
    FmhaProblem whole;
    whole.variant = "forward";
    for (std::size_t i = 0; i < CKD_FMHA_TENSORS; ++i)
        if (i != CKD_FMHA_BLOCK_TABLE)
            builder.strides(FmhaFamily::slot_of(whole, i), p.strides[i].row, p.strides[i].head, p.strides[i].batch);
}

FmhaProblem read(const ckd_problem& base) {
    using Structure = ckd_fmha_problem;
    const auto p =
        whole<Structure>(base, CKD_FMHA, sizeof(Structure),
                         "An attention was asked for with a structure that is no ckd_fmha_problem of this version.");
    if (!p.dtype) throw InvalidArgumentError("An attention was asked for without a dtype; fp16 is one.");
    FmhaProblemBuilder builder;
    builder.dtype(text(p.dtype, ""))
        .backward(p.backward != 0)
        .sizes(p.batch, p.heads_q, p.heads_k)
        .head_sizes(p.hdim_q, p.hdim_v)
        .lengths(p.seqlen_q, p.seqlen_k)
        .append(p.seqlen_new)
        .scale(p.scale)
        .soft_cap(p.soft_cap)
        .fp8_scales(p.scale_p, p.scale_o)
        .mask(FmhaProblemBuilder::Mask(p.mask), p.window_left, p.window_right)
        .sink_tokens(p.sink_tokens)
        .bias(word_of(p.bias, {"none", "elementwise", "alibi"}, "bias"))
        .rotary(word_of(p.rotary, {"none", "interleaved", "half"}, "rotation"), p.rotary_dim, p.rotary_positions)
        .dropout(p.p_drop, p.drop_seed, p.drop_offset)
        .split_kv(p.split_kv)
        .decode_rows(p.decode_rows)
        .deterministic(p.deterministic != 0)
        .alignment(p.alignment ? p.alignment : 16);
    if (p.group) builder.group(p.total_q, p.total_k);
    if (p.drop_on_device) builder.dropout_on_device(p.p_drop);
    if (p.page_rows || p.block_table_stride || p.kv_page_count) {
        builder.page_list(p.page_rows, p.pages, p.kv_page_count);
        if (p.block_table_stride) builder.pages(p.page_rows, p.pages, p.block_table_stride);
    } else {
        builder.cache(p.pages);
    }
    if (p.workspace_limit) builder.workspace_limit(p.workspace_limit);
    const auto with = [&](std::int32_t has, ck_fmha_tensor_index tensor) {
        if (has) builder.with(tensor);
    };
    with(p.sinks, CK_FMHA_SINK);
    with(p.has_lse, CK_FMHA_LSE);
    with(p.has_randval, CK_FMHA_RANDVAL);
    with(p.has_dbias, CK_FMHA_DBIAS);
    with(p.has_seqlen_q, CK_FMHA_SEQLEN_Q);
    with(p.has_seqlen_k, CK_FMHA_SEQLEN_K);
    with(p.has_cache_index, CK_FMHA_CACHE_INDEX);
    read_strides(p, builder);
    return builder.build();
}

}  // namespace

std::unique_ptr<FamilyDispatcher> make_fmha_dispatcher(const KernelRegistry& registry, Name gpu) {
    return std::make_unique<DispatcherOf<FmhaFamily, read>>(registry, gpu);
}

}  // namespace ckdispatch::capi
