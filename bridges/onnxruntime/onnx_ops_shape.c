// SPDX-License-Identifier: Apache-2.0
// Operators that move elements or only name them anew.
#include "onnx_ops.h"

#include <stdlib.h>
#include <string.h>

static bool accepts_concat(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_is_axis(onnx_int(node, "axis", 0), onnx_input(model, node, 0)->ndims);
}

static void build_concat(const onnx_builder_t *b)
{
    const int n = b->node->ninputs;
    graph_value_t *const values = malloc((size_t)n * sizeof *values);
    if (!values || onnx_in(b, 0) < 0) {
        free(values);
        return;
    }
    for (int i = 0; i < n; ++i) values[i] = onnx_in(b, i);
    const int axis = onnx_axis(onnx_int(b->node, "axis", 0), graph_ndims(b->graph, values[0]));
    onnx_set(b, 0, graph_concat(b->graph, n, values, axis));
    free(values);
}

enum { MAX_PARTS = 64 };

/// The given sizes of the parts; 0: equal ones; −1: not known.
static int read_parts(const onnx_model_t *model, const onnx_node_t *node, int64_t *parts)
{
    const bool is_given = onnx_input(model, node, 1) || onnx_attribute(node, "split");
    return is_given ? onnx_ints(model, node, 1, "split", parts, MAX_PARTS) : 0;
}

static bool accepts_split(const onnx_model_t *model, const onnx_node_t *node)
{
    int64_t parts[MAX_PARTS];
    const int n = read_parts(model, node, parts);
    return node->noutputs <= MAX_PARTS && (n == 0 || n == node->noutputs) &&
           onnx_is_axis(onnx_int(node, "axis", 0), onnx_input(model, node, 0)->ndims);
}

static void build_split(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    int64_t parts[MAX_PARTS];
    prim_dims_t dims, offsets = {0};
    const int ndims = graph_ndims(b->graph, src);
    const int axis = onnx_axis(onnx_int(b->node, "axis", 0), ndims), n = b->node->noutputs;
    memcpy(dims, graph_dims(b->graph, src), (size_t)ndims * sizeof *dims);
    const prim_dim_t all = dims[axis], equal = (all + n - 1) / n;
    const bool is_given = read_parts(b->model, b->node, parts) > 0;
    for (int i = 0; i < n; ++i) {
        const prim_dim_t left = all - offsets[axis];
        dims[axis] = is_given ? parts[i] : equal < left ? equal : left;
        onnx_set(b, i, graph_slice(b->graph, src, offsets, dims));
        offsets[axis] += dims[axis];
    }
}

/// A slice's constant parameters; `n` of each.
typedef struct {
    int n;
    int64_t starts[ONNX_MAX_NDIMS], ends[ONNX_MAX_NDIMS], axes[ONNX_MAX_NDIMS];
} slice_t;

/// Steps other than 1 are not taken.
static bool read_slice(const onnx_model_t *model, const onnx_node_t *node, slice_t *s)
{
    int64_t steps[ONNX_MAX_NDIMS];
    const int ndims = onnx_input(model, node, 0)->ndims;
    s->n = onnx_ints(model, node, 1, "starts", s->starts, ONNX_MAX_NDIMS);
    if (s->n < 0 || onnx_ints(model, node, 2, "ends", s->ends, ONNX_MAX_NDIMS) != s->n)
        return false;
    const bool has_axes = onnx_input(model, node, 3) || onnx_attribute(node, "axes");
    for (int i = 0; i < s->n; ++i) s->axes[i] = i;
    if (has_axes && onnx_ints(model, node, 3, "axes", s->axes, ONNX_MAX_NDIMS) != s->n)
        return false;
    if (onnx_input(model, node, 4)) {
        if (onnx_ints(model, node, 4, NULL, steps, ONNX_MAX_NDIMS) != s->n) return false;
        for (int i = 0; i < s->n; ++i)
            if (steps[i] != 1) return false;
    }
    for (int i = 0; i < s->n; ++i)
        if (!onnx_is_axis(s->axes[i], ndims)) return false;
    return true;
}

static bool accepts_slice(const onnx_model_t *model, const onnx_node_t *node)
{
    slice_t s;
    return read_slice(model, node, &s);
}

/// Positions count from the end where they are negative, and end at the tensor.
static prim_dim_t clamped(int64_t position, prim_dim_t size)
{
    if (position < 0) position += size;
    return position < 0 ? 0 : position > size ? size : position;
}

