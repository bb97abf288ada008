// SPDX-License-Identifier: Apache-2.0
// Times oneDNN (Debian's libdnnl-dev, API version 2, or version 3) on benchdnn's problems, on the CPU:
//     benchdnn --mode=L --canonical=true --conv --batch=shapes_resnet_50 | peer_onednn [max ms]
// OMP_NUM_THREADS sets its threads. What it cannot do is named on stderr.
#include <oneapi/dnnl/dnnl.hpp>

#include <cstdlib>
#include <stdexcept>
#include <unordered_map>

#include "peer_cases.hpp"

using dims = dnnl::memory::dims;
using md = dnnl::memory::desc;

static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);

static dnnl::memory::data_type type_of(const std::string &name)
{
    static const std::map<std::string, dnnl::memory::data_type> types {
            {"f32", dnnl::memory::data_type::f32}, {"bf16", dnnl::memory::data_type::bf16},
            {"s8", dnnl::memory::data_type::s8}, {"u8", dnnl::memory::data_type::u8},
            {"s32", dnnl::memory::data_type::s32}};
    return types.at(name);
}

/// abx, axb, ba (the last two dims exchanged) or any.
static md layout(const dims &d, const std::string &type, const std::string &tag)
{
    if (tag == "any") return {d, type_of(type), dnnl::memory::format_tag::any};
    dims strides(d.size());
    std::vector<size_t> order; // outermost first
    for (size_t i = 0; i < d.size(); ++i) order.push_back(i);
    if (tag == "axb") {
        order.erase(order.begin() + 1);
        order.push_back(1);
    } else if (tag == "ba" || tag == "acb" || tag == "abdc") {
        std::swap(order[d.size() - 1], order[d.size() - 2]);
    } else if (tag != "abx") {
        throw std::invalid_argument("layout " + tag);
    }
    int64_t stride = 1;
    for (size_t i = d.size(); i-- > 0; stride *= d[order[i]]) strides[order[i]] = stride;
    return {d, type_of(type), strides};
}

/// The descriptor of a primitive, from what describes the operation.
template <class operation, class... parameters>
static typename operation::primitive_desc describe(const parameters &...of)
{
#if DNNL_VERSION_MAJOR >= 3
    return {cpu, of...};
#else
    return {typename operation::desc(of...), cpu};
#endif
}

static dnnl::memory::data_type type_in(const md &desc)
{
#if DNNL_VERSION_MAJOR >= 3
    return desc.get_data_type();
#else
    return desc.data_type();
#endif
}

/// Memories of a primitive: floats are random, other types small integers.
struct arguments {
    std::unordered_map<int, dnnl::memory> map;

    void add(int id, const md &desc)
    {
        dnnl::memory memory(desc, cpu);
        if (type_in(desc) == dnnl::memory::data_type::f32) {
            peer::fill(static_cast<float *>(memory.get_data_handle()), desc.get_size() / 4);
        } else {
            auto *const bytes = static_cast<unsigned char *>(memory.get_data_handle());
            for (size_t i = 0; i < desc.get_size(); ++i) bytes[i] = (unsigned char)(1 + i % 7);
        }
        map.emplace(id, memory);
    }
};

static void time_primitive(const peer::problem &p, const dnnl::primitive &primitive, const char *impl,
        arguments &args, double ops, double budget_ms)
{
    dnnl::stream stream(cpu);
    peer::time_and_report(p, "cpu", (std::string("onednn:") + impl).c_str(), ops, budget_ms, [&] {
        primitive.execute(stream, args.map);
        stream.wait();
    });
}

static dims joined(std::initializer_list<int64_t> head, const std::vector<int64_t> &tail)
{
    dims all(head);
    all.insert(all.end(), tail.begin(), tail.end());
    return all;
}

static double product(const std::vector<int64_t> &values)
{
    double n = 1;
    for (const int64_t v : values) n *= double(v);
    return n;
}

