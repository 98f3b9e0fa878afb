// SPDX-License-Identifier: MIT
// Which problems a kernel computes.
#include "ckdispatch/fmha/family.hpp"

#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

std::string quoted(Name word) { return std::string(word.text()); }

// The same checks without their sentences.
class QuickChecks {
public:
    template <class Why>
    QuickChecks& check(bool holds, Why&&) {
        fits_ = fits_ && holds;
        return *this;
    }
    bool fits() const { return fits_; }

private:
    bool fits_ = true;
};

std::string without(const char* what, bool has) {
    return has ? std::string("computes with ") + what + ", which was not asked for."
               : std::string("computes without ") + what + ".";
}

std::string by_pages(bool paged) {
    return paged ? "finds keys by a table of pages." : "finds keys without a table of pages.";
}

std::string parts_of(const FmhaKey& key, const FmhaProblem& p) {
    return "has parts of " + std::to_string(key.tile[1]) + " keys, not of " + std::to_string(p.part_keys) + ".";
}

std::string either(bool which, const char* one, const char* other) { return which ? one : other; }

bool is_attention(Name variant) {
    const FmhaWords& words = fmha_words();
    return variant == words.fwd || variant == words.splitkv || variant == words.pagedkv ||
           variant == words.batch_prefill;
}

// Whether tiles of a kernel need not end where rows or keys do.
bool ends_fit(bool pads, std::int64_t extent, int tile, bool vary) {
    return pads || (!vary && extent > 0 && tile > 0 && extent % tile == 0);
}

bool head_fits(int bucket, int pad, std::int64_t size) {
    return size == bucket || (size < bucket && pad && size % pad == 0);
}

template <class Checker>
void check_heads(Checker& checks, const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const bool by_q = p.variant != words.combine && p.variant != words.dot_do_o && p.variant != words.sink;
    const bool by_v = p.variant != words.convert_dq && p.variant != words.sum;
    const auto sizes = [&] {
        return "is for heads of " + std::to_string(key.hdim_q) + " and " + std::to_string(key.hdim_v) + ", not " +
               std::to_string(p.hdim_q) + " and " + std::to_string(p.hdim_v) + ".";
    };
    checks.check((!by_q || p.hdim_q <= key.hdim_q) && (!by_v || p.hdim_v <= key.hdim_v), sizes);
    if (p.variant == words.sum || p.variant == words.sink) return;
    // Of backward kernels the pad says of what smaller heads are a multiple.
    const bool q_fits = !by_q || head_fits(key.hdim_q, key.pads[FmhaKey::head_q], p.hdim_q);
    const bool v_fits = !by_v || head_fits(key.hdim_v, key.pads[FmhaKey::head_v], p.hdim_v);
    checks.check(q_fits && v_fits, sizes);
}

// What fwd, splitkv, pagedkv, batch_prefill and dq_dk_dv have in common.
template <class Checker>
void check_scores(Checker& checks, const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    checks
        .check(key.bias == p.bias,
               [&] { return "computes with the bias " + quoted(key.bias) + ", not " + quoted(p.bias) + "."; })
        .check(key.mask || !p.masked(), [&] { return without("a mask", key.mask); })
        .check(key.soft_cap == (p.soft_cap > 0), [&] { return without("a soft cap", key.soft_cap); })
        .check(key.dropout || p.p_drop == 0, [&] { return without("dropout", key.dropout); })
        .check(key.scales || p.scale_p == 0, [&] { return without("scales of p and o", key.scales); })
        .check(key.pipeline != words.v3 || p.window_left < 0,
               [] { return std::string("has masks that begin with the first key, and not a window."); });
}

