// SPDX-License-Identifier: Apache-2.0
// Operators that repeat elements or put them elsewhere: Expand, Gather, Pad, Tile. Their parameters
// are constants.
#include "onnx_ops.h"

#include <string.h>

enum { MAX_INDICES = 256 };

/// The product that repeats elements is one of floats: integers of 32 bits may not fit.
static bool accepts_expand(const onnx_model_t *model, const onnx_node_t *node)
{
    int64_t shape[ONNX_MAX_NDIMS];
    return onnx_ints(model, node, 1, NULL, shape, ONNX_MAX_NDIMS) >= 0 &&
           onnx_input(model, node, 0)->element_type != ORT_INT32;
}

/// The shape and the tensor's are broadcast to each other.
static void build_expand(const onnx_builder_t *b)
{
    int64_t shape[ONNX_MAX_NDIMS];
    prim_dims_t dims;
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const int n = onnx_ints(b->model, b->node, 1, NULL, shape, ONNX_MAX_NDIMS);
    const int own = graph_ndims(b->graph, src), ndims = n > own ? n : own;
    for (int d = 0; d < ndims; ++d) {
        const prim_dim_t wanted = d < ndims - n ? 1 : shape[d - (ndims - n)];
        const prim_dim_t has = d < ndims - own ? 1 : graph_dims(b->graph, src)[d - (ndims - own)];
        dims[d] = has == 1 ? wanted : has;
    }
    onnx_set(b, 0, graph_expand(b->graph, src, ndims, dims));
}

/// The constant indices, in row-major order; returns how many, or −1.
static int read_indices(const onnx_model_t *model, const onnx_node_t *node, int64_t *indices)
{
    const onnx_value_t *const given = onnx_input(model, node, 1);
    if (!given || !given->is_constant || !given->data) return -1;
    int64_t n = 1;
    for (int d = 0; d < given->ndims; ++d) n *= given->dims[d];
    if (n > MAX_INDICES) return -1;
    for (int i = 0; i < n; ++i) {
        if (given->element_type == ORT_INT64)
            indices[i] = ((const int64_t *)given->data)[i];
        else if (given->element_type == ORT_INT32)
            indices[i] = ((const int32_t *)given->data)[i];
        else
            return -1;
    }
    return (int)n;
}

static bool accepts_gather(const onnx_model_t *model, const onnx_node_t *node)
{
    int64_t indices[MAX_INDICES];
    const onnx_value_t *const src = onnx_input(model, node, 0);
    return onnx_is_axis(onnx_int(node, "axis", 0), src->ndims) &&
           read_indices(model, node, indices) > 0 &&
           src->ndims - 1 + onnx_input(model, node, 1)->ndims <= PRIM_MAX_NDIMS;
}

/// The indices' shape stands in the place of the axis.
static void build_gather(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    int64_t indices[MAX_INDICES];
    const int n = read_indices(b->model, b->node, indices), ndims = graph_ndims(b->graph, src);
    const int axis = onnx_axis(onnx_int(b->node, "axis", 0), ndims);
    for (int i = 0; i < n; ++i)
        if (indices[i] < 0) indices[i] += graph_dims(b->graph, src)[axis];
    const graph_value_t y = graph_gather(b->graph, src, axis, n, indices);
    const onnx_value_t *const shape = onnx_input(b->model, b->node, 1);
    prim_dims_t dims;
    int to = 0;
    for (int d = 0; d < ndims; ++d) {
        if (d != axis) dims[to++] = graph_dims(b->graph, src)[d];
        for (int k = 0; d == axis && k < shape->ndims; ++k) dims[to++] = shape->dims[k];
    }
    if (to == 0) dims[to++] = 1; // a scalar
    onnx_set(b, 0, y < 0 ? y : graph_reshape(b->graph, y, to, dims));
}

typedef struct {
    char mode; ///< 'c' constant, 'r' reflect, 'e' edge, 'w' wrap
    prim_dims_t before, after;
    float value;
} padding_t;

/// Pads and the value are attributes before version 11.
static bool read_padding(const onnx_model_t *model, const onnx_node_t *node, padding_t *p)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    int64_t pads[2 * ONNX_MAX_NDIMS], axes[ONNX_MAX_NDIMS];
    *p = (padding_t){.mode = onnx_string(node, "mode", "constant")[0]};
    const int n = onnx_ints(model, node, 1, "pads", pads, 2 * ONNX_MAX_NDIMS) / 2;
    for (int i = 0; i < ndims; ++i) axes[i] = i;
    const bool has_axes = onnx_input(model, node, 3);
    if (has_axes && onnx_ints(model, node, 3, NULL, axes, ONNX_MAX_NDIMS) != n) return false;
    if (n < 1 || (!has_axes && n != ndims)) return false;
    for (int i = 0; i < n; ++i) {
        if (!onnx_is_axis(axes[i], ndims)) return false;
        const int d = onnx_axis(axes[i], ndims);
        p->before[d] = pads[i];
        p->after[d] = pads[n + i];
        const bool is_cut = pads[i] < 0 || pads[n + i] < 0;
        if (p->mode != 'c' && (is_cut || pads[i] + pads[n + i] >= MAX_INDICES)) return false;
    }
    p->value = onnx_float(node, "value", 0);
    return !onnx_input(model, node, 2) || onnx_number(model, node, 2, &p->value);
}

