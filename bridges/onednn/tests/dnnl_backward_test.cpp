// SPDX-License-Identifier: Apache-2.0
// Every class of backward primitives of dnnl.hpp, on both engines, against differences of the
// forward class.
#include "dnnl_rig.hpp"

using namespace dnnl;

namespace
{

constexpr auto training = prop_kind::forward_training;
const dims image = {1, 4, 4, 4};

/// A pass back: runs it and compares what it left in `gradient` with differences of the pass
/// forward by `x`.
struct pass {
    const rig &r;
    primitive forward;
    args with;       ///< of the forward pass, whose result is DNNL_ARG_DST
    memory diff_dst; ///< as dst

    pass(const rig &on, const primitive &f, const args &a)
        : r(on), forward(f), with(a),
          diff_dst(on.make(a.at(DNNL_ARG_DST).get_desc().get_dims(),
                  rig::some(a.at(DNNL_ARG_DST).get_desc().get_dims(), 99)))
    {
        r.run(forward, with);
    }

    bool agrees(const memory &gradient, int x) const
    {
        return r.is_gradient(r.read(gradient), forward, with, with.at(x), with.at(DNNL_ARG_DST),
                r.read(diff_dst));
    }
};

/// Forward, backward data and backward weights of a (de)convolution, 3×3, padding 1.
template <typename forward_t, typename data_t, typename weights_t>
void convolutions(const rig &r, algorithm alg)
{
    const dims shape = {2, 4, 3, 3}, out = {1, 2, 4, 4};
    const typename forward_t::primitive_desc pd(r.engine, training, alg, r.md(image), r.md(shape),
            r.md({2}), r.md(out), {1, 1}, {1, 1}, {1, 1});
    const pass p(r, forward_t(pd),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_WEIGHTS, r.some_memory(shape, 2)},
                    {DNNL_ARG_BIAS, r.some_memory({2}, 3)}, {DNNL_ARG_DST, r.make(r.md(out))}});
    const memory diff_src = r.make(r.md(image)), diff_wei = r.make(r.md(shape)),
                 diff_bias = r.make(r.md({2}));
    r.run(data_t(typename data_t::primitive_desc(
                  r.engine, alg, r.md(image), r.md(shape), r.md(out), {1, 1}, {1, 1}, {1, 1}, pd)),
            {{DNNL_ARG_DIFF_DST, p.diff_dst}, {DNNL_ARG_WEIGHTS, p.with.at(DNNL_ARG_WEIGHTS)},
                    {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT(p.agrees(diff_src, DNNL_ARG_SRC));
    r.run(weights_t(typename weights_t::primitive_desc(r.engine, alg, r.md(image), r.md(shape),
                  r.md({2}), r.md(out), {1, 1}, {1, 1}, {1, 1}, pd)),
            {{DNNL_ARG_DIFF_DST, p.diff_dst}, {DNNL_ARG_SRC, p.with.at(DNNL_ARG_SRC)},
                    {DNNL_ARG_DIFF_WEIGHTS, diff_wei}, {DNNL_ARG_DIFF_BIAS, diff_bias}});
    EXPECT(p.agrees(diff_wei, DNNL_ARG_WEIGHTS));
    EXPECT(p.agrees(diff_bias, DNNL_ARG_BIAS));
}

void inner_product(const rig &r)
{
    const inner_product_forward::primitive_desc pd(
            r.engine, training, r.md({3, 5}), r.md({4, 5}), r.md({4}), r.md({3, 4}));
    const pass p(r, inner_product_forward(pd),
            {{DNNL_ARG_SRC, r.some_memory({3, 5}, 1)}, {DNNL_ARG_WEIGHTS, r.some_memory({4, 5}, 2)},
                    {DNNL_ARG_BIAS, r.some_memory({4}, 3)}, {DNNL_ARG_DST, r.make(r.md({3, 4}))}});
    const memory diff_src = r.make(r.md({3, 5})), diff_wei = r.make(r.md({4, 5})),
                 diff_bias = r.make(r.md({4}));
    r.run(inner_product_backward_data({r.engine, r.md({3, 5}), r.md({4, 5}), r.md({3, 4}), pd}),
            {{DNNL_ARG_DIFF_DST, p.diff_dst}, {DNNL_ARG_WEIGHTS, p.with.at(DNNL_ARG_WEIGHTS)},
                    {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT(p.agrees(diff_src, DNNL_ARG_SRC));
    r.run(inner_product_backward_weights(
                  {r.engine, r.md({3, 5}), r.md({4, 5}), r.md({4}), r.md({3, 4}), pd}),
            {{DNNL_ARG_DIFF_DST, p.diff_dst}, {DNNL_ARG_SRC, p.with.at(DNNL_ARG_SRC)},
                    {DNNL_ARG_DIFF_WEIGHTS, diff_wei}, {DNNL_ARG_DIFF_BIAS, diff_bias}});
    EXPECT(p.agrees(diff_wei, DNNL_ARG_WEIGHTS));
    EXPECT(p.agrees(diff_bias, DNNL_ARG_BIAS));
}

void elementwise(const rig &r)
{
    const memory diff_src = r.make(r.md(image));
    const eltwise_forward::primitive_desc pd(
            r.engine, training, algorithm::eltwise_tanh, r.md(image), r.md(image));
    const pass p(r, eltwise_forward(pd),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_DST, r.make(r.md(image))}});
    r.run(eltwise_backward(
                  {r.engine, algorithm::eltwise_tanh, r.md(image), r.md(image), r.md(image), pd}),
            {{DNNL_ARG_SRC, p.with.at(DNNL_ARG_SRC)}, {DNNL_ARG_DIFF_DST, p.diff_dst},
                    {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT(p.agrees(diff_src, DNNL_ARG_SRC));

    const dims slopes = {1, 4, 1, 1};
    const memory diff_wei = r.make(r.md(slopes));
    const prelu_forward::primitive_desc prelu(
            r.engine, training, r.md(image), r.md(slopes), r.md(image));
    const pass q(r, prelu_forward(prelu),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_WEIGHTS, r.some_memory(slopes, 2)},
                    {DNNL_ARG_DST, r.make(r.md(image))}});
    r.run(prelu_backward({r.engine, r.md(image), r.md(slopes), r.md(image), r.md(slopes),
                  r.md(image), prelu}),
            {{DNNL_ARG_SRC, q.with.at(DNNL_ARG_SRC)}, {DNNL_ARG_DIFF_DST, q.diff_dst},
                    {DNNL_ARG_WEIGHTS, q.with.at(DNNL_ARG_WEIGHTS)}, {DNNL_ARG_DIFF_SRC, diff_src},
                    {DNNL_ARG_DIFF_WEIGHTS, diff_wei}});
    EXPECT(q.agrees(diff_src, DNNL_ARG_SRC));
    EXPECT(q.agrees(diff_wei, DNNL_ARG_WEIGHTS));
}

void along_an_axis(const rig &r)
{
    const memory diff_src = r.make(r.md(image));
    const softmax_forward::primitive_desc soft(
            r.engine, training, algorithm::softmax_accurate, r.md(image), r.md(image), 1);
    const pass p(r, softmax_forward(soft),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_DST, r.make(r.md(image))}});
    r.run(softmax_backward({r.engine, algorithm::softmax_accurate, r.md(image), r.md(image),
                  r.md(image), 1, soft}),
            {{DNNL_ARG_DST, p.with.at(DNNL_ARG_DST)}, {DNNL_ARG_DIFF_DST, p.diff_dst},
                    {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT(p.agrees(diff_src, DNNL_ARG_SRC));

    const shuffle_forward::primitive_desc shuffled(
            r.engine, training, r.md(image), r.md(image), 1, 2);
    const pass q(r, shuffle_forward(shuffled),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_DST, r.make(r.md(image))}});
    r.run(shuffle_backward({r.engine, r.md(image), r.md(image), 1, 2, shuffled}),
            {{DNNL_ARG_DIFF_DST, q.diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT(q.agrees(diff_src, DNNL_ARG_SRC));

    const auto alg = algorithm::lrn_across_channels;
    const lrn_forward::primitive_desc lrn(
            r.engine, training, alg, r.md(image), r.md(image), 3, 0.5f, 0.75f, 1.f);
    const pass s(r, lrn_forward(lrn),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_DST, r.make(r.md(image))},
                    {DNNL_ARG_WORKSPACE, r.make(lrn.workspace_desc())}});
    r.run(lrn_backward(
                  {r.engine, alg, r.md(image), r.md(image), r.md(image), 3, 0.5f, 0.75f, 1.f, lrn}),
            {{DNNL_ARG_SRC, s.with.at(DNNL_ARG_SRC)}, {DNNL_ARG_DIFF_DST, s.diff_dst},
                    {DNNL_ARG_DIFF_SRC, diff_src},
                    {DNNL_ARG_WORKSPACE, s.with.at(DNNL_ARG_WORKSPACE)}});
    EXPECT(s.agrees(diff_src, DNNL_ARG_SRC));
}

void windows(const rig &r)
{
    const dims small = {1, 4, 2, 2}, large = {1, 4, 8, 8};
    const memory diff_src = r.make(r.md(image));
    const auto alg = algorithm::pooling_max;
    const pooling_forward::primitive_desc pool(r.engine, training, alg, r.md(image), r.md(small),
            {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});
    // Steps of the differences must not change which element is the largest.
    values x = rig::some(image, 1);
    for (size_t i = 0; i < x.size(); ++i) x[i] = float(int(i * 7 % 64)) / 16;
    const pass p(r, pooling_forward(pool),
            {{DNNL_ARG_SRC, r.make(image, x)}, {DNNL_ARG_DST, r.make(r.md(small))},
                    {DNNL_ARG_WORKSPACE, r.make(pool.workspace_desc())}});
    r.run(pooling_backward({r.engine, alg, r.md(image), r.md(small), {2, 2}, {2, 2}, {0, 0}, {0, 0},
                  {0, 0}, pool}),
            {{DNNL_ARG_DIFF_DST, p.diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src},
                    {DNNL_ARG_WORKSPACE, p.with.at(DNNL_ARG_WORKSPACE)}});
    EXPECT(p.agrees(diff_src, DNNL_ARG_SRC));

    const auto linear = algorithm::resampling_linear;
    const resampling_forward::primitive_desc up(
            r.engine, training, linear, r.md(image), r.md(large));
    const pass q(r, resampling_forward(up),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_DST, r.make(r.md(large))}});
    r.run(resampling_backward({r.engine, linear, r.md(image), r.md(large), up}),
            {{DNNL_ARG_DIFF_DST, q.diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT(q.agrees(diff_src, DNNL_ARG_SRC));
}

const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;

/// The three normalisations differ in how their descriptors are made and in the shapes of the
/// statistics.
template <typename forward_t, typename backward_t>
void check_normalization(const rig &r, const typename forward_t::primitive_desc &pd,
        const typename backward_t::primitive_desc &back, const dims &parameters)
{
    const memory diff_src = r.make(r.md(image)), diff_scale = r.make(r.md(parameters)),
                 diff_shift = r.make(r.md(parameters));
    const pass p(r, forward_t(pd),
            {{DNNL_ARG_SRC, r.some_memory(image, 1)}, {DNNL_ARG_DST, r.make(r.md(image))},
                    {DNNL_ARG_SCALE, r.some_memory(parameters, 2)},
                    {DNNL_ARG_SHIFT, r.some_memory(parameters, 3)},
                    {DNNL_ARG_MEAN, r.make(pd.mean_desc())},
                    {DNNL_ARG_VARIANCE, r.make(pd.variance_desc())}});
    args with = p.with;
    with[DNNL_ARG_DIFF_DST] = p.diff_dst;
    with[DNNL_ARG_DIFF_SRC] = diff_src;
    with[DNNL_ARG_DIFF_SCALE] = diff_scale;
    with[DNNL_ARG_DIFF_SHIFT] = diff_shift;
    r.run(backward_t(back), with);
    EXPECT(p.agrees(diff_src, DNNL_ARG_SRC));
    EXPECT(p.agrees(diff_scale, DNNL_ARG_SCALE));
    EXPECT(p.agrees(diff_shift, DNNL_ARG_SHIFT));
}

void normalizations(const rig &r)
{
    const auto backward = prop_kind::backward;
    const memory::desc md = r.md(image);
    const batch_normalization_forward::primitive_desc batch(
            r.engine, training, md, md, 0.1f, flags);
    check_normalization<batch_normalization_forward, batch_normalization_backward>(
            r, batch, {r.engine, backward, md, md, md, 0.1f, flags, batch}, {4});
    const group_normalization_forward::primitive_desc group(
            r.engine, training, md, md, 2, 0.1f, flags);
    check_normalization<group_normalization_forward, group_normalization_backward>(
            r, group, {r.engine, backward, md, md, md, 2, 0.1f, flags, group}, {4});
    const layer_normalization_forward::primitive_desc layer(
            r.engine, training, md, md, 0.1f, flags);
    check_normalization<layer_normalization_forward, layer_normalization_backward>(
            r, layer, {r.engine, backward, md, md, md, 0.1f, flags, layer}, {4});
}

} // namespace

int main()
{
    return run_on_engines("backward classes", [](const rig &r) {
        convolutions<convolution_forward, convolution_backward_data, convolution_backward_weights>(
                r, algorithm::convolution_direct);
        convolutions<deconvolution_forward, deconvolution_backward_data,
                deconvolution_backward_weights>(r, algorithm::deconvolution_direct);
        for (const auto test : {inner_product, elementwise, along_an_axis, windows, normalizations})
            test(r);
    });
}
