// SPDX-License-Identifier: Apache-2.0
// Every class of forward primitives of dnnl.hpp, on both engines, against the formula in double.
#include <algorithm>

#include "dnnl_rig.hpp"

using namespace dnnl;

namespace
{

constexpr auto training = prop_kind::forward_training;
constexpr auto inference = prop_kind::forward_inference;

/// src [N, C, H, W] of the tests.
const dims image = {2, 4, 5, 5};
enum { N = 2, C = 4, H = 5, W = 5 };

size_t at(int n, int c, int h, int w)
{
    return size_t(((n * C + c) * H + h) * W + w);
}

void for_each_position(const std::function<void(int n, int c, int h, int w)> &visit)
{
    for (int n = 0; n < N; ++n)
        for (int c = 0; c < C; ++c)
            for (int h = 0; h < H; ++h)
                for (int w = 0; w < W; ++w) visit(n, c, h, w);
}

values map(const values &from, const std::function<double(double)> &f)
{
    values result(from.size());
    std::transform(
            from.begin(), from.end(), result.begin(), [&](float x) { return float(f(double(x))); });
    return result;
}

/// 3×3 window, padding 1: Σ over it of what `term` says of channel `c` of src; `o` of the weights.
values convolve(const values &x, const values &wei, const values &bias)
{
    values y(x.size());
    for_each_position([&](int n, int o, int h, int w) {
        double sum = double(bias[size_t(o)]);
        for (int c = 0; c < C; ++c)
            for (int k = 0; k < 9; ++k) {
                const int ih = h + k / 3 - 1, iw = w + k % 3 - 1;
                if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
                sum += double(x[at(n, c, ih, iw)]) * double(wei[size_t((o * C + c) * 9 + k)]);
            }
        y[at(n, o, h, w)] = float(sum);
    });
    return y;
}

void convolution(const rig &r)
{
    const values x = rig::some(image, 1), w = rig::some({4, 4, 3, 3}, 2), b = rig::some({4}, 3);
    const memory src = r.make(image, x), bias = r.make({4}, b), plain = r.make({4, 4, 3, 3}, w);
    primitive_attr attr;
    post_ops chain;
    chain.append_sum(0.5f);
    chain.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(chain);
    const convolution_forward::primitive_desc pd(r.engine, inference, algorithm::convolution_direct,
            r.md(image), r.md({4, 4, 3, 3}, tag::any), r.md({4}), r.md(image), {1, 1}, {1, 1},
            {1, 1}, attr);
    EXPECT(pd.get_strides() == dims({1, 1}) && pd.get_padding_l() == dims({1, 1}));
    const memory wei = r.make(pd.weights_desc());
    r.run(reorder(plain, wei), {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, wei}});
    const values before = rig::some(image, 4);
    const memory dst = r.make(image, before);
    r.run(convolution_forward(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei},
                                           {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    values wanted = convolve(x, w, b);
    for (size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = std::max(0.f, wanted[i] + 0.5f * before[i]);
    EXPECT(agree(r.read(dst), wanted, 1e-5));
}

void deconvolution(const rig &r)
{
    const values x = rig::some(image, 1), w = rig::some({4, 4, 3, 3}, 2);
    const memory src = r.make(image, x), wei = r.make({4, 4, 3, 3}, w), dst = r.make(r.md(image));
    const deconvolution_forward::primitive_desc pd(r.engine, inference,
            algorithm::deconvolution_direct, r.md(image), r.md({4, 4, 3, 3}), r.md(image), {1, 1},
            {1, 1}, {1, 1});
    r.run(deconvolution_forward(pd),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
    // With stride 1 it is the convolution with the kernel rotated by half a turn.
    values rotated(w.size());
    for (size_t i = 0; i < w.size(); ++i) rotated[i / 9 * 9 + 8 - i % 9] = w[i];
    EXPECT(agree(r.read(dst), convolve(x, rotated, values(4, 0.f)), 1e-5));
}

void products(const rig &r)
{
    const values a = rig::some({3, 5}, 1), b = rig::some({5, 4}, 2), bias = rig::some({1, 4}, 3);
    values wanted(12), transposed(20);
    for (size_t m = 0; m < 3; ++m)
        for (size_t n = 0; n < 4; ++n) {
            double sum = double(bias[n]);
            for (size_t k = 0; k < 5; ++k) sum += double(a[m * 5 + k]) * double(b[k * 4 + n]);
            wanted[m * 4 + n] = float(sum);
        }
    for (size_t i = 0; i < 20; ++i) transposed[i % 4 * 5 + i / 4] = b[i];

    const memory src = r.make({3, 5}, a), dst = r.make(r.md({3, 4}));
    const matmul::primitive_desc product(
            r.engine, r.md({3, 5}), r.md({5, 4}), r.md({1, 4}), r.md({3, 4}));
    r.run(matmul(product), {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, r.make({5, 4}, b)},
                                   {DNNL_ARG_BIAS, r.make({1, 4}, bias)}, {DNNL_ARG_DST, dst}});
    EXPECT(agree(r.read(dst), wanted, 1e-5));

    const inner_product_forward::primitive_desc inner(
            r.engine, inference, r.md({3, 5}), r.md({4, 5}), r.md({4}), r.md({3, 4}));
    r.write(dst, values(12));
    // A bias of [1, 4] holds the same bytes as one of [4]: oneDNN takes it, so the bridge does.
    r.run(inner_product_forward(inner),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, r.make({4, 5}, transposed)},
                    {DNNL_ARG_BIAS, r.make({1, 4}, bias)}, {DNNL_ARG_DST, dst}});
    EXPECT(agree(r.read(dst), wanted, 1e-5));
}

/// Integers as they are, of one byte each.
memory make_bytes(const rig &r, const dims &shape, type data_type, const std::vector<int> &from)
{
    const memory result({shape, data_type, tag::ab}, r.engine);
    uint8_t *const bytes = result.map_data<uint8_t>();
    for (size_t i = 0; i < from.size(); ++i) bytes[i] = uint8_t(from[i]);
    result.unmap_data(bytes);
    return result;
}

/// u8 times s8 to f32, with scales of src and of each column of the weights, and a zero point of
/// src.
void quantized(const rig &r)
{
    const std::vector<int> a = {0, 255, 7, 128, 1, 99}, b = {-128, 127, 3, -5, 0, 64};
    const values scales = {0.5f, 2.f};
    const memory src = make_bytes(r, {2, 3}, type::u8, a), wei = make_bytes(r, {3, 2}, type::s8, b);
    const memory dst = r.make(r.md({2, 2})), zero_point({{1}, type::s32, tag::a}, r.engine);
    int32_t *const mapped = zero_point.map_data<int32_t>();
    *mapped = 11;
    zero_point.unmap_data(mapped);
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales(DNNL_ARG_WEIGHTS, 1 << 1, {}, type::f32);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    r.run(matmul({r.engine, src.get_desc(), wei.get_desc(), r.md({2, 2}), attr}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, r.make({1}, {0.25f})},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, r.make({2}, scales)},
                    {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, zero_point}});
    values wanted(4);
    for (size_t i = 0; i < 4; ++i) {
        int sum = 0;
        for (size_t k = 0; k < 3; ++k) sum += (a[i / 2 * 3 + k] - 11) * b[k * 2 + i % 2];
        wanted[i] = 0.25f * scales[i % 2] * float(sum);
    }
    EXPECT(agree(r.read(dst), wanted, 1e-6));
}