static bool accepts_pad(const onnx_model_t *model, const onnx_node_t *node)
{
    padding_t p;
    return onnx_input(model, node, 0)->ndims > 0 && read_padding(model, node, &p);
}

/// Where the element at `i`, which may lie outside 0..n−1, comes from.
static prim_dim_t source(char mode, prim_dim_t i, prim_dim_t n)
{
    if (mode == 'e' || n == 1) return i < 0 ? 0 : i >= n ? n - 1 : i;
    const prim_dim_t period = mode == 'w' ? n : 2 * (n - 1);
    const prim_dim_t inside = (i % period + period) % period;
    return inside < n ? inside : period - inside;
}

/// Elements of the tensor itself around dimension `axis`: pieces before, all of it, pieces behind.
static graph_value_t repeat_border(
        const onnx_builder_t *b, graph_value_t src, int axis, const padding_t *p)
{
    if (src < 0) return src;
    const prim_dim_t n = graph_dims(b->graph, src)[axis];
    prim_dim_t indices[MAX_INDICES];
    const prim_dim_t before = p->before[axis], after = p->after[axis];
    if (n < 1) return GRAPH_FAILED;
    for (prim_dim_t i = 0; i < before; ++i) indices[i] = source(p->mode, i - before, n);
    for (prim_dim_t i = 0; i < after; ++i) indices[before + i] = source(p->mode, n + i, n);
    graph_value_t parts[3];
    int nparts = 0;
    if (before) parts[nparts++] = graph_gather(b->graph, src, axis, before, indices);
    parts[nparts++] = src;
    if (after) parts[nparts++] = graph_gather(b->graph, src, axis, after, indices + before);
    return nparts == 1 ? src : graph_concat(b->graph, nparts, parts, axis);
}

/// Negative pads cut off.
static graph_value_t cut(const onnx_builder_t *b, graph_value_t src, padding_t *p)
{
    prim_dims_t dims, offsets = {0};
    bool is_cut = false;
    for (int d = 0; d < graph_ndims(b->graph, src); ++d) {
        dims[d] = graph_dims(b->graph, src)[d];
        if (p->before[d] < 0) offsets[d] = -p->before[d];
        if (p->after[d] < 0) dims[d] += p->after[d];
        dims[d] -= offsets[d];
        is_cut = is_cut || p->before[d] < 0 || p->after[d] < 0;
        if (p->before[d] < 0) p->before[d] = 0;
        if (p->after[d] < 0) p->after[d] = 0;
    }
    return is_cut ? graph_slice(b->graph, src, offsets, dims) : src;
}

static void build_pad(const onnx_builder_t *b)
{
    graph_value_t y = onnx_in(b, 0);
    padding_t p;
    if (y < 0 || !read_padding(b->model, b->node, &p)) return;
    y = cut(b, y, &p);
    if (p.mode == 'c')
        y = graph_pad(b->graph, y, p.before, p.after, p.value);
    else
        for (int d = 0; d < graph_ndims(b->graph, y); ++d) y = repeat_border(b, y, d, &p);
    onnx_set(b, 0, y);
}

static bool accepts_tile(const onnx_model_t *model, const onnx_node_t *node)
{
    int64_t repeats[ONNX_MAX_NDIMS];
    const int ndims = onnx_input(model, node, 0)->ndims;
    if (ndims < 1 || onnx_ints(model, node, 1, NULL, repeats, ONNX_MAX_NDIMS) != ndims)
        return false;
    for (int d = 0; d < ndims; ++d)
        if (repeats[d] < 1 || repeats[d] > MAX_INDICES) return false;
    return true;
}

static void build_tile(const onnx_builder_t *b)
{
    graph_value_t y = onnx_in(b, 0), copies[MAX_INDICES];
    int64_t repeats[ONNX_MAX_NDIMS];
    (void)onnx_ints(b->model, b->node, 1, NULL, repeats, ONNX_MAX_NDIMS);
    for (int d = 0; d < graph_ndims(b->graph, onnx_in(b, 0)); ++d) {
        for (int i = 0; i < repeats[d]; ++i) copies[i] = y;
        if (repeats[d] > 1) y = graph_concat(b->graph, (int)repeats[d], copies, d);
    }
    onnx_set(b, 0, y);
}

const onnx_op_t onnx_move_ops[] = {
        {"Expand", accepts_expand, build_expand, ONNX_MOVABLE},
        {"Gather", accepts_gather, build_gather, ONNX_MOVABLE},
        {"Pad", accepts_pad, build_pad, ONNX_MOVABLE},
        {"Tile", accepts_tile, build_tile, ONNX_MOVABLE},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
