// SPDX-License-Identifier: Apache-2.0
// Convolutions and poolings.
#include "onnx_ops.h"

#include <string.h>

/// Reads up to three integers, one for each spatial dimension, or sets them all to `otherwise`.
/// False if their number is another.
static bool read_spatial(
        const onnx_node_t *node, const char *name, int n, int64_t otherwise, prim_dim_t *values)
{
    const onnx_attribute_t *const a = onnx_attribute(node, name);
    for (int d = 0; d < n; ++d) values[d] = otherwise;
    if (!a) return true;
    if (!a->ints || a->n != (size_t)n) return false;
    for (int d = 0; d < n; ++d) values[d] = a->ints[d];
    return true;
}

/// Strides, dilations (Prim counts holes, ONNX steps) and pads that are given; `same` is 'U' or 'L'
/// for auto_pad, whose pads follow from the shape.
static bool read_window(const onnx_node_t *node, int n, graph_window_t *w, char *same)
{
    prim_dim_t pads[6] = {0};
    *w = (graph_window_t){.strides = {1, 1, 1}};
    if (!read_spatial(node, "strides", n, 1, w->strides) ||
            !read_spatial(node, "dilations", n, 1, w->dilates) ||
            !read_spatial(node, "pads", 2 * n, 0, pads))
        return false;
    for (int d = 0; d < n; ++d) {
        w->dilates[d] -= 1;
        w->pads_l[d] = pads[d];
        w->pads_r[d] = pads[n + d];
        if (w->strides[d] < 1 || w->dilates[d] < 0 || pads[d] < 0 || pads[n + d] < 0) return false;
    }
    const char *const how = onnx_string(node, "auto_pad", "NOTSET");
    *same = strncmp(how, "SAME_", 5) == 0 ? how[5] : 0;
    return *same || strcmp(how, "NOTSET") == 0 || strcmp(how, "VALID") == 0;
}

/// How far a window reaches in dimension d.
static prim_dim_t reach(const graph_window_t *w, const prim_dim_t *kernel, int d)
{
    return (kernel[d] - 1) * (w->dilates[d] + 1) + 1;
}

/// auto_pad SAME: the output has ⌈in/stride⌉ positions; an odd pad goes behind (U) or before (L).
static void pad_same(
        graph_window_t *w, const prim_dim_t *in, const prim_dim_t *kernel, int n, char same)
{
    for (int d = 0; d < n && same; ++d) {
        const prim_dim_t out = (in[d] + w->strides[d] - 1) / w->strides[d];
        prim_dim_t pad = (out - 1) * w->strides[d] + reach(w, kernel, d) - in[d];
        if (pad < 0) pad = 0;
        w->pads_l[d] = same == 'U' ? pad / 2 : pad - pad / 2;
        w->pads_r[d] = pad - w->pads_l[d];
    }
}

static int nspatial(const onnx_value_t *src)
{
    return src->ndims - 2;
}

bool onnx_accepts_conv(const onnx_model_t *model, const onnx_node_t *node, int wei_input)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const onnx_value_t *const wei = onnx_input(model, node, wei_input);
    graph_window_t w;
    char same;
    return src->ndims >= 3 && src->ndims <= 5 && wei && wei->ndims == src->ndims &&
           onnx_int(node, "group", 1) > 0 && read_window(node, nspatial(src), &w, &same);
}

static bool accepts_conv(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_accepts_conv(model, node, 1);
}

/// [G·OC, IC, …] as [G, OC, IC, …].
static graph_value_t grouped(const onnx_builder_t *b, graph_value_t wei, prim_dim_t groups)
{
    const int ndims = graph_ndims(b->graph, wei);
    const prim_dim_t *const from = graph_dims(b->graph, wei);
    if (groups == 1 || wei < 0) return wei;
    prim_dims_t dims = {groups, from[0] / groups};
    for (int d = 1; d < ndims; ++d) dims[d + 1] = from[d];
    return graph_reshape(b->graph, wei, ndims + 1, dims);
}

graph_value_t onnx_conv(
        const onnx_builder_t *b, graph_value_t src, graph_value_t wei, graph_value_t bia)
{
    if (src < 0 || wei < 0) return GRAPH_FAILED;
    graph_window_t w;
    char same = 0;
    const int n = graph_ndims(b->graph, src) - 2;
    (void)read_window(b->node, n, &w, &same);
    pad_same(&w, graph_dims(b->graph, src) + 2, graph_dims(b->graph, wei) + 2, n, same);
    return graph_conv(b->graph, src, grouped(b, wei, onnx_int(b->node, "group", 1)), bia, &w);
}

static void build_conv(const onnx_builder_t *b)
{
    onnx_set(b, 0, onnx_conv(b, onnx_in(b, 0), onnx_in(b, 1), onnx_in(b, 2)));
}

static bool accepts_deconv(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    graph_window_t w;
    char same;
    prim_dim_t more[3];
    return accepts_conv(model, node) && read_window(node, nspatial(src), &w, &same) && !same &&
           !onnx_attribute(node, "output_shape") &&
           read_spatial(node, "output_padding", nspatial(src), 0, more);
}