void elementwise(const rig &r)
{
    const values x = rig::some(image, 1), z = rig::some(image, 2);
    const memory src = r.make(image, x), other = r.make(image, z), dst = r.make(r.md(image));
    r.run(eltwise_forward({r.engine, inference, algorithm::eltwise_tanh, r.md(image), r.md(image)}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    EXPECT(agree(r.read(dst), map(x, [](double v) { return std::tanh(v); }), 1e-5));

    const values slope = rig::some({1, 4, 1, 1}, 3);
    r.run(prelu_forward({r.engine, inference, r.md(image), r.md({1, 4, 1, 1}), r.md(image)}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, r.make({1, 4, 1, 1}, slope)},
                    {DNNL_ARG_DST, dst}});
    values wanted(x.size());
    for_each_position([&](int n, int c, int h, int w) {
        const size_t i = at(n, c, h, w);
        wanted[i] = x[i] > 0 ? x[i] : x[i] * slope[size_t(c)];
    });
    EXPECT(agree(r.read(dst), wanted, 1e-6));

    r.run(binary({r.engine, algorithm::binary_mul, r.md(image), r.md(image), r.md(image)}),
            {{DNNL_ARG_SRC_0, src}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, dst}});
    for (size_t i = 0; i < x.size(); ++i) wanted[i] = x[i] * z[i];
    EXPECT(agree(r.read(dst), wanted, 1e-6));

    const memory::desc condition_md(image, type::s8, tag::abcd);
    const memory condition(condition_md, r.engine);
    int8_t *const flags = condition.map_data<int8_t>();
    for (size_t i = 0; i < x.size(); ++i) flags[i] = int8_t(i % 3 == 0);
    condition.unmap_data(flags);
    r.run(binary({r.engine, algorithm::binary_select, r.md(image), r.md(image), condition_md,
                  r.md(image)}),
            {{DNNL_ARG_SRC_0, src}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_SRC_2, condition},
                    {DNNL_ARG_DST, dst}});
    for (size_t i = 0; i < x.size(); ++i) wanted[i] = i % 3 == 0 ? x[i] : z[i];
    EXPECT(agree(r.read(dst), wanted, 0));

    primitive_attr attr;
    post_ops chain;
    chain.append_binary(algorithm::binary_select, r.md(image), condition_md);
    attr.set_post_ops(chain);
    memory::desc src1_md, src2_md;
    algorithm alg;
    attr.get_post_ops().get_params_binary(0, alg, src1_md, src2_md);
    EXPECT(alg == algorithm::binary_select && src2_md == condition_md);
    r.run(binary({r.engine, algorithm::binary_mul, r.md(image), r.md(image), r.md(image), attr}),
            {{DNNL_ARG_SRC_0, src}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, dst},
                    {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, other},
                    {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_2, condition}});
    for (size_t i = 0; i < x.size(); ++i) wanted[i] = i % 3 == 0 ? x[i] * z[i] : z[i];
    EXPECT(agree(r.read(dst), wanted, 1e-6));
}

