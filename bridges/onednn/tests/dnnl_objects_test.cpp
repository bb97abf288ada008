// SPDX-License-Identifier: Apache-2.0
// The classes of dnnl.hpp that are not operations (engine, stream, memory, descriptors, attributes,
// post-ops), what they answer, and the exceptions they throw, on both engines.
#include "dnnl_rig.hpp"

using namespace dnnl;

namespace
{

const dims image = {2, 4, 5, 5};

void engines(const rig &r)
{
    const auto kind = r.engine.get_kind();
    EXPECT(engine::get_count(kind) >= 1);
    EXPECT(throws(dnnl_invalid_arguments, [&] { engine(kind, 1000); }));
    EXPECT(r.stream.get_engine().get_kind() == kind);
    stream other(r.engine, stream::flags::in_order);
    other.wait();
    EXPECT(throws(dnnl_invalid_arguments,
            [&] { stream(r.engine, static_cast<stream::flags>(1 << 10)); }));
}

void descriptors(const rig &)
{
    const memory::desc nhwc(image, type::f32, tag::nhwc);
    EXPECT(nhwc.get_ndims() == 4 && nhwc.get_dims() == image && nhwc.get_size() == 800);
    EXPECT(nhwc.get_strides() == dims({100, 1, 20, 4}) && nhwc.get_inner_nblks() == 0);
    EXPECT(nhwc.get_data_type() == type::f32);
    EXPECT(nhwc.get_format_kind() == memory::format_kind::blocked);
    EXPECT(nhwc == memory::desc(image, type::f32, dims({100, 1, 20, 4})));

    // A layout that has a number in oneDNN and a name alone in Prim.
    const memory::desc blocked({16, 16, 3, 3}, type::s8, tag::ABcd4b16a4b);
    EXPECT(blocked.get_inner_blks() == dims({4, 16, 4}));
    EXPECT(blocked.get_inner_idxs() == dims({1, 0, 1}));
    const memory::desc padded({2, 3, 5, 5}, type::f32, tag::aBcd8b);
    EXPECT(padded.get_padded_dims() == dims({2, 8, 5, 5}));
    EXPECT(padded.get_size() == 2 * 8 * 25 * sizeof(float));

    const memory::desc part = nhwc.submemory_desc({1, 4, 5, 5}, {1, 0, 0, 0});
    EXPECT(part.get_submemory_offset() == 100 && part.get_dims() == dims({1, 4, 5, 5}));
    EXPECT(nhwc.permute_axes({0, 3, 1, 2}).get_dims() == dims({2, 5, 5, 4}));
    const memory::desc flat = memory::desc(image, type::f32, tag::nchw).reshape({2, 100});
    EXPECT(flat.get_strides() == dims({100, 1}));
    memory::desc copy = nhwc;
    EXPECT(memory::desc(copy.get_blob()) == nhwc);

    EXPECT(memory::desc().is_zero() && memory::desc().get_size() == 0);
    const memory::desc any(image, type::f32, tag::any);
    EXPECT(any.get_format_kind() == memory::format_kind::any && any != nhwc);
    EXPECT(throws(dnnl_invalid_arguments, [] { memory::desc({2, 3}, type::f32, tag::nchw); }));
    EXPECT(throws(dnnl_invalid_arguments, [] { memory::desc({2, -3}, type::f32, tag::ab); }));
    EXPECT(throws(dnnl_unimplemented, [] { memory::desc::coo({2, 3}, type::f32, 2, type::s32); }));
    EXPECT(throws(dnnl_unimplemented, [] { memory::desc::host_scalar(type::f32); }));
    EXPECT(memory::data_type_size(type::bf16) == 2);
}

void memories(const rig &r)
{
    const values x = rig::some(image, 1);
    const memory owned = r.make(image, x);
    EXPECT(owned.get_desc() == r.md(image));
    EXPECT(owned.get_engine().get_kind() == r.engine.get_kind());
    EXPECT(r.read(owned) == x);

    memory none(r.md(image), r.engine, DNNL_MEMORY_NONE);
    EXPECT(none.get_data_handle() == nullptr);
    none.set_data_handle(owned.get_data_handle());
    EXPECT(none.get_data_handle() == owned.get_data_handle() && r.read(none) == x);

    // A memory of no tensor, as programs make one for a scratchpad that is not needed.
    const memory empty(memory::desc(), r.engine);
    EXPECT(empty.get_desc().get_size() == 0);
    EXPECT(throws(dnnl_invalid_arguments, [&] { memory({image, type::f32, tag::any}, r.engine); }));
}

void chains(const rig &)
{
    post_ops chain;
    chain.append_sum(2.f, 0, type::f32);
    chain.append_eltwise(algorithm::eltwise_clip, -1.f, 3.f);
    chain.append_binary(algorithm::binary_add, memory::desc({1, 4, 1, 1}, type::f32, tag::nchw));
    chain.append_prelu(2);
    EXPECT(chain.len() == 4 && chain.kind(1) == primitive::kind::eltwise);

    float scale = 0, alpha = 0, beta = 0;
    int32_t zero_point = 1;
    int mask = 0;
    type data_type = type::undef;
    algorithm alg = algorithm::undef;
    memory::desc operand;
    chain.get_params_sum(0, scale, zero_point, data_type);
    EXPECT(scale == 2.f && zero_point == 0 && data_type == type::f32);
    chain.get_params_eltwise(1, alg, alpha, beta);
    EXPECT(alg == algorithm::eltwise_clip && alpha == -1.f && beta == 3.f);
    chain.get_params_binary(2, alg, operand);
    EXPECT(alg == algorithm::binary_add && operand.get_dims() == dims({1, 4, 1, 1}));
    chain.get_params_prelu(3, mask);
    EXPECT(mask == 2);
    EXPECT(throws(dnnl_invalid_arguments, [&] { chain.get_params_prelu(0, mask); }));

    primitive_attr attr;
    attr.set_post_ops(chain);
    EXPECT(attr.get_post_ops().len() == 4);
    const primitive_attr copy = attr;
    EXPECT(copy.get_post_ops().len() == 4);
}

void attributes(const rig &)
{
    primitive_attr attr;
    EXPECT(attr.get_scratchpad_mode() == scratchpad_mode::library);
    attr.set_scratchpad_mode(scratchpad_mode::user);
    EXPECT(attr.get_scratchpad_mode() == scratchpad_mode::user);
    attr.set_fpmath_mode(fpmath_mode::bf16, true);
    fpmath_mode mode = fpmath_mode::strict;
    bool is_for_integers = false;
    attr.get_fpmath_mode(mode, is_for_integers);
    EXPECT(mode == fpmath_mode::bf16 && is_for_integers);
    attr.set_accumulation_mode(accumulation_mode::relaxed);
    EXPECT(attr.get_accumulation_mode() == accumulation_mode::relaxed);
    attr.set_deterministic(true);
    EXPECT(attr.get_deterministic());
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {32, 1}, type::f16);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);

    // What Prim lacks reads as its default, and cannot be set to anything else.
    EXPECT(attr.get_rounding_mode(DNNL_ARG_DST) == rounding_mode::environment);
    attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::environment);
    EXPECT(throws(dnnl_unimplemented,
            [&] { attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::stochastic); }));
    attr.set_rnn_data_qparams(1.f, 0.f);
    EXPECT(throws(dnnl_unimplemented, [&] { attr.set_rnn_data_qparams(2.f, 0.f); }));
    EXPECT(throws(
            dnnl_unimplemented, [&] { attr.set_scales(DNNL_ARG_SRC, 0, {}, type::f32, true); }));
}

