// SPDX-License-Identifier: Apache-2.0
// Normalisations, softmax and reductions.
#include "onnx_ops.h"

#include <string.h>

static bool has_one_output(const onnx_node_t *node)
{
    for (int i = 1; i < node->noutputs; ++i)
        if (node->outputs[i] >= 0) return false;
    return true;
}

static bool accepts_batch_norm(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_input(model, node, 0)->ndims >= 2 && node->ninputs == 5 && has_one_output(node) &&
           !onnx_int(node, "training_mode", 0) && onnx_int(node, "spatial", 1);
}

static void build_batch_norm(const onnx_builder_t *b)
{
    onnx_set(b, 0,
            graph_batch_norm(b->graph, onnx_in(b, 0), onnx_in(b, 1), onnx_in(b, 2), onnx_in(b, 3),
                    onnx_in(b, 4), onnx_float(b->node, "epsilon", 1e-5f)));
}

static bool accepts_instance_norm(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_input(model, node, 0)->ndims >= 3 && onnx_input(model, node, 0)->ndims <= 5;
}

/// Each channel is a group of its own.
static void build_instance_norm(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    onnx_set(b, 0,
            graph_group_norm(b->graph, src, graph_dims(b->graph, src)[1], onnx_in(b, 1),
                    onnx_in(b, 2), onnx_float(b->node, "epsilon", 1e-5f)));
}

static prim_dim_t product(const prim_dim_t *dims, int from, int to)
{
    prim_dim_t n = 1;
    for (int d = from; d < to; ++d) n *= dims[d];
    return n;
}

/// The tensor as rows of all that stands from `axis` on.
static graph_value_t as_rows(const onnx_builder_t *b, graph_value_t src, int axis)
{
    const int ndims = graph_ndims(b->graph, src);
    const prim_dim_t *const dims = graph_dims(b->graph, src);
    const prim_dim_t rows[] = {product(dims, 0, axis), product(dims, axis, ndims)};
    return graph_reshape(b->graph, src, 2, rows);
}

/// `value` in the shape of `like`, whose dimensions are copied: values may move as nodes are added.
static graph_value_t in_shape_of(const onnx_builder_t *b, graph_value_t value, graph_value_t like)
{
    const int ndims = graph_ndims(b->graph, like);
    prim_dims_t dims;
    memcpy(dims, graph_dims(b->graph, like), (size_t)ndims * sizeof *dims);
    return graph_reshape(b->graph, value, ndims, dims);
}

static graph_value_t flat(const onnx_builder_t *b, graph_value_t value)
{
    if (value < 0) return value;
    const prim_dim_t n = product(graph_dims(b->graph, value), 0, graph_ndims(b->graph, value));
    return graph_reshape(b->graph, value, 1, &n);
}

/// Scale and shift have one value for each place in a row.
static bool is_row_parameter(const onnx_value_t *parameter, const onnx_value_t *src, int axis)
{
    if (!parameter) return true;
    if (parameter->ndims != src->ndims - axis) return false;
    for (int d = 0; d < parameter->ndims; ++d)
        if (parameter->dims[d] != src->dims[axis + d] || src->dims[axis + d] < 0) return false;
    return true;
}

static bool accepts_layer_norm(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const int64_t axis = onnx_int(node, "axis", -1);
    const int first = (int)(axis < 0 ? axis + src->ndims : axis);
    return first >= 1 && first < src->ndims && has_one_output(node) &&
           onnx_int(node, "stash_type", 1) == 1 &&
           is_row_parameter(onnx_input(model, node, 1), src, first) &&
           is_row_parameter(onnx_input(model, node, 2), src, first);
}

static void build_layer_norm(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const int axis = onnx_axis(onnx_int(b->node, "axis", -1), graph_ndims(b->graph, src));
    const graph_value_t y = graph_layer_norm(b->graph, as_rows(b, src, axis),
            flat(b, onnx_in(b, 1)), flat(b, onnx_in(b, 2)), onnx_float(b->node, "epsilon", 1e-5f));
    onnx_set(b, 0, in_shape_of(b, y, src));
}

static bool accepts_softmax(const onnx_model_t *model, const onnx_node_t *node)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    const int64_t axis = onnx_int(node, "axis", node->version < 13 ? 1 : -1);
    return axis >= -ndims && axis < ndims;
}

/// Before version 13 everything from the axis on is one row.
static void build_softmax(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const bool is_old = b->node->version < 13;
    const int axis =
            onnx_axis(onnx_int(b->node, "axis", is_old ? 1 : -1), graph_ndims(b->graph, src));
    const prim_alg_kind_t alg =
            strcmp(b->node->op, "LogSoftmax") == 0 ? PRIM_SOFTMAX_LOG : PRIM_SOFTMAX_ACCURATE;
    onnx_set(b, 0,
            is_old ? in_shape_of(b, graph_softmax(b->graph, as_rows(b, src, axis), alg, 1), src)
                   : graph_softmax(b->graph, src, alg, axis));
}