void along_an_axis(const rig &r)
{
    const values x = rig::some(image, 1);
    const memory src = r.make(image, x), dst = r.make(r.md(image));
    r.run(softmax_forward(
                  {r.engine, inference, algorithm::softmax_accurate, r.md(image), r.md(image), 1}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    values wanted(x.size());
    for_each_position([&](int n, int c, int h, int w) {
        double sum = 0;
        for (int k = 0; k < C; ++k) sum += std::exp(double(x[at(n, k, h, w)]));
        wanted[at(n, c, h, w)] = float(std::exp(double(x[at(n, c, h, w)])) / sum);
    });
    EXPECT(agree(r.read(dst), wanted, 1e-5));

    const memory row = r.make({1, 6}, {0, 1, 2, 3, 4, 5}), shuffled = r.make(r.md({1, 6}));
    r.run(shuffle_forward({r.engine, inference, r.md({1, 6}), r.md({1, 6}), 1, 2}),
            {{DNNL_ARG_SRC, row}, {DNNL_ARG_DST, shuffled}});
    EXPECT(agree(r.read(shuffled), {0, 2, 4, 1, 3, 5}, 0));

    r.run(lrn_forward({r.engine, inference, algorithm::lrn_across_channels, r.md(image),
                  r.md(image), 3, 0.5f, 0.75f, 1.f}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    for_each_position([&](int n, int c, int h, int w) {
        double sum = 0;
        for (int k = std::max(0, c - 1); k <= std::min(C - 1, c + 1); ++k)
            sum += double(x[at(n, k, h, w)]) * double(x[at(n, k, h, w)]);
        wanted[at(n, c, h, w)] =
                float(double(x[at(n, c, h, w)]) * std::pow(1 + 0.5 / 3 * sum, -0.75));
    });
    EXPECT(agree(r.read(dst), wanted, 1e-5));
}

void windows(const rig &r)
{
    const values x = rig::some(image, 1);
    const memory src = r.make(image, x), pooled = r.make(r.md({2, 4, 2, 2}));
    const pooling_forward::primitive_desc pd(r.engine, training, algorithm::pooling_max,
            r.md(image), r.md({2, 4, 2, 2}), {2, 2}, {3, 3}, {0, 0}, {0, 0}, {0, 0});
    EXPECT(pd.get_kernel() == dims({3, 3}));
    const memory workspace(pd.workspace_desc(), r.engine);
    r.run(pooling_forward(pd),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, pooled}, {DNNL_ARG_WORKSPACE, workspace}});
    values wanted;
    for (int i = 0; i < 32; ++i) {
        float best = -2;
        for (int k = 0; k < 9; ++k)
            best = std::max(
                    best, x[at(i / 16, i / 4 % 4, i / 2 % 2 * 2 + k / 3, i % 2 * 2 + k % 3)]);
        wanted.push_back(best);
    }
    EXPECT(agree(r.read(pooled), wanted, 0));

    const dims large = {2, 4, 10, 10};
    const memory dst = r.make(r.md(large));
    r.run(resampling_forward(
                  {r.engine, inference, algorithm::resampling_nearest, r.md(image), r.md(large)}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    wanted.assign(800, 0);
    for (int i = 0; i < 800; ++i)
        wanted[size_t(i)] = x[at(i / 400, i / 100 % 4, i / 10 % 10 / 2, i % 10 / 2)];
    EXPECT(agree(r.read(dst), wanted, 0));

    const memory sums = r.make(r.md({2, 4, 1, 1}));
    r.run(reduction(
                  {r.engine, algorithm::reduction_sum, r.md(image), r.md({2, 4, 1, 1}), 0.f, 0.f}),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, sums}});
    wanted.assign(8, 0);
    for (size_t i = 0; i < x.size(); ++i) wanted[i / 25] += x[i];
    EXPECT(agree(r.read(sums), wanted, 1e-5));
}

/// (x − mean)/√(variance + 1e-3)·scale + shift over groups of elements that `group` numbers, c the
/// channel.
values normalize(const values &x, int ngroups,
        const std::function<int(int n, int c, int h, int w)> &group,
        const std::function<size_t(int c, int w)> &place, const values &scale, const values &shift)
{
    std::vector<double> sum(size_t(ngroups), 0), squares(size_t(ngroups), 0);
    const double size = double(x.size()) / ngroups;
    for_each_position([&](int n, int c, int h, int w) {
        sum[size_t(group(n, c, h, w))] += double(x[at(n, c, h, w)]);
    });
    for_each_position([&](int n, int c, int h, int w) {
        const size_t g = size_t(group(n, c, h, w));
        squares[g] += std::pow(double(x[at(n, c, h, w)]) - sum[g] / size, 2);
    });
    values y(x.size());
    for_each_position([&](int n, int c, int h, int w) {
        const size_t g = size_t(group(n, c, h, w)), p = place(c, w);
        y[at(n, c, h, w)] = float((double(x[at(n, c, h, w)]) - sum[g] / size) /
                                          std::sqrt(squares[g] / size + 1e-3) * double(scale[p]) +
                                  double(shift[p]));
    });
    return y;
}

void normalizations(const rig &r)
{
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
    const values x = rig::some(image, 1), a = rig::some({5}, 2), b = rig::some({5}, 3);
    const values a4(a.begin(), a.begin() + 4), b4(b.begin(), b.begin() + 4);
    const memory src = r.make(image, x), dst = r.make(r.md(image));
    const auto by_channel = [](int c, int) { return size_t(c); };
    args with = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_SCALE, r.make({4}, a4)},
            {DNNL_ARG_SHIFT, r.make({4}, b4)}};

    r.run(batch_normalization_forward(
                  {r.engine, inference, r.md(image), r.md(image), 1e-3f, flags}),
            with);
    EXPECT(agree(r.read(dst),
            normalize(
                    x, 4, [](int, int c, int, int) { return c; }, by_channel, a4, b4),
            1e-5));

    r.run(group_normalization_forward(
                  {r.engine, inference, r.md(image), r.md(image), 2, 1e-3f, flags}),
            with);
    EXPECT(agree(r.read(dst),
            normalize(
                    x, 4, [](int n, int c, int, int) { return n * 2 + c / 2; }, by_channel, a4, b4),
            1e-5));

    with[DNNL_ARG_SCALE] = r.make({5}, a);
    with[DNNL_ARG_SHIFT] = r.make({5}, b);
    r.run(layer_normalization_forward(
                  {r.engine, inference, r.md(image), r.md(image), 1e-3f, flags}),
            with);
    EXPECT(agree(r.read(dst),
            normalize(
                    x, 40, [](int n, int c, int h, int) { return (n * C + c) * H + h; },
                    [](int, int w) { return size_t(w); }, a, b),
            1e-5));
}