static void conv(const peer::problem &p, double budget_ms)
{
    const int64_t groups = p.field("g"), ic = p.field("ic"), oc = p.field("oc"), mb = p.field("mb");
    const auto k = p.spatial("k");
    const dims stride = p.spatial("s"), pad = p.spatial("p");
    dims wei = joined({oc / groups, ic / groups}, k), dilation = p.spatial("d"), behind = pad;
    if (groups > 1) wei.insert(wei.begin(), groups);
    const auto in = p.spatial("i"), out = p.spatial("o");
    for (size_t i = 0; i < k.size(); ++i)
        behind[i] = (out[i] - 1) * stride[i] + (k[i] - 1) * (dilation[i] + 1) + 1 - in[i] - pad[i];
    const bool has_bias = p.options.at("dir") == "FWD_B";
    const auto dt = [&](size_t i) { return p.member("dt", i); };
    const md src = layout(joined({mb, ic}, in), dt(0), p.options.at("stag"));
    const md weights = layout(wei, dt(1), "any");
    const md dst = layout(joined({mb, oc}, out), dt(2), p.options.at("dtag"));
    const md bias = has_bias ? layout({oc}, "f32", "abx") : md();
    const auto algorithm = p.options.at("alg") == "direct" ? dnnl::algorithm::convolution_direct
                                                           : dnnl::algorithm::convolution_auto;
    const auto pd = describe<dnnl::convolution_forward>(dnnl::prop_kind::forward_inference, algorithm, src,
            weights, bias, dst, stride, dilation, pad, behind);
    arguments args;
    args.add(DNNL_ARG_SRC, pd.src_desc());
    args.add(DNNL_ARG_WEIGHTS, pd.weights_desc());
    args.add(DNNL_ARG_DST, pd.dst_desc());
    if (has_bias) args.add(DNNL_ARG_BIAS, pd.bias_desc());
    const double ops = 2. * double(mb * oc * (ic / groups)) * product(out) * product(k);
    time_primitive(p, dnnl::convolution_forward(pd), pd.impl_info_str(), args, ops, budget_ms);
}

static void matmul(const peer::problem &p, double budget_ms)
{
    const auto t = p.tensors();
    dims dst = t[0];
    for (size_t i = 0; i + 2 < dst.size(); ++i) dst[i] = std::max(t[0][i], t[1][i]);
    dst.back() = t[1].back();
    const auto tag = [&](const char *option) {
        const std::string name = p.options.at(option);
        return name == "any" ? std::string("abx") : name;
    };
    const auto pd = describe<dnnl::matmul>(layout(t[0], p.member("dt", 0), tag("stag")),
            layout(t[1], p.member("dt", 1), p.options.at("wtag")), layout(dst, p.member("dt", 2), tag("dtag")));
    arguments args;
    args.add(DNNL_ARG_SRC, pd.src_desc());
    args.add(DNNL_ARG_WEIGHTS, pd.weights_desc());
    args.add(DNNL_ARG_DST, pd.dst_desc());
    time_primitive(p, dnnl::matmul(pd), pd.impl_info_str(), args,
            2. * product(dst) * double(t[0].back()), budget_ms);
}

static void ip(const peer::problem &p, double budget_ms)
{
    const int64_t mb = p.field("mb"), ic = p.field("ic"), oc = p.field("oc");
    const auto in = p.spatial("i");
    const bool has_bias = p.options.at("dir") == "FWD_B";
    const auto dt = [&](size_t i) { return p.member("dt", i); };
    const auto pd = describe<dnnl::inner_product_forward>(dnnl::prop_kind::forward_inference,
            layout(joined({mb, ic}, in), dt(0), "abx"), layout(joined({oc, ic}, in), dt(1), "any"),
            has_bias ? layout({oc}, "f32", "abx") : md(), layout({mb, oc}, dt(2), "abx"));
    arguments args;
    args.add(DNNL_ARG_SRC, pd.src_desc());
    args.add(DNNL_ARG_WEIGHTS, pd.weights_desc());
    args.add(DNNL_ARG_DST, pd.dst_desc());
    if (has_bias) args.add(DNNL_ARG_BIAS, pd.bias_desc());
    time_primitive(p, dnnl::inner_product_forward(pd), pd.impl_info_str(), args,
            2. * double(mb * ic * oc) * product(in), budget_ms);
}