static const struct {
    const char *op;
    prim_alg_kind_t alg;
    float p;
} reductions[] = {
        {"ReduceL1", PRIM_REDUCTION_NORM_LP_SUM, 1},
        {"ReduceL2", PRIM_REDUCTION_NORM_LP_SUM, 2},
        {"ReduceMax", PRIM_REDUCTION_MAX, 0},
        {"ReduceMean", PRIM_REDUCTION_MEAN, 0},
        {"ReduceMin", PRIM_REDUCTION_MIN, 0},
        {"ReduceProd", PRIM_REDUCTION_MUL, 0},
        {"ReduceSum", PRIM_REDUCTION_SUM, 0},
        {"ReduceSumSquare", PRIM_REDUCTION_NORM_LP_POWER_P_SUM, 2},
};

/// The dimensions that are reduced, as a mask; −1 if they are not known.
static int64_t reduced(const onnx_model_t *model, const onnx_node_t *node, int ndims)
{
    int64_t axes[ONNX_MAX_NDIMS];
    const bool is_given = onnx_input(model, node, 1) || onnx_attribute(node, "axes");
    int n = is_given ? onnx_ints(model, node, 1, "axes", axes, ONNX_MAX_NDIMS) : 0;
    if (n < 0) return -1;
    if (n == 0)
        return onnx_int(node, "noop_with_empty_axes", 0) ? 0 : (int64_t)((1ull << ndims) - 1);
    int64_t mask = 0;
    for (; n > 0; --n) {
        const int64_t axis = axes[n - 1] < 0 ? axes[n - 1] + ndims : axes[n - 1];
        if (axis < 0 || axis >= ndims) return -1;
        mask |= (int64_t)1 << axis;
    }
    return mask;
}

static bool accepts_reduction(const onnx_model_t *model, const onnx_node_t *node)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    const int64_t mask = reduced(model, node, ndims);
    const bool is_scalar = !onnx_int(node, "keepdims", 1) && mask == (int64_t)((1ull << ndims) - 1);
    return mask > 0 && !is_scalar;
}

/// The shape without its reduced dimensions.
static graph_value_t without(const onnx_builder_t *b, graph_value_t value, int64_t mask)
{
    prim_dims_t dims = {0};
    int n = 0;
    for (int d = 0; d < graph_ndims(b->graph, value); ++d)
        if (!(mask >> d & 1)) dims[n++] = graph_dims(b->graph, value)[d];
    return graph_reshape(b->graph, value, n, dims);
}

static void build_reduction(const onnx_builder_t *b)
{
    graph_value_t y = onnx_in(b, 0);
    if (y < 0) return;
    int k = 0;
    while (strcmp(reductions[k].op, b->node->op) != 0) ++k;
    const int ndims = graph_ndims(b->graph, y);
    const int64_t mask = reduced(b->model, b->node, ndims);
    prim_dim_t n = 1;
    for (int d = 0; d < ndims; ++d)
        if (mask >> d & 1) n *= graph_dims(b->graph, y)[d];
    // Of one element, the norms and the square still change it.
    if (n != 1)
        y = graph_reduction(b->graph, y, reductions[k].alg, (unsigned)mask, reductions[k].p, 0);
    else if (reductions[k].p == 2 && strcmp(b->node->op, "ReduceL2") != 0)
        y = graph_eltwise(b->graph, y, PRIM_ELTWISE_SQUARE, 0, 0);
    else if (reductions[k].p > 0)
        y = graph_eltwise(b->graph, y, PRIM_ELTWISE_ABS, 0, 0);
    onnx_set(b, 0, onnx_int(b->node, "keepdims", 1) || y < 0 ? y : without(b, y, mask));
}

const onnx_op_t onnx_norm_ops[] = {
        {"BatchNormalization", accepts_batch_norm, build_batch_norm},
        {"InstanceNormalization", accepts_instance_norm, build_instance_norm},
        {"LayerNormalization", accepts_layer_norm, build_layer_norm},
        {"LogSoftmax", accepts_softmax, build_softmax},
        {"ReduceL1", accepts_reduction, build_reduction},
        {"ReduceL2", accepts_reduction, build_reduction},
        {"ReduceMax", accepts_reduction, build_reduction},
        {"ReduceMean", accepts_reduction, build_reduction},
        {"ReduceMin", accepts_reduction, build_reduction},
        {"ReduceProd", accepts_reduction, build_reduction},
        {"ReduceSum", accepts_reduction, build_reduction},
        {"ReduceSumSquare", accepts_reduction, build_reduction},
        {"Softmax", accepts_softmax, build_softmax},
        {NULL, NULL, NULL},
};