void primitives(const rig &r)
{
    primitive_attr attr;
    attr.set_scratchpad_mode(scratchpad_mode::user);
    matmul::primitive_desc pd(r.engine, r.md({3, 5}), r.md({5, 4}), r.md({3, 4}), attr);
    EXPECT(pd.get_kind() == primitive::kind::matmul && pd.get_engine() == r.engine);
    EXPECT(pd.src_desc() == r.md({3, 5}) &&
            pd.query_md(query::exec_arg_md, DNNL_ARG_DST) == r.md({3, 4}));
    EXPECT(pd.bias_desc().is_zero());
    EXPECT(std::strlen(pd.impl_info_str()) > 4);
    EXPECT(pd.get_primitive_attr().get_scratchpad_mode() == scratchpad_mode::user);
    int rest = 0;
    const matmul::primitive_desc first = pd;
    while (pd.next_impl()) ++rest;
    EXPECT(rest > 0);
    EXPECT(throws(dnnl_invalid_arguments, [&] {
        matmul::primitive_desc(r.engine, r.md({3, 5}), r.md({6, 4}), r.md({3, 4}));
    }));
    EXPECT(matmul::primitive_desc(r.engine, r.md({3, 5}), r.md({6, 4}), r.md({3, 4}), {}, true)
                    .get(true) == nullptr);

    const matmul product(first);
    EXPECT(product.get_kind() == primitive::kind::matmul);
    const memory src = r.some_memory({3, 5}, 1), wei = r.some_memory({5, 4}, 2),
                 dst = r.make(r.md({3, 4}));
    const args with = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_SCRATCHPAD, r.make(first.scratchpad_desc())}};
    r.run(product, with);
    EXPECT(throws(dnnl_invalid_arguments, [&] { r.run(product, {{DNNL_ARG_SRC, src}}); }));
    // A memory that is too small for the tensor is refused; a large enough one of another shape is
    // not.
    args wrong = with;
    wrong[DNNL_ARG_SRC] = r.some_memory({3, 4}, 1);
    EXPECT(throws(dnnl_invalid_arguments, [&] { r.run(product, wrong); }));

    if (r.engine.get_kind() == engine::kind::cpu) {
        EXPECT(throws(dnnl_unimplemented, [&] { product.get_cache_blob(); }));
    } else {
        const std::vector<uint8_t> blob = product.get_cache_blob();
        EXPECT(!first.get_cache_blob_id().empty());
        const values wanted = r.read(dst);
        r.write(dst, values(12));
        r.run(matmul(first, blob), with);
        EXPECT(agree(r.read(dst), wanted, 0));
    }
}

