// SPDX-License-Identifier: MIT
//
// Host pass only: the launches that a convolution takes on a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_kernel/host/grouped_conv/streams.hpp"  // before CK

#include "ck_kernel/host/grouped_conv/library.hpp"
#include "ck_kernel/host/grouped_conv/residues.hpp"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/plan/grouped_conv/implicit.hpp"

namespace ck_kernel::grouped_conv {

// Enqueues problems that check() has accepted, with a workspace of workspace_bytes().
template <typename Implicit>
class Work {
public:
    const Hip& hip;
    const Library& library;
    int wave_size;
    hipStream_t stream;
    void* workspace;
    std::uint32_t phases;

    hipError_t enqueue(const ck_grouped_conv_problem& p) const {
        if (phases & CK_PHASE_CLEAR)
            if (const auto error = clear(p)) return error;
        if (phases & CK_PHASE_COMPUTE)
            if (const auto error = compute(p)) return error;
        return phases & CK_PHASE_COMBINE ? add_up(p) : hipSuccess;
    }

private:
    using Args = typename Implicit::Args;
    using Sizes = grouped_conv::Sizes<Implicit::kSpatial>;
    using Residue = grouped_conv::Residue<Implicit::kSpatial>;

    static std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

    static Sizes sizes(const ck_grouped_conv_problem& p, std::int64_t images) {
        Sizes s{};
        const auto first = [&](auto& lengths, std::int64_t outer, std::int64_t channels) {
            lengths[0] = narrow(p.g);
            lengths[1] = narrow(outer);
            lengths[2] = narrow(channels);
        };
        first(s.x, images, p.c);
        first(s.w, p.k, p.c);
        first(s.y, images, p.k);
        for (int i = 0; i < Implicit::kSpatial; ++i) {
            s.x[i + 3] = narrow(p.axis[i].input);
            s.w[i + 3] = narrow(p.axis[i].filter);
            s.y[i + 3] = narrow(p.axis[i].output);
            s.stride[i] = narrow(p.axis[i].stride);
            s.dilation[i] = narrow(p.axis[i].dilation);
            s.left_pad[i] = narrow(p.axis[i].left_pad);
            s.right_pad[i] = narrow(p.axis[i].right_pad);
        }
        return s;
    }

    // A's descriptor has k first where the sum is over positions, B's where it is not along the channels of w.
    static auto product_of(const Sizes& s, const Residue& residue) {
        constexpr ck_tile::number<0> first{};
        constexpr ck_tile::number<1> second{};
        Product<typename Implicit::Descriptors> product{Implicit::Transform::descriptors(s, residue), 0, 0, 0, 0};
        const auto& a = product.descriptors.at(first);
        const auto& c = product.descriptors.at(ck_tile::number<2>{});
        product.m = c.get_length(first);
        product.n = c.get_length(second);
        product.k = Implicit::kDirection == Direction::backward_weight ? a.get_length(first) : a.get_length(second);
        return product;
    }

    // The whole result, which only the backward directions may need.
    hipError_t clear(const ck_grouped_conv_problem& p) const {
        const Config& c = library.config;
        const Extents extents(c, p);
        const bool images = c.direction == Direction::backward_data;
        const std::int64_t rows = images ? p.n : p.g;
        const auto width =
            static_cast<std::size_t>(images ? extents.image_x * bytes_x(c) : extents.group_w * bytes_w(c));
        return hip.memset_2d_async(images ? p.x : p.w, width, 0, width, static_cast<std::size_t>(rows), stream);
    }

    hipError_t compute(const ck_grouped_conv_problem& p) const {
        switch (library.config.direction) {
            case Direction::forward: return enqueue_images(p, &Work::enqueue_forward);
            case Direction::backward_data: return enqueue_images(p, &Work::enqueue_data);
            case Direction::backward_weight: break;
        }
        return enqueue_weight(p);
    }

