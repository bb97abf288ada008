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
            graph_batch_norm(b->graph, onnx_in(b, 0), onnx_exact_in(b, 1), onnx_exact_in(b, 2),
                    onnx_exact_in(b, 3), onnx_exact_in(b, 4),
                    onnx_float(b->node, "epsilon", 1e-5f)));
}

static bool accepts_instance_norm(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_input(model, node, 0)->ndims >= 3 && onnx_input(model, node, 0)->ndims <= 5;
}

/// Before version 21 scale and shift belong to groups, not to channels.
static bool accepts_group_norm(const onnx_model_t *model, const onnx_node_t *node)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    return ndims >= 3 && ndims <= 5 && node->version >= 21 && onnx_int(node, "num_groups", 0) > 0 &&
           onnx_int(node, "stash_type", 1) == 1;
}

static void build_group_norm(const onnx_builder_t *b)
{
    onnx_set(b, 0,
            graph_group_norm(b->graph, onnx_in(b, 0), onnx_int(b->node, "num_groups", 1),
                    onnx_exact_in(b, 1), onnx_exact_in(b, 2),
                    onnx_float(b->node, "epsilon", 1e-5f)));
}

/// Each channel is a group of its own.
static void build_instance_norm(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    onnx_set(b, 0,
            graph_group_norm(b->graph, src, graph_dims(b->graph, src)[1], onnx_exact_in(b, 1),
                    onnx_exact_in(b, 2), onnx_float(b->node, "epsilon", 1e-5f)));
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
    if (!onnx_is_axis(axis, src->ndims) || onnx_int(node, "stash_type", 1) != 1) return false;
    const int first = onnx_axis(axis, src->ndims);
    return is_row_parameter(onnx_input(model, node, 1), src, first) &&
           is_row_parameter(onnx_input(model, node, 2), src, first);
}

/// The mean of each row, or of its squares.
static graph_value_t row_mean(const onnx_builder_t *b, graph_value_t rows)
{
    const bool is_single = rows >= 0 && graph_dims(b->graph, rows)[1] == 1;
    return is_single ? rows : graph_reduction(b->graph, rows, PRIM_REDUCTION_MEAN, 2, 0, 0);
}

/// 1/√(the mean of the squares + epsilon).
static graph_value_t inverse_norm(const onnx_builder_t *b, graph_value_t rows, float epsilon)
{
    graph_value_t y = graph_eltwise(b->graph, rows, PRIM_ELTWISE_SQUARE, 0, 0);
    y = graph_eltwise(b->graph, row_mean(b, y), PRIM_ELTWISE_LINEAR, 1, epsilon);
    return graph_eltwise(b->graph, y, PRIM_ELTWISE_POW, 1, -0.5f);
}

/// One value for each row, in src's rank.
static void set_row_statistic(
        const onnx_builder_t *b, int output, graph_value_t value, graph_value_t src, int axis)
{
    prim_dims_t dims;
    if (value < 0 || output >= b->node->noutputs) return;
    const int ndims = graph_ndims(b->graph, src);
    for (int d = 0; d < ndims; ++d) dims[d] = d < axis ? graph_dims(b->graph, src)[d] : 1;
    onnx_set(b, output, graph_reshape(b->graph, value, ndims, dims));
}

static void build_layer_norm(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const float epsilon = onnx_float(b->node, "epsilon", 1e-5f);
    const int axis = onnx_axis(onnx_int(b->node, "axis", -1), graph_ndims(b->graph, src));
    const graph_value_t rows = as_rows(b, src, axis);
    const graph_value_t y = graph_layer_norm(
            b->graph, rows, flat(b, onnx_exact_in(b, 1)), flat(b, onnx_exact_in(b, 2)), epsilon);
    onnx_set(b, 0, in_shape_of(b, y, src));
    if (has_one_output(b->node)) return;
    const graph_value_t mean = row_mean(b, rows);
    const graph_value_t centred = graph_binary(b->graph, PRIM_BINARY_SUB, rows, mean);
    set_row_statistic(b, 1, mean, src, axis);
    set_row_statistic(b, 2, inverse_norm(b, centred, epsilon), src, axis);
}

/// No primitive has it: x·1/√(mean x² + epsilon)·scale.
static void build_rms_norm(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    if (src < 0) return;
    const int axis = onnx_axis(onnx_int(b->node, "axis", -1), graph_ndims(b->graph, src));
    const graph_value_t rows = as_rows(b, src, axis);
    const graph_value_t factor = inverse_norm(b, rows, onnx_float(b->node, "epsilon", 1e-5f));
    graph_value_t y = graph_binary(b->graph, PRIM_BINARY_MUL, rows, factor);
    y = graph_binary(b->graph, PRIM_BINARY_MUL, y, flat(b, onnx_in(b, 1)));
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

/// Windows of an even size are not centred there.
static bool accepts_lrn(const onnx_model_t *model, const onnx_node_t *node)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    return ndims >= 2 && ndims <= 5 && onnx_int(node, "size", 0) % 2 == 1;
}

static void build_lrn(const onnx_builder_t *b)
{
    onnx_set(b, 0,
            graph_lrn(b->graph, onnx_in(b, 0), PRIM_LRN_ACROSS_CHANNELS,
                    onnx_int(b->node, "size", 1), onnx_float(b->node, "alpha", 1e-4f),
                    onnx_float(b->node, "beta", 0.75f), onnx_float(b->node, "bias", 1)));
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
    return mask > 0;
}

/// The shape without its reduced dimensions.
static graph_value_t without(const onnx_builder_t *b, graph_value_t value, int64_t mask)
{
    prim_dims_t dims = {0};
    int n = 0;
    for (int d = 0; d < graph_ndims(b->graph, value); ++d)
        if (!(mask >> d & 1)) dims[n++] = graph_dims(b->graph, value)[d];
    if (n == 0) dims[n++] = 1; // a scalar
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
        {"BatchNormalization", accepts_batch_norm, build_batch_norm, ONNX_FLOATS},
        {"GroupNormalization", accepts_group_norm, build_group_norm, ONNX_FLOATS},
        {"InstanceNormalization", accepts_instance_norm, build_instance_norm, ONNX_FLOATS},
        {"LRN", accepts_lrn, build_lrn, ONNX_FLOATS},
        {"LayerNormalization", accepts_layer_norm, build_layer_norm, ONNX_FLOATS},
        {"LogSoftmax", accepts_softmax, build_softmax, ONNX_FLOATS},
        {"RMSNormalization", accepts_layer_norm, build_rms_norm, ONNX_FLOATS},
        {"ReduceL1", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceL2", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceMax", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceMean", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceMin", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceProd", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceSum", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"ReduceSumSquare", accepts_reduction, build_reduction, ONNX_FLOATS},
        {"Softmax", accepts_softmax, build_softmax, ONNX_FLOATS},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