static void build_slice(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    slice_t s;
    if (src < 0 || !read_slice(b->model, b->node, &s)) return;
    const int ndims = graph_ndims(b->graph, src);
    prim_dims_t dims, offsets = {0};
    memcpy(dims, graph_dims(b->graph, src), (size_t)ndims * sizeof *dims);
    for (int i = 0; i < s.n; ++i) {
        const int d = onnx_axis(s.axes[i], ndims);
        const prim_dim_t size = graph_dims(b->graph, src)[d];
        const prim_dim_t end = clamped(s.ends[i], size);
        offsets[d] = clamped(s.starts[i], size);
        dims[d] = end > offsets[d] ? end - offsets[d] : 0;
    }
    onnx_set(b, 0, graph_slice(b->graph, src, offsets, dims));
}

static bool accepts_transpose(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_attribute_t *const perm = onnx_attribute(node, "perm");
    return !perm || (perm->ints && perm->n == (size_t)onnx_input(model, node, 0)->ndims);
}

static void build_transpose(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    const onnx_attribute_t *const perm = onnx_attribute(b->node, "perm");
    int order[ONNX_MAX_NDIMS];
    const int ndims = graph_ndims(b->graph, src);
    for (int d = 0; d < ndims; ++d) order[d] = perm ? (int)perm->ints[d] : ndims - 1 - d;
    onnx_set(b, 0, graph_transpose(b->graph, src, order));
}

static bool accepts_reshape(const onnx_model_t *model, const onnx_node_t *node)
{
    int64_t shape[ONNX_MAX_NDIMS];
    const int n = onnx_ints(model, node, 1, "shape", shape, ONNX_MAX_NDIMS);
    int nunknown = 0;
    for (int d = 0; d < n; ++d) nunknown += shape[d] == -1;
    return n > 0 && nunknown <= 1;
}

static void build_reshape(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    int64_t dims[ONNX_MAX_NDIMS];
    const int n = onnx_ints(b->model, b->node, 1, "shape", dims, ONNX_MAX_NDIMS);
    const bool zero_copies = !onnx_int(b->node, "allowzero", 0);
    const int ndims = graph_ndims(b->graph, src);
    prim_dim_t all = 1, known = 1;
    int unknown = -1;
    for (int d = 0; d < ndims; ++d) all *= graph_dims(b->graph, src)[d];
    for (int d = 0; d < n; ++d) {
        if (dims[d] == 0 && zero_copies && d < ndims) dims[d] = graph_dims(b->graph, src)[d];
        if (dims[d] == -1)
            unknown = d;
        else
            known *= dims[d];
    }
    if (unknown >= 0) dims[unknown] = known ? all / known : 0;
    onnx_set(b, 0, graph_reshape(b->graph, src, n, dims));
}

static bool accepts_flatten(const onnx_model_t *model, const onnx_node_t *node)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    const int64_t axis = onnx_int(node, "axis", 1);
    return axis >= -ndims && axis <= ndims;
}

static void build_flatten(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    const int ndims = graph_ndims(b->graph, src);
    const int64_t axis = onnx_int(b->node, "axis", 1);
    prim_dim_t dims[] = {1, 1};
    for (int d = 0; d < ndims; ++d)
        dims[d >= (axis < 0 ? axis + ndims : axis)] *= graph_dims(b->graph, src)[d];
    onnx_set(b, 0, graph_reshape(b->graph, src, 2, dims));
}

/// Reads axes as a mask of dimensions of a tensor of rank `ndims`; −1 if they are not known.
static int64_t read_axes(const onnx_model_t *model, const onnx_node_t *node, int ndims)
{
    int64_t axes[ONNX_MAX_NDIMS], mask = 0;
    const int n = onnx_ints(model, node, 1, "axes", axes, ONNX_MAX_NDIMS);
    for (int i = 0; i < n; ++i) {
        if (!onnx_is_axis(axes[i], ndims)) return -1;
        mask |= (int64_t)1 << (axes[i] < 0 ? axes[i] + ndims : axes[i]);
    }
    return n < 0 ? -1 : mask;
}

static int count_bits(int64_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1) ++n;
    return n;
}

/// Rank of the result of Unsqueeze: the mask counts in it.
static int64_t unsqueezed(const onnx_model_t *model, const onnx_node_t *node, int *ndims)
{
    int64_t axes[ONNX_MAX_NDIMS];
    const int n = onnx_ints(model, node, 1, "axes", axes, ONNX_MAX_NDIMS);
    *ndims = onnx_input(model, node, 0)->ndims + n;
    if (n < 0 || *ndims > ONNX_MAX_NDIMS) return -1;
    const int64_t mask = read_axes(model, node, *ndims);
    return count_bits(mask) == n ? mask : -1;
}