static void pool(const peer::problem &p, double budget_ms)
{
    static const std::map<std::string, dnnl::algorithm> algorithms {
            {"max", dnnl::algorithm::pooling_max}, {"avg_p", dnnl::algorithm::pooling_avg_include_padding},
            {"avg_np", dnnl::algorithm::pooling_avg_exclude_padding}};
    const int64_t mb = p.field("mb"), ic = p.field("ic");
    const auto k = p.spatial("k"), in = p.spatial("i"), out = p.spatial("o");
    const dims stride = p.spatial("s"), pad = p.spatial("p");
    dims behind = pad;
    for (size_t i = 0; i < k.size(); ++i) behind[i] = (out[i] - 1) * stride[i] + k[i] - in[i] - pad[i];
    const std::string tag = p.options.at("tag"), type = p.member("dt");
    const auto pd = describe<dnnl::pooling_forward>(dnnl::prop_kind::forward_inference,
            algorithms.at(p.options.at("alg")), layout(joined({mb, ic}, in), type, tag),
            layout(joined({mb, ic}, out), type, tag), stride, k,
#if DNNL_VERSION_MAJOR >= 3
            dims(k.size(), 0), // of the dilation
#endif
            pad, behind);
    arguments args;
    args.add(DNNL_ARG_SRC, pd.src_desc());
    args.add(DNNL_ARG_DST, pd.dst_desc());
    time_primitive(p, dnnl::pooling_forward(pd), pd.impl_info_str(), args, 0, budget_ms);
}

static void eltwise(const peer::problem &p, double budget_ms)
{
    static const std::map<std::string, dnnl::algorithm> algorithms {
            {"relu", dnnl::algorithm::eltwise_relu}, {"tanh", dnnl::algorithm::eltwise_tanh},
            {"gelu_erf", dnnl::algorithm::eltwise_gelu_erf}, {"exp", dnnl::algorithm::eltwise_exp},
            {"logistic", dnnl::algorithm::eltwise_logistic}, {"swish", dnnl::algorithm::eltwise_swish},
            {"hardswish", dnnl::algorithm::eltwise_hardswish}};
    const md data = layout(p.tensors()[0], p.member("dt"), p.options.at("tag"));
    const auto pd = describe<dnnl::eltwise_forward>(dnnl::prop_kind::forward_inference,
            algorithms.at(p.options.at("alg")), data,
#if DNNL_VERSION_MAJOR >= 3
            data,
#endif
            std::stof(p.options.at("alpha")), std::stof(p.options.at("beta")));
    arguments args;
    args.add(DNNL_ARG_SRC, data);
    args.add(DNNL_ARG_DST, data);
    time_primitive(p, dnnl::eltwise_forward(pd), pd.impl_info_str(), args, 0, budget_ms);
}

static void binary(const peer::problem &p, double budget_ms)
{
    static const std::map<std::string, dnnl::algorithm> algorithms {
            {"add", dnnl::algorithm::binary_add}, {"mul", dnnl::algorithm::binary_mul},
            {"max", dnnl::algorithm::binary_max}, {"min", dnnl::algorithm::binary_min}};
    const auto t = p.tensors();
    const md src0 = layout(t[0], p.member("sdt", 0), "abx"), src1 = layout(t[1], p.member("sdt", 1), "abx");
    const md dst = layout(t[0], p.member("ddt"), "abx");
    const auto pd = describe<dnnl::binary>(algorithms.at(p.options.at("alg")), src0, src1, dst);
    arguments args;
    args.add(DNNL_ARG_SRC_0, src0);
    args.add(DNNL_ARG_SRC_1, src1);
    args.add(DNNL_ARG_DST, dst);
    time_primitive(p, dnnl::binary(pd), pd.impl_info_str(), args, 0, budget_ms);
}

static void softmax(const peer::problem &p, double budget_ms)
{
    const md data = layout(p.tensors()[0], p.member("sdt"), p.options.at("stag"));
    const auto pd = describe<dnnl::softmax_forward>(dnnl::prop_kind::forward_inference,
#if DNNL_VERSION_MAJOR >= 3
            dnnl::algorithm::softmax_accurate, data,
#endif
            data, std::stoi(p.options.at("axis")));
    arguments args;
    args.add(DNNL_ARG_SRC, data);
    args.add(DNNL_ARG_DST, data);
    time_primitive(p, dnnl::softmax_forward(pd), pd.impl_info_str(), args, 0, budget_ms);
}

int main(int argc, char **argv)
{
    const double budget_ms = argc > 1 ? std::atof(argv[1]) : 300.;
    static const std::map<std::string, void (*)(const peer::problem &, double)> operations {{"conv", conv},
            {"matmul", matmul}, {"ip", ip}, {"pool", pool}, {"eltwise", eltwise}, {"binary", binary},
            {"softmax", softmax}};
    peer::for_each("peer_onednn", [&](const peer::problem &p) { operations.at(p.driver)(p, budget_ms); });
    return 0;
}