/// Strides, dilations, and paddings of windows, all different: 2×1, 1×2 (less one), 1×0 left, 0×3
/// right.
template <typename pd_t> bool has_windows(const pd_t &pd)
{
    return pd.get_strides() == dims({2, 1}) && pd.get_dilations() == dims({0, 1}) &&
           pd.get_padding_l() == dims({1, 0}) && pd.get_padding_r() == dims({0, 3});
}

void windows(const rig &r)
{
    const dims s = {2, 1}, d = {0, 1}, left = {1, 0}, right = {0, 3};
    const memory::desc in = r.md({1, 2, 6, 6}), wei = r.md({3, 2, 3, 2}), out = r.md({1, 3, 3, 7});
    const auto conv = algorithm::convolution_direct, deconv = algorithm::deconvolution_direct;
    const auto pass = prop_kind::forward_training;
    const convolution_forward::primitive_desc f(
            r.engine, pass, conv, in, wei, out, s, d, left, right);
    EXPECT(has_windows(f) && f.get_algorithm() == conv && f.get_prop_kind() == pass);
    EXPECT(has_windows(convolution_backward_data::primitive_desc(
            r.engine, conv, in, wei, out, s, d, left, right, f)));
    EXPECT(has_windows(convolution_backward_weights::primitive_desc(
            r.engine, conv, in, wei, out, s, d, left, right, f)));
    const memory::desc back = r.md({2, 3, 3, 2}); // [outputs, inputs, …] of the transpose
    const deconvolution_forward::primitive_desc t(
            r.engine, pass, deconv, out, back, in, s, d, left, right);
    EXPECT(has_windows(t));
    EXPECT(has_windows(deconvolution_backward_data::primitive_desc(
            r.engine, deconv, out, back, in, s, d, left, right, t)));
    EXPECT(has_windows(deconvolution_backward_weights::primitive_desc(
            r.engine, deconv, out, back, in, s, d, left, right, t)));
    const auto max = algorithm::pooling_max;
    const memory::desc pooled = r.md({1, 2, 3, 7});
    const pooling_forward::primitive_desc p(
            r.engine, pass, max, in, pooled, s, {3, 2}, d, left, right);
    EXPECT(has_windows(p) && p.get_kernel() == dims({3, 2}));
    const pooling_backward::primitive_desc q(
            r.engine, max, in, pooled, s, {3, 2}, d, left, right, p);
    EXPECT(has_windows(q) && q.get_kernel() == dims({3, 2}));
}

