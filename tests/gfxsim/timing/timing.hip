// SPDX-License-Identifier: MIT
// Kernels whose times can be told by hand.
#define GLOBAL extern "C" __attribute__((global))

using Four = float __attribute__((ext_vector_type(4)));

static __attribute__((device)) unsigned item() { return __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x(); }

// `trips` products of matrices, each of which needs the one before.
GLOBAL void products(const float* in, float* out, int trips, int) {
    Four sum      = {0, 0, 0, 0};
    const float a = in[__builtin_amdgcn_workitem_id_x()], b = in[__builtin_amdgcn_workitem_id_x() + 64];
    for (int i = 0; i < trips; ++i) sum = __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, sum, 0, 0, 0);
    out[item()] = sum[0] + sum[1] + sum[2] + sum[3];
}

// As a loop over tiles does, of which there are `tiles`, each of 100 products: whoever comes first has one more.
GLOBAL void tiles(const float* in, float* out, int tiles, int) {
    Four sum = {0, 0, 0, 0};
    for (unsigned tile = __builtin_amdgcn_workgroup_id_x(); tile < unsigned(tiles); tile += __builtin_amdgcn_grid_size_x() / 256)
        for (int i = 0; i < 100; ++i) sum = __builtin_amdgcn_mfma_f32_16x16x4f32(in[i], in[i + 64], sum, 0, 0, 0);
    out[item()] = sum[0] + sum[1] + sum[2] + sum[3];
}

// Each work item reads `trips` floats, `stride` floats from one to the next.
GLOBAL void stream(const float* in, float* out, int trips, int stride) {
    float sum = 0;
    for (int i = 0; i < trips; ++i) sum += in[item() + i * stride];
    out[item()] = sum;
}

// All workgroups wait until the second has set a flag, which is not in the sample.
GLOBAL void wait_for_the_second(const float*, float* out, int, int) {
    int* flag = (int*)out;
    if (__builtin_amdgcn_workgroup_id_x() == 1) {
        if (__builtin_amdgcn_workitem_id_x() == 0) __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        return;
    }
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) __builtin_amdgcn_s_sleep(1);
}
