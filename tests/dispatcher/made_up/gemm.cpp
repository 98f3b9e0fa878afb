// SPDX-License-Identifier: MIT
// A GEMM kernel with made-up answers: N says which. It needs as many bytes of workspace as M says. Some move several
// elements at a time, and want sizes and addresses that suit that. MADE_UP_KIND is which of the kernels below it is.
#include <string>

#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/made_up/library.hpp"

namespace made_up {
namespace {

enum Answer {
    fine = 1,
    unsupported = 2,
    invalid = 3,
    wrong_gpu = 4,
    device_failed = 5,
    unknown = 6,
    talkative = 7,
    no_workspace = 8,
    second_launch_fails = 9
};

// What is not the same in all of them.
struct Kind {
    const char *name, *variant, *split_k, *fused_op;
    int d_count;
    const char *dtype_a = "fp16", *dtype_b = "fp16";
    int vector = 1;  // of A and B, along k; C has eight
};
[[maybe_unused]] constexpr Kind plain{"gemm_made_up", "standard", "none", "PassThrough", 0},
    batched{"gemm_made_up_batched", "batched", "none", "PassThrough", 0},
    grouped{"gemm_made_up_grouped", "grouped", "none", "PassThrough", 0},
    multi_d{"gemm_made_up_multi_d", "multi_d", "none", "MultiDAdd", 2},
    preshuffle{"gemm_made_up_preshuffle", "preshuffle", "none", "PassThrough", 0},
    split{"gemm_made_up_split", "standard", "workspace", "PassThrough", 0},
    vectors{"gemm_made_up_vectors", "standard", "none", "PassThrough", 0, "fp16", "fp16", 8},
    mixed{"gemm_made_up_mixed", "standard", "none", "PassThrough", 0, "fp8", "bf8", 16},
    packed{"gemm_made_up_packed", "standard", "none", "PassThrough", 0, "pk_fp4", "pk_fp4", 16},
    d_vectors{"gemm_made_up_d_vectors", "multi_d", "none", "MultiDAdd", 2, "fp16", "fp16", 8},
    preshuffle_vectors{"gemm_made_up_preshuffle_vectors", "preshuffle", "none", "PassThrough", 0, "fp16", "fp16", 8};
constexpr const Kind& kind = MADE_UP_KIND;

made_up_launches launches{};

bool suits(const ck_gemm_problem& p) {
    bool all = p.k % kind.vector == 0 && p.stride_a % kind.vector == 0 && p.stride_b % kind.vector == 0 &&
               p.n % 8 == 0 && p.stride_c % 8 == 0;
    for (const void* address : {p.a, p.b, static_cast<const void*>(p.c)})
        all = all && reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
    return kind.vector == 1 || all;
}

const ck_gemm_problem& gemm(const ck_problem* problem) { return *reinterpret_cast<const ck_gemm_problem*>(problem); }

}  // namespace

const char* describe() {
    static char text[2048];
    std::snprintf(text, sizeof(text),
                  R"({"abi_version": 2, "resources": null, "targets": "gfx942:64,gfx1100:32", "spec": {
        "family": "gemm", "name": "%s", "variant": "%s", "dtype_a": "%s", "dtype_b": "%s", "dtype_c": "fp16", "dtype_acc": "fp32", "layout": "rcr",
        "tile": [64, 64, 64], "waves": [2, 2, 1], "warp_tile": [32, 32, 16], "pipeline": "%s", "epilogue": "none", "scheduler": "none",
        "pad_m": true, "pad_n": true, "pad_k": true, "persistent": false, "split_k": "%s",
        "fused_op": "%s", "d_count": %d, "dtype_d": "fp16", "d_layout": "r"}})",
                  kind.name, kind.variant, kind.dtype_a, kind.dtype_b, kind.vector > 1 ? "vectors" : "made_up",
                  kind.split_k, kind.fused_op, kind.d_count);
    return text;
}

ck_kernel_status supports(const ck_problem* problem, const char*, char* why, std::size_t size) {
    switch (gemm(problem).n) {
        case unsupported: return say(CK_KERNEL_UNSUPPORTED, why, size, "gemm_made_up does not want to.");
        case invalid: return say(CK_KERNEL_INVALID, why, size, "gemm_made_up finds that absurd.");
        case wrong_gpu: return say(CK_KERNEL_WRONG_GPU, why, size, "gemm_made_up wants another GPU.");
        case device_failed: return say(CK_KERNEL_DEVICE_FAILED, why, size, "gemm_made_up lost its device.");
        case unknown:
            return say(static_cast<ck_kernel_status>(3 + 4), why, size, "gemm_made_up says what nobody knows.");
        case talkative: return say(CK_KERNEL_UNSUPPORTED, why, size, std::string(5000, 'x').c_str());
        default:
            return suits(gemm(problem)) ? CK_KERNEL_OK
                                        : say(CK_KERNEL_UNSUPPORTED, why, size,
                                              (std::string(kind.name) + " moves several elements at a time.").c_str());
    }
}

ck_kernel_status workspace_size(const ck_problem* problem, const char*, std::uint64_t* bytes, char* why,
                                std::size_t size) {
    if (gemm(problem).n == no_workspace)
        return say(CK_KERNEL_UNSUPPORTED, why, size, "gemm_made_up cannot say how much it needs.");
    *bytes = std::uint64_t(gemm(problem).m);
    for (std::int64_t i = 0; i < gemm(problem).group_count; ++i) *bytes += std::uint64_t(gemm(problem).groups[i].m);
    return CK_KERNEL_OK;
}

ck_kernel_status launch(const ck_problem* problem, const ck_launch_options* options, char* why, std::size_t size) {
    ++launches.count;
    launches.problem = gemm(problem);
    for (std::int64_t i = 0; i < launches.problem.group_count && i < 4; ++i)
        launches.groups[i] = launches.problem.groups[i];
    launches.options = *options;
    if (gemm(problem).n == second_launch_fails && launches.count == 2)
        return say(CK_KERNEL_DEVICE_FAILED, why, size, "gemm_made_up fell over.");
    return CK_KERNEL_OK;
}

ck_kernel_status phases(const ck_problem*, const char*, std::uint32_t* bits, char*, std::size_t) {
    *bits = CK_PHASE_COMPUTE | (kind.split_k[0] == 'w' ? CK_PHASE_COMBINE : 0u);
    return CK_KERNEL_OK;
}

}  // namespace made_up

extern "C" made_up_launches made_up_take_launches(void) {
    const made_up_launches taken = made_up::launches;
    made_up::launches = {};
    return taken;
}