void copies(const rig &r)
{
    const values x = rig::some(image, 1), z = rig::some(image, 2);
    const memory src = r.make(image, x), other = r.make(image, z);
    const memory nhwc = r.make(r.md(image, tag::nhwc));
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    r.run(reorder(reorder::primitive_desc(r.engine, r.md(image), r.engine, nhwc.get_desc(), attr)),
            {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, nhwc},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, r.make({1}, {3.f})}});
    values wanted(x.size());
    for_each_position([&](int n, int c, int h, int w) {
        wanted[size_t(((n * H + h) * W + w) * C + c)] = 3 * x[at(n, c, h, w)];
    });
    EXPECT(agree(r.read(nhwc), wanted, 1e-6));

    const std::vector<memory::desc> two = {r.md(image), r.md(image)};
    const concat::primitive_desc joined(r.engine, 0, two);
    const memory both = r.make(joined.dst_desc());
    r.run(concat(joined), {{DNNL_ARG_MULTIPLE_SRC, src}, {DNNL_ARG_MULTIPLE_SRC + 1, other},
                                  {DNNL_ARG_DST, both}});
    wanted = x;
    wanted.insert(wanted.end(), z.begin(), z.end());
    EXPECT(agree(r.read(both), wanted, 0));

    const sum::primitive_desc added(r.engine, {2.f, -1.f}, two);
    const memory dst = r.make(added.dst_desc());
    r.run(sum(added), {{DNNL_ARG_MULTIPLE_SRC, src}, {DNNL_ARG_MULTIPLE_SRC + 1, other},
                              {DNNL_ARG_DST, dst}});
    wanted.resize(x.size());
    for (size_t i = 0; i < x.size(); ++i) wanted[i] = 2 * x[i] - z[i];
    EXPECT(agree(r.read(dst), wanted, 1e-6));
}

} // namespace

int main()
{
    return run_on_engines("forward classes", [](const rig &r) {
        for (const auto test : {convolution, deconvolution, products, quantized, elementwise,
                     along_an_axis, windows, normalizations, copies})
            test(r);
    });
}