    // Launches the products of a launch, which take the same loops.
    hipError_t launch(Args& args, std::int64_t workgroups, std::int64_t groups, std::int64_t layers) const {
        const Config& c = library.config;
        const std::int64_t k = args.products[0].k;
        const int loops = gemm::ceil_div(k, static_cast<std::int64_t>(args.k_batch) * c.gemm.tile.k);
        const gemm::Entry* entry = gemm::find_entry(c.gemm, library.entries, library.entry_count, loops);
        if (entry == nullptr) return hipErrorInvalidDeviceFunction;
        void* pointers[] = {&args};
        const dim3 grid(static_cast<unsigned>(workgroups), static_cast<unsigned>(groups / c.merged_groups),
                        static_cast<unsigned>(layers));
        return hip.launch_kernel(entry->function, grid,
                                 dim3(static_cast<unsigned>(gemm::block_size(c.gemm, wave_size))), pointers, 0, stream);
    }

    // In each layer of workgroups so many images, and from one layer to the next in elements.
    struct Layers {
        std::int64_t count, images, step_x, step_y;
    };
    using Enqueue = hipError_t (Work::*)(const ck_grouped_conv_problem&, const Layers&) const;

    // As many images at once as CK can address, one such part in each layer of workgroups, and then the rest.
    hipError_t enqueue_images(const ck_grouped_conv_problem& p, Enqueue enqueue_some) const {
        const Config& c = library.config;
        const Extents extents(c, p);
        const std::int64_t images = images_at_once(c, p);
        if (images == 0) return enqueue_bands(p, {p.n, 1, extents.image_x, extents.image_y}, enqueue_some);
        const std::int64_t rest = p.n % images;
        if (const auto error =
                (this->*enqueue_some)(p, {p.n / images, images, images * extents.image_x, images * extents.image_y}))
            return error;
        if (rest == 0) return hipSuccess;
        return (this->*enqueue_some)(moved(p, (p.n - rest) * extents.image_x, (p.n - rest) * extents.image_y),
                                     {1, rest, 0, 0});
    }

    // Band after band of all images, one image in each layer of workgroups.
    hipError_t enqueue_bands(const ck_grouped_conv_problem& p, const Layers& layers, Enqueue enqueue_some) const {
        const bool forward = Implicit::kDirection == Direction::forward;
        const std::int64_t most = rows_at_once(library.config, p), all = forward ? p.axis[0].output : p.axis[0].input;
        for (std::int64_t first = 0; first < all;) {
            const Band band = forward ? forward_band(p.axis[0], first, most) : backward_band(p.axis[0], first, most);
            first += forward ? band.axis.output : band.axis.input;
            if (band.axis.output < 1) continue;
            ck_grouped_conv_problem part =
                moved(p, layers.step_x / p.axis[0].input * band.input, layers.step_y / p.axis[0].output * band.output);
            part.axis[0] = band.axis;
            if (const auto error = (this->*enqueue_some)(part, layers)) return error;
        }
        return hipSuccess;
    }

    // The problem with its images further on, in elements.
    ck_grouped_conv_problem moved(ck_grouped_conv_problem p, std::int64_t x, std::int64_t y) const {
        p.x = static_cast<char*>(p.x) + x * bytes_x(library.config);
        p.y = static_cast<char*>(p.y) + y * bytes_y(library.config);
        return p;
    }

    hipError_t enqueue_forward(const ck_grouped_conv_problem& p, const Layers& layers) const {
        const Config& c = library.config;
        const Extents extents(c, p);
        Args args{};
        if (c.layout == Layout::channels_first) {
            args.a = p.w;
            args.b = p.x;
            args.group_a = extents.group_w;
            args.group_b = p.c * extents.inputs;
            args.group_c = p.k * extents.outputs;
            args.layer_b = layers.step_x;
        } else {
            args.a = p.x;
            args.b = p.w;
            args.group_a = p.c * c.merged_groups;
            args.group_b = extents.group_w * c.merged_groups;
            args.group_c = p.k * c.merged_groups;
            args.layer_a = layers.step_x;
        }
        args.c = p.y;
        args.d = p.d[0];
        args.group_d = p.k;
        args.layer_c = layers.step_y;
        args.k_batch = 1;
        args.count = 1;
        args.products[0] = product_of(sizes(p, layers.images), {});
        return launch(args, gemm::tile_count(c.gemm, args.products[0].m, args.products[0].n), p.g, layers.count);
    }