template <class Checker>
void check_forward(Checker& checks, const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const bool table = p.has(CK_FMHA_BLOCK_TABLE), splits = p.variant == words.splitkv,
               prefill = p.variant == words.batch_prefill;
    if (!splits) checks.check(key.lse == p.has(CK_FMHA_LSE) || p.spare_lse, [&] { return without("lse", key.lse); });
    if (!prefill) {
        checks.check(key.paged == table, [&] { return by_pages(key.paged); })
            .check(!table || (key.tile[1] && p.page_rows % key.tile[1] == 0), [&] {
                return "takes pages of multiples of " + std::to_string(key.tile[1]) + " rows, not of " +
                       std::to_string(p.page_rows) + ".";
            });
    }
    const bool own_keys = p.group || p.has(CK_FMHA_SEQLEN_K) || prefill || splits,
               own_rows = p.group || p.has(CK_FMHA_SEQLEN_Q);
    // Rows of q that are the heads of a group.
    const std::int64_t rows = key.merged ? p.heads_q / p.heads_k : p.seqlen_q;
    checks
        .check(!key.merged || (p.seqlen_q == 1 && p.heads_q != p.heads_k && !p.masked()),
               [] { return std::string("takes the heads of a group together, of one row without a mask."); })
        .check(key.skip_min || !p.skipped_rows, [] { return std::string("leaves out no sequences of few rows."); })
        .check(ends_fit(key.pads[FmhaKey::rows], rows, key.tile[0], own_rows),
               [&] { return "takes multiples of " + std::to_string(key.tile[0]) + " rows."; })
        .check(ends_fit(key.pads[FmhaKey::keys], p.seqlen_k, key.tile[1], own_keys),
               [&] { return "takes multiples of " + std::to_string(key.tile[1]) + " keys."; });
}

template <class Checker>
void check_gradient(Checker& checks, const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const bool small = key.pipeline == words.qr_trload;
    checks
        .check(key.bias_grad == p.has(CK_FMHA_DBIAS),
               [&] { return without("the gradient of the bias", key.bias_grad); })
        .check(key.deterministic == p.deterministic,
               [&] { return either(key.deterministic, "adds in one order.", "adds its parts in any order."); })
        .check(!p.part_keys || key.tile[1] == p.part_keys, [&] { return parts_of(key, p); })
        .check(small == p.has(CK_FMHA_DQ),
               [&] { return either(small, "writes dq itself.", "writes parts of dq that are converted after it."); })
        .check(!small || (p.seqlen_q <= key.tile[0] && !p.masked() && !p.group),
               [&] { return "takes at most " + std::to_string(key.tile[0]) + " rows, without a mask."; });
}

template <class Checker>
void check_all(Checker& checks, const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    checks
        .check(key.variant == p.variant,
               [&] { return "computes " + quoted(key.variant) + ", not " + quoted(p.variant) + "."; })
        .check(key.dtype == p.dtype,
               [&] { return "computes in " + quoted(key.dtype) + ", not " + quoted(p.dtype) + "."; })
        .check((key.mode == words.group) == p.group || p.variant == words.sink,
               [&] { return "is for sequences of the mode " + quoted(key.mode) + "."; });
    check_heads(checks, key, p);
    if (is_attention(p.variant)) {
        check_scores(checks, key, p);
        check_forward(checks, key, p);
    } else if (p.variant == words.dq_dk_dv) {
        check_scores(checks, key, p);
        check_gradient(checks, key, p);
    } else if (p.variant == words.convert_dq) {
        checks
            .check(key.deterministic == p.deterministic,
                   [&] { return either(key.deterministic, "adds up parts.", "converts one part."); })
            .check(!p.part_keys || key.tile[1] == p.part_keys, [&] { return parts_of(key, p); });
    } else if (p.variant == words.combine) {
        checks.check(key.lse == p.has(CK_FMHA_LSE) || p.spare_lse, [&] { return without("lse", key.lse); })
            .check(p.parts <= key.max_splits,
                   [&] {
                       return "combines up to " + std::to_string(key.max_splits) + " parts, not " +
                              std::to_string(p.parts) + ".";
                   })
            .check(key.scales || p.scale_o == 0, [&] { return without("a scale of o", key.scales); });
    } else if (p.variant == words.appendkv) {
        checks
            .check(key.rotary == p.rotary,
                   [&] { return "rotates by " + quoted(key.rotary) + ", not " + quoted(p.rotary) + "."; })
            .check(key.paged == p.paged(), [&] { return by_pages(key.paged); });
    }
}

}  // namespace

bool FmhaFamily::fits(const FmhaKey& key, const FmhaProblem& problem, const arch::GpuSpec&) {
    QuickChecks checks;
    check_all(checks, key, problem);
    return checks.fits();
}

Mismatch FmhaFamily::mismatch(const FmhaKey& key, const FmhaProblem& problem, const arch::GpuSpec&) {
    Checks checks;
    check_all(checks, key, problem);
    return checks.result();
}

bool FmhaFamily::needs(const FmhaKey& key, const FmhaProblem& problem, std::size_t slot) {
    return slot != CK_FMHA_LSE || !problem.spare_lse || key.lse;
}

template class Selector<FmhaFamily>;
template class Dispatcher<FmhaFamily>;

}  // namespace ckdispatch