void parameters(const rig &r)
{
    const auto pass = prop_kind::forward_training;
    const memory::desc md = r.md(image);
    const auto elu = algorithm::eltwise_linear;
    const eltwise_forward::primitive_desc e(r.engine, pass, elu, md, md, 2.f, 3.f);
    EXPECT(e.get_alpha() == 2.f && e.get_beta() == 3.f && e.get_algorithm() == elu);
    const eltwise_backward::primitive_desc eb(r.engine, elu, md, md, md, 2.f, 3.f, e);
    EXPECT(eb.get_alpha() == 2.f && eb.get_beta() == 3.f);
    const auto across = algorithm::lrn_across_channels;
    const lrn_forward::primitive_desc l(r.engine, pass, across, md, md, 3, 0.5f, 0.75f, 2.f);
    EXPECT(l.get_local_size() == 3 && l.get_alpha() == 0.5f && l.get_beta() == 0.75f &&
            l.get_k() == 2.f);
    const lrn_backward::primitive_desc lb(r.engine, across, md, md, md, 3, 0.5f, 0.75f, 2.f, l);
    EXPECT(lb.get_local_size() == 3 && lb.get_alpha() == 0.5f && lb.get_beta() == 0.75f &&
            lb.get_k() == 2.f);
    const reduction::primitive_desc n(
            r.engine, algorithm::reduction_norm_lp_max, md, r.md({2, 1, 5, 5}), 3.f, 0.25f);
    EXPECT(n.get_p() == 3.f && n.get_epsilon() == 0.25f);
    const softmax_forward::primitive_desc s(r.engine, pass, algorithm::softmax_log, md, md, 2);
    EXPECT(s.get_axis() == 2 && s.get_algorithm() == algorithm::softmax_log);
    const shuffle_forward::primitive_desc h(r.engine, pass, md, md, 1, 2);
    EXPECT(h.get_axis() == 1 && h.get_group_size() == 2);
    const auto flags = normalization_flags::use_scale;
    const batch_normalization_forward::primitive_desc b(r.engine, pass, md, md, 0.5f, flags);
    EXPECT(b.get_epsilon() == 0.5f && b.get_flags() == flags);
    const group_normalization_forward::primitive_desc g(r.engine, pass, md, md, 2, 0.5f, flags);
    EXPECT(g.get_group_size() == 2 && g.get_epsilon() == 0.5f && g.get_flags() == flags);
    const layer_normalization_forward::primitive_desc y(
            r.engine, pass, md, md, type::bf16, 0.5f, flags);
    EXPECT(y.get_epsilon() == 0.5f && y.get_flags() == flags);
    EXPECT(y.weights_desc().get_data_type() == type::bf16);
    const resampling_forward::primitive_desc up(
            r.engine, pass, algorithm::resampling_linear, {2.f, 3.f}, md, r.md({2, 4, 10, 15}));
    EXPECT(up.get_factors() == std::vector<float>({2.f, 3.f}));
}

/// The classes of recurrent primitives; their shapes are sound.
void recurrent(const rig &r)
{
    const auto direction = rnn_direction::unidirectional_left2right;
    const auto pass = prop_kind::forward_inference;
    const memory::desc layer = r.md({3, 2, 4}), iter = r.md({1, 1, 2, 4}),
                       attention = r.md({3, 2, 1});
    const auto wei = [&](int gates) { return r.md({1, 1, 4, gates, 4}, tag::ldigo); };
    const auto bia = [&](int gates) { return r.md({1, 1, gates, 4}); };
    EXPECT(throws(dnnl_unimplemented, [&] {
        vanilla_rnn_forward::primitive_desc(r.engine, pass, algorithm::eltwise_tanh, direction,
                layer, iter, wei(1), wei(1), bia(1), layer, iter);
    }));
    EXPECT(throws(dnnl_unimplemented, [&] {
        lstm_forward::primitive_desc(r.engine, pass, direction, layer, iter, iter, wei(4), wei(4),
                bia(4), layer, iter, iter);
    }));
    EXPECT(throws(dnnl_unimplemented, [&] {
        gru_forward::primitive_desc(
                r.engine, pass, direction, layer, iter, wei(3), wei(3), bia(3), layer, iter);
    }));
    EXPECT(throws(dnnl_unimplemented, [&] {
        lbr_gru_forward::primitive_desc(
                r.engine, pass, direction, layer, iter, wei(3), wei(3), bia(4), layer, iter);
    }));
    EXPECT(throws(dnnl_unimplemented, [&] {
        augru_forward::primitive_desc(r.engine, pass, direction, layer, iter, attention, wei(3),
                wei(3), bia(3), layer, iter);
    }));
    EXPECT(throws(dnnl_unimplemented, [&] {
        lbr_augru_forward::primitive_desc(r.engine, pass, direction, layer, iter, attention, wei(3),
                wei(3), bia(4), layer, iter);
    }));
}

} // namespace

int main()
{
    return run_on_engines("objects", [](const rig &r) {
        for (const auto test : {engines, descriptors, memories, chains, attributes, primitives,
                     windows, parameters, recurrent})
            test(r);
    });
}