    // The products of all residues, in as few launches as their loops allow.
    hipError_t enqueue_data(const ck_grouped_conv_problem& p, const Layers& layers) const {
        const Config& c = library.config;
        const Extents extents(c, p);
        Args args{};
        args.a = p.y;
        args.b = p.w;
        args.c = p.x;
        args.group_a = p.k;
        args.group_b = extents.group_w;
        args.group_c = p.c;
        args.layer_a = layers.step_y;
        args.layer_c = layers.step_x;
        args.k_batch = 1;

        const Sizes s = sizes(p, layers.images);
        std::int64_t workgroups = 0;
        const auto flush = [&] {
            const auto error = args.count == 0 ? hipSuccess : launch(args, workgroups, p.g, layers.count);
            args.count = 0;
            workgroups = 0;
            return error;
        };
        hipError_t error = hipSuccess;
        // Once for each of the few loop variants, with the residues whose products take it.
        for (std::size_t i = 0; i < library.entry_count && error == hipSuccess; ++i) {
            for_each_residue(p.axis, Implicit::kSpatial, [&](const std::int64_t* residue) {
                const std::int64_t k = p.k * places(p.axis, Implicit::kSpatial, residue);
                if (error ||
                    !(gemm::loop_variant(c.gemm, gemm::ceil_div(k, c.gemm.tile.k)) == library.entries[i].variant))
                    return;
                Residue as_ck{};
                for (int axis = 0; axis < Implicit::kSpatial; ++axis) as_ck[axis] = narrow(residue[axis]);
                auto product = product_of(s, as_ck);
                if (product.m < 1) return;
                product.first_workgroup = narrow(workgroups);
                args.products[args.count++] = product;
                workgroups += gemm::tile_count(c.gemm, product.m, product.n);
                if (args.count == Implicit::kProducts) error = flush();
            });
            if (error == hipSuccess) error = flush();
        }
        return error;
    }

    hipError_t enqueue_weight(const ck_grouped_conv_problem& p) const {
        const Config& c = library.config;
        const Extents extents(c, p);
        const bool keeps_parts = c.gemm.split_k == gemm::SplitK::workspace;
        Args args{};
        args.a = p.y;
        args.b = p.x;
        args.c = keeps_parts ? workspace : p.w;
        args.group_a = p.k * c.merged_groups;
        args.group_b = p.c * c.merged_groups;
        args.group_c = extents.group_w * c.merged_groups;
        args.layer_c = keeps_parts ? p.g * extents.group_w : 0;
        args.k_batch = narrow(p.k_batch);
        args.count = 1;
        args.products[0] = product_of(sizes(p, p.n), {});
        return launch(args, gemm::tile_count(c.gemm, args.products[0].m, args.products[0].n), p.g, p.k_batch);
    }

    hipError_t add_up(const ck_grouped_conv_problem& p) const {
        const std::int64_t weights = p.g * Extents(library.config, p).group_w;
        gemm::AddPartsArgs parts{workspace, p.w, 1, weights, weights, p.k_batch};
        void* pointers[] = {&parts};
        constexpr std::int64_t most = 65536;  // each thread goes on by all of them
        const std::int64_t wanted = (weights + gemm::kAddPartsBlock - 1) / gemm::kAddPartsBlock;
        return hip.launch_kernel(library.add_parts, dim3(static_cast<unsigned>(wanted < most ? wanted : most)),
                                 dim3(gemm::kAddPartsBlock), pointers, 0, stream);
    }
};

}  // namespace ck_kernel::grouped_conv