static bool accepts_unsqueeze(const onnx_model_t *model, const onnx_node_t *node)
{
    int ndims;
    return unsqueezed(model, node, &ndims) >= 0;
}

static void build_unsqueeze(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    prim_dims_t dims;
    int ndims = 0, next = 0;
    const int64_t mask = unsqueezed(b->model, b->node, &ndims);
    for (int d = 0; d < ndims; ++d) dims[d] = mask >> d & 1 ? 1 : graph_dims(b->graph, src)[next++];
    onnx_set(b, 0, graph_reshape(b->graph, src, ndims, dims));
}

/// Without axes every dimension of 1 goes, which is known where the shape is.
static bool accepts_squeeze(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const int64_t mask = read_axes(model, node, src->ndims);
    return mask > 0 && count_bits(mask) < src->ndims;
}

static void build_squeeze(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const int ndims = graph_ndims(b->graph, src);
    const int64_t mask = read_axes(b->model, b->node, ndims);
    prim_dims_t dims;
    int n = 0;
    for (int d = 0; d < ndims; ++d)
        if (!(mask >> d & 1)) dims[n++] = graph_dims(b->graph, src)[d];
    onnx_set(b, 0, graph_reshape(b->graph, src, n, dims));
}

/// From floats to integers ONNX cuts off where Prim rounds, and of other types to bool it compares
/// with 0.
static bool accepts_cast(const onnx_model_t *model, const onnx_node_t *node)
{
    const int from = onnx_input(model, node, 0)->element_type;
    return onnx_is_float((int)onnx_int(node, "to", 0)) && from != ORT_INT64;
}

static void build_cast(const onnx_builder_t *b)
{
    const prim_data_type_t to = onnx_data_type((int)onnx_int(b->node, "to", 0));
    onnx_set(b, 0, graph_convert(b->graph, onnx_in(b, 0), to == PRIM_F32 ? b->f32 : to));
}

static bool accepts_rearrangement(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_input(model, node, 0)->ndims == 4 && onnx_int(node, "blocksize", 0) > 0;
}

/// Blocks of b × b positions become channels, or channels such blocks: [N, C, H, W] is looked at as
/// six dimensions, whose order changes.
static void build_rearrangement(const onnx_builder_t *b)
{
    static const int to_depth[] = {0, 3, 5, 1, 2, 4};
    static const int dcr[] = {0, 3, 4, 1, 5, 2}, crd[] = {0, 1, 4, 2, 5, 3};
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const prim_dim_t k = onnx_int(b->node, "blocksize", 1);
    const prim_dim_t *const in = graph_dims(b->graph, src);
    const prim_dim_t n = in[0], c = in[1], h = in[2], w = in[3];
    const bool is_space = strcmp(b->node->op, "SpaceToDepth") == 0;
    const bool is_crd = strcmp(onnx_string(b->node, "mode", "DCR"), "CRD") == 0;
    const prim_dim_t to_depth_dims[] = {n, c, h / k, k, w / k, k};
    const prim_dim_t dcr_dims[] = {n, k, k, c / (k * k), h, w};
    const prim_dim_t crd_dims[] = {n, c / (k * k), k, k, h, w};
    const prim_dim_t depth[] = {n, c * k * k, h / k, w / k},
                     space[] = {n, c / (k * k), h * k, w * k};
    graph_value_t y = graph_reshape(b->graph, src, 6,
            is_space ? to_depth_dims
            : is_crd ? crd_dims
                     : dcr_dims);
    y = graph_transpose(b->graph, y, is_space ? to_depth : is_crd ? crd : dcr);
    onnx_set(b, 0, graph_reshape(b->graph, y, 4, is_space ? depth : space));
}

const onnx_op_t onnx_shape_ops[] = {
        {"Cast", accepts_cast, build_cast, ONNX_OWN_RULE},
        {"Concat", accepts_concat, build_concat, ONNX_MOVABLE},
        {"DepthToSpace", accepts_rearrangement, build_rearrangement, ONNX_MOVABLE},
        {"Flatten", accepts_flatten, build_flatten, ONNX_MOVABLE},
        {"Reshape", accepts_reshape, build_reshape, ONNX_MOVABLE},
        {"Slice", accepts_slice, build_slice, ONNX_MOVABLE},
        {"SpaceToDepth", accepts_rearrangement, build_rearrangement, ONNX_MOVABLE},
        {"Split", accepts_split, build_split, ONNX_MOVABLE},
        {"Squeeze", accepts_squeeze, build_squeeze, ONNX_MOVABLE},
        {"Transpose", accepts_transpose, build_transpose, ONNX_MOVABLE},
        {"Unsqueeze", accepts_unsqueeze, build_unsqueeze, ONNX_MOVABLE},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
