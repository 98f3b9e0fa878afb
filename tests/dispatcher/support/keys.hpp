// SPDX-License-Identifier: MIT
// Keys, and kernels whose libraries nobody opens.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ckdispatch/fmha/registry.hpp"
#include "ckdispatch/gemm/registry.hpp"
#include "ckdispatch/grouped_conv/registry.hpp"

namespace ckdispatch::test {

inline GemmKey sample_key() {
    GemmKey key;
    key.variant = "standard", key.layout = "rcr";
    key.dtype_a = key.dtype_b = key.dtype_c = "fp16";
    key.dtype_acc = "fp32";
    key.tile = {128, 64, 32}, key.waves = {2, 2, 1}, key.warp_tile = {32, 32, 16};
    key.pipeline = "compv3", key.epilogue = "cshuffle", key.scheduler = "intrawave";
    key.pad_m = true;
    key.split_k = "none";
    key.fused_op = "PassThrough", key.dtype_d = "fp16", key.d_layout = "r";
    return key;
}

/// Differs from sample_key() in nothing but its tile.
inline GemmKey key_with_tile(int m, int n, int k) {
    GemmKey key = sample_key();
    key.tile = {m, n, k};
    return key;
}

inline Resources sample_resources(Name gpu = "gfx942") {
    Resources used;
    used.gpu = gpu;
    used.wave_size = 64, used.workgroup_size = 256;
    used.vgprs = 128, used.agprs = 32, used.sgprs = 40;
    used.lds_bytes = 16384;
    return used;
}

inline GroupedConvKey sample_conv_key(Name direction = "forward") {
    GroupedConvKey key;
    key.variant = direction, key.ndim_spatial = 2, key.layout = "nhwgc";
    key.dtype_x = key.dtype_w = key.dtype_y = "fp16";
    key.dtype_acc = "fp32";
    key.tile = {128, 64, 32}, key.waves = {2, 2, 1}, key.warp_tile = {32, 32, 16};
    key.pipeline = "compv3", key.epilogue = "cshuffle", key.scheduler = "intrawave";
    key.vector_a = 8, key.vector_b = 8, key.vector_c = 8;
    key.specialization = "default", key.split_k = "none", key.fused_op = "PassThrough";
    return key;
}

inline FmhaKey sample_fmha_key() {
    FmhaKey key;
    key.variant = "fwd", key.dtype = "fp16", key.mode = "batch", key.bias = "none", key.rotary = "none",
    key.pipeline = "qr";
    key.hdim_q = key.hdim_v = 64;
    key.mask = key.lse = true;
    key.tile = {128, 64, 32, 64, 32, 64}, key.waves = {4, 1, 1}, key.warp_tile = {32, 32, 16}, key.pads = {1, 1, 0, 0};
    key.occupancy = 2;
    return key;
}

/// A name that belongs to the key alone.
template <class Key>
std::string name_for(const Key& key) {
    std::string name;
    for (const char c : to_text(key)) name += c == '{' || c == '}' || c == '=' || c == ',' ? '_' : c;
    return name;
}

template <class Key>
std::shared_ptr<const Kernel<Key>> unopened_kernel(const Key& key, int priority = 0,
                                                   std::initializer_list<const char*> gpus = {"gfx942"}) {
    std::vector<Resources> resources;
    for (const char* gpu : gpus) resources.push_back(sample_resources(gpu));
    return std::make_shared<Kernel<Key>>(key, name_for(key), LibraryFile{"/nowhere/lib.so", std::string(64, 'a')},
                                         std::move(resources), priority);
}

}  // namespace ckdispatch::test