/// ONNX has the weights [G·IC, OC, …], Prim [(G,) OC, IC, …].
static graph_value_t transposed_weights(
        const onnx_builder_t *b, graph_value_t wei, prim_dim_t groups)
{
    const graph_value_t by_group = grouped(b, wei, groups);
    const int first = groups > 1, ndims = graph_ndims(b->graph, by_group);
    int order[ONNX_MAX_NDIMS];
    for (int d = 0; d < ndims; ++d) order[d] = d;
    order[first] = first + 1;
    order[first + 1] = first;
    return graph_transpose(b->graph, by_group, order);
}

static void build_deconv(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0), wei = onnx_in(b, 1);
    if (src < 0 || wei < 0) return;
    graph_window_t w;
    char same = 0;
    prim_dim_t more[3], out[3];
    const int n = graph_ndims(b->graph, src) - 2;
    const prim_dim_t *const in = graph_dims(b->graph, src) + 2;
    const prim_dim_t *const kernel = graph_dims(b->graph, wei) + 2;
    (void)read_window(b->node, n, &w, &same);
    (void)read_spatial(b->node, "output_padding", n, 0, more);
    for (int d = 0; d < n; ++d) {
        w.pads_r[d] -= more[d];
        out[d] = (in[d] - 1) * w.strides[d] + reach(&w, kernel, d) - w.pads_l[d] - w.pads_r[d];
    }
    const graph_value_t turned = transposed_weights(b, wei, onnx_int(b->node, "group", 1));
    onnx_set(b, 0, graph_deconv(b->graph, src, turned, onnx_in(b, 2), &w, out));
}

static bool is_max(const onnx_node_t *node)
{
    return strcmp(node->op, "MaxPool") == 0;
}

static bool accepts_pool(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const onnx_attribute_t *const kernel = onnx_attribute(node, "kernel_shape");
    graph_window_t w;
    char same;
    if (src->ndims < 3 || src->ndims > 5 || !kernel || kernel->n != (size_t)nspatial(src))
        return false;
    if (!read_window(node, nspatial(src), &w, &same)) return false;
    if (node->noutputs > 1 && node->outputs[1] >= 0) return false; // indices
    // The divisor of a last window that reaches beyond the padding is another one there.
    const bool is_ceil = onnx_int(node, "ceil_mode", 0) != 0;
    return is_max(node) || !is_ceil || !onnx_int(node, "count_include_pad", 0);
}

/// ceil_mode: one window more where some of it still lies on the tensor or the padding before it.
static void pad_for_ceil(graph_window_t *w, const prim_dim_t *in, const prim_dim_t *kernel, int n)
{
    for (int d = 0; d < n; ++d) {
        const prim_dim_t span = reach(w, kernel, d), stride = w->strides[d];
        const prim_dim_t room = in[d] + w->pads_l[d] + w->pads_r[d] - span;
        prim_dim_t steps = (room + stride - 1) / stride;
        if (steps * stride >= in[d] + w->pads_l[d]) --steps;
        const prim_dim_t pad = steps * stride + span - in[d] - w->pads_l[d];
        if (pad > w->pads_r[d]) w->pads_r[d] = pad;
    }
}

static void build_pool(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    graph_window_t w;
    char same = 0;
    prim_dim_t kernel[3];
    const int n = graph_ndims(b->graph, src) - 2;
    const prim_dim_t *const in = graph_dims(b->graph, src) + 2;
    (void)read_window(b->node, n, &w, &same);
    (void)read_spatial(b->node, "kernel_shape", n, 1, kernel);
    pad_same(&w, in, kernel, n, same);
    if (onnx_int(b->node, "ceil_mode", 0)) pad_for_ceil(&w, in, kernel, n);
    const prim_alg_kind_t alg = is_max(b->node) ? PRIM_POOLING_MAX
                                : onnx_int(b->node, "count_include_pad", 0)
                                        ? PRIM_POOLING_AVG_INCLUDE_PADDING
                                        : PRIM_POOLING_AVG_EXCLUDE_PADDING;
    onnx_set(b, 0, graph_pool(b->graph, src, alg, kernel, &w));
}

static bool accepts_global(const onnx_model_t *model, const onnx_node_t *node)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    return ndims >= 3 && ndims <= 5;
}

static void build_global(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const graph_window_t w = {.strides = {1, 1, 1}};
    const bool is_maximum = strcmp(b->node->op, "GlobalMaxPool") == 0;
    onnx_set(b, 0,
            graph_pool(b->graph, src,
                    is_maximum ? PRIM_POOLING_MAX : PRIM_POOLING_AVG_EXCLUDE_PADDING,
                    graph_dims(b->graph, src) + 2, &w));
}

const onnx_op_t onnx_window_ops[] = {
        {"AveragePool", accepts_pool, build_pool, ONNX_FLOATS},
        {"Conv", accepts_conv, build_conv, ONNX_FLOATS},
        {"ConvTranspose", accepts_deconv, build_deconv, ONNX_FLOATS},
        {"GlobalAveragePool", accepts_global, build_global, ONNX_FLOATS},
        {"GlobalMaxPool", accepts_global, build_global, ONNX_FLOATS},
        {"MaxPool", accepts_pool, build_pool, ONNX_MOVABLE},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
