// SPDX-License-Identifier: Apache-2.0
// Element-wise operators and products.
#include "onnx_ops.h"

#include <float.h>
#include <string.h>

/// A function of one tensor: its algorithm, and its parameters with the attributes that set them.
typedef struct {
    const char *op;
    prim_alg_kind_t alg;
    const char *alpha_name, *beta_name;
    float alpha, beta;
} function_t;

static const function_t functions[] = {
        {"Abs", PRIM_ELTWISE_ABS, NULL, NULL, 0, 0},
        {"Elu", PRIM_ELTWISE_ELU, "alpha", NULL, 1, 0},
        {"Exp", PRIM_ELTWISE_EXP, NULL, NULL, 0, 0},
        {"HardSigmoid", PRIM_ELTWISE_HARDSIGMOID, "alpha", "beta", 0.2f, 0.5f},
        {"HardSwish", PRIM_ELTWISE_HARDSWISH, NULL, NULL, 1.f / 6, 0.5f},
        {"LeakyRelu", PRIM_ELTWISE_RELU, "alpha", NULL, 0.01f, 0},
        {"Log", PRIM_ELTWISE_LOG, NULL, NULL, 0, 0},
        {"Mish", PRIM_ELTWISE_MISH, NULL, NULL, 0, 0},
        {"Neg", PRIM_ELTWISE_LINEAR, NULL, NULL, -1, 0},
        {"Reciprocal", PRIM_ELTWISE_POW, NULL, NULL, 1, -1},
        {"Relu", PRIM_ELTWISE_RELU, NULL, NULL, 0, 0},
        {"Round", PRIM_ELTWISE_ROUND, NULL, NULL, 0, 0},
        {"Sigmoid", PRIM_ELTWISE_LOGISTIC, NULL, NULL, 0, 0},
        {"Softplus", PRIM_ELTWISE_SOFT_RELU, NULL, NULL, 1, 0},
        {"Sqrt", PRIM_ELTWISE_SQRT, NULL, NULL, 0, 0},
        {"Tanh", PRIM_ELTWISE_TANH, NULL, NULL, 0, 0},
};

static void build_function(const onnx_builder_t *b)
{
    const function_t *f = functions;
    while (strcmp(f->op, b->node->op) != 0) ++f;
    const float alpha = f->alpha_name ? onnx_float(b->node, f->alpha_name, f->alpha) : f->alpha;
    const float beta = f->beta_name ? onnx_float(b->node, f->beta_name, f->beta) : f->beta;
    onnx_set(b, 0, graph_eltwise(b->graph, onnx_in(b, 0), f->alg, alpha, beta));
}

static void build_gelu(const onnx_builder_t *b)
{
    const bool is_tanh = strcmp(onnx_string(b->node, "approximate", "none"), "tanh") == 0;
    onnx_set(b, 0,
            graph_eltwise(b->graph, onnx_in(b, 0),
                    is_tanh ? PRIM_ELTWISE_GELU_TANH : PRIM_ELTWISE_GELU_ERF, 0, 0));
}

/// Bounds are attributes before version 11, then constant inputs here.
static bool read_bound(const onnx_model_t *model, const onnx_node_t *node, int input,
        const char *name, float *bound)
{
    const bool is_given = onnx_input(model, node, input) || onnx_attribute(node, name);
    return !is_given || onnx_scalar(model, node, input, name, bound);
}

static bool accepts_clip(const onnx_model_t *model, const onnx_node_t *node)
{
    float low = -FLT_MAX, high = FLT_MAX;
    return read_bound(model, node, 1, "min", &low) && read_bound(model, node, 2, "max", &high) &&
           low <= high;
}

static void build_clip(const onnx_builder_t *b)
{
    float low = -FLT_MAX, high = FLT_MAX;
    (void)read_bound(b->model, b->node, 1, "min", &low);
    (void)read_bound(b->model, b->node, 2, "max", &high);
    onnx_set(b, 0, graph_eltwise(b->graph, onnx_in(b, 0), PRIM_ELTWISE_CLIP_V2, low, high));
}

static bool accepts_pow(const onnx_model_t *model, const onnx_node_t *node)
{
    float exponent;
    return onnx_scalar(model, node, 1, NULL, &exponent) &&
           model->values[node->inputs[1]].ndims == 0;
}

static void build_pow(const onnx_builder_t *b)
{
    float exponent = 1;
    (void)onnx_scalar(b->model, b->node, 1, NULL, &exponent);
    onnx_set(b, 0, graph_eltwise(b->graph, onnx_in(b, 0), PRIM_ELTWISE_POW, 1, exponent));
}

static const struct {
    const char *op;
    prim_alg_kind_t alg;
} binaries[] = {
        {"Add", PRIM_BINARY_ADD},
        {"Div", PRIM_BINARY_DIV},
        {"Max", PRIM_BINARY_MAX},
        {"Mean", PRIM_BINARY_ADD},
        {"Min", PRIM_BINARY_MIN},
        {"Mul", PRIM_BINARY_MUL},
        {"Sub", PRIM_BINARY_SUB},
        {"Sum", PRIM_BINARY_ADD},
};

static bool accepts_prelu(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const onnx_value_t *const slope = onnx_input(model, node, 1);
    return slope && slope->ndims <= src->ndims && src->ndims >= 2;
}

/// Slopes are broadcast from the last dimension on; before version 7, a list of them goes along the
/// channels.
static void build_prelu(const onnx_builder_t *b)
{
    const graph_value_t src = onnx_in(b, 0);
    graph_value_t slope = onnx_in(b, 1);
    if (src < 0 || slope < 0) return;
    if (b->node->version < 7 && graph_ndims(b->graph, slope) == 1) {
        prim_dims_t dims;
        for (int d = 0; d < graph_ndims(b->graph, src); ++d) dims[d] = 1;
        dims[1] = graph_dims(b->graph, slope)[0];
        slope = graph_reshape(b->graph, slope, graph_ndims(b->graph, src), dims);
    }
    onnx_set(b, 0, graph_prelu(b->graph, src, slope));
}

static bool accepts_matmul(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const b = onnx_input(model, node, 1);
    return onnx_input(model, node, 0)->ndims >= 2 && b && b->ndims >= 2;
}

static void build_matmul(const onnx_builder_t *b)
{
    onnx_set(b, 0, graph_matmul(b->graph, onnx_in(b, 0), onnx_in(b, 1), GRAPH_ABSENT));
}

/// No primitive has the error function: GELU has, gelu(u) = u/2·(1 + erf(u/√2)), so that erf(|z|) =
/// 2·gelu(|u|)/|u| − 1 with u = √2·z. Beyond 10 it is 1 to the last bit.
static void build_erf(const onnx_builder_t *b)
{
    graph_t *const g = b->graph;
    graph_value_t u = graph_eltwise(g, onnx_in(b, 0), PRIM_ELTWISE_LINEAR, 1.41421356f, 0);
    u = graph_eltwise(g, u, PRIM_ELTWISE_CLIP_V2, -10, 10);
    graph_value_t size = graph_eltwise(g, u, PRIM_ELTWISE_ABS, 0, 0);
    size = graph_eltwise(g, size, PRIM_ELTWISE_CLIP_V2, 1e-4f, 10); // erf(z) is linear below
    graph_value_t y = graph_eltwise(g, size, PRIM_ELTWISE_GELU_ERF, 0, 0);
    y = graph_eltwise(g, graph_binary(g, PRIM_BINARY_DIV, y, size), PRIM_ELTWISE_LINEAR, 2, -1);
    y = graph_binary(g, PRIM_BINARY_MUL, y, graph_binary(g, PRIM_BINARY_DIV, u, size));
    onnx_set(b, 0, y);
}

static graph_value_t maybe_transposed(const onnx_builder_t *b, int i, const char *name)
{
    static const int exchange[] = {1, 0};
    return onnx_int(b->node, name, 0) ? graph_transpose(b->graph, onnx_in(b, i), exchange)
                                      : onnx_in(b, i);
}

static graph_value_t times(const onnx_builder_t *b, graph_value_t value, float factor)
{
    return factor == 1 ? value : graph_eltwise(b->graph, value, PRIM_ELTWISE_LINEAR, factor, 0);
}

/// Max, Mean, Min and Sum take any number of tensors.
static void build_binary(const onnx_builder_t *b)
{
    int k = 0;
    while (strcmp(binaries[k].op, b->node->op) != 0) ++k;
    graph_value_t value = onnx_in(b, 0);
    for (int i = 1; i < b->node->ninputs; ++i)
        value = graph_binary(b->graph, binaries[k].alg, value, onnx_in(b, i));
    const bool is_mean = strcmp(b->node->op, "Mean") == 0;
    const int gelu = onnx_find_gelu(b->model, b->node);
    if (gelu >= 0) value = graph_eltwise(b->graph, b->values[gelu], PRIM_ELTWISE_GELU_ERF, 0, 0);
    onnx_set(b, 0, is_mean ? times(b, value, 1 / (float)b->node->ninputs) : value);
}

/// alpha·A'·B' + beta·C.
static void build_gemm(const onnx_builder_t *b)
{
    graph_value_t y = graph_matmul(b->graph, maybe_transposed(b, 0, "transA"),
            maybe_transposed(b, 1, "transB"), GRAPH_ABSENT);
    y = times(b, y, onnx_float(b->node, "alpha", 1));
    if (onnx_in(b, 2) != GRAPH_ABSENT)
        y = graph_binary(b->graph, PRIM_BINARY_ADD, y,
                times(b, onnx_in(b, 2), onnx_float(b->node, "beta", 1)));
    onnx_set(b, 0, y);
}

static bool accepts_gemm(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const a = onnx_input(model, node, 0);
    const onnx_value_t *const b = onnx_input(model, node, 1);
    return a->ndims == 2 && b && b->ndims == 2;
}

/// In inference, dropout changes nothing. Before version 7 it had to be told.
static bool accepts_dropout(const onnx_model_t *model, const onnx_node_t *node)
{
    float is_training = 0;
    const bool is_known = !onnx_input(model, node, 2) || onnx_number(model, node, 2, &is_training);
    return (node->noutputs < 2 || node->outputs[1] < 0) && is_known && is_training == 0 &&
           (node->version >= 7 || onnx_int(node, "is_test", 0));
}

static void build_selu(const onnx_builder_t *b)
{
    const float alpha = onnx_float(b->node, "alpha", 1.67326319f);
    const graph_value_t y = graph_eltwise(b->graph, onnx_in(b, 0), PRIM_ELTWISE_ELU, alpha, 0);
    onnx_set(b, 0, times(b, y, onnx_float(b->node, "gamma", 1.05070102f)));
}

static void build_identity(const onnx_builder_t *b)
{
    onnx_set(b, 0, onnx_in(b, 0));
}

const onnx_op_t onnx_elementwise_ops[] = {
        {"Abs", NULL, build_function, ONNX_FLOATS},
        {"Add", NULL, build_binary, ONNX_FLOATS},
        {"Clip", accepts_clip, build_clip, ONNX_FLOATS},
        {"Div", NULL, build_binary, ONNX_FLOATS},
        {"Dropout", accepts_dropout, build_identity, ONNX_MOVABLE},
        {"Elu", NULL, build_function, ONNX_FLOATS},
        {"Erf", NULL, build_erf, ONNX_FLOATS},
        {"Exp", NULL, build_function, ONNX_FLOATS},
        {"Gelu", NULL, build_gelu, ONNX_FLOATS},
        {"Gemm", accepts_gemm, build_gemm, ONNX_FLOATS},
        {"HardSigmoid", NULL, build_function, ONNX_FLOATS},
        {"HardSwish", NULL, build_function, ONNX_FLOATS},
        {"Identity", NULL, build_identity, ONNX_MOVABLE},
        {"LeakyRelu", NULL, build_function, ONNX_FLOATS},
        {"Log", NULL, build_function, ONNX_FLOATS},
        {"MatMul", accepts_matmul, build_matmul, ONNX_FLOATS},
        {"Max", NULL, build_binary, ONNX_FLOATS},
        {"Mean", NULL, build_binary, ONNX_FLOATS},
        {"Min", NULL, build_binary, ONNX_FLOATS},
        {"Mish", NULL, build_function, ONNX_FLOATS},
        {"Mul", NULL, build_binary, ONNX_FLOATS},
        {"Neg", NULL, build_function, ONNX_FLOATS},
        {"PRelu", accepts_prelu, build_prelu, ONNX_FLOATS},
        {"Pow", accepts_pow, build_pow, ONNX_FLOATS},
        {"Reciprocal", NULL, build_function, ONNX_FLOATS},
        {"Relu", NULL, build_function, ONNX_FLOATS},
        {"Round", NULL, build_function, ONNX_FLOATS},
        {"Selu", NULL, build_selu, ONNX_FLOATS},
        {"Sigmoid", NULL, build_function, ONNX_FLOATS},
        {"Softplus", NULL, build_function, ONNX_FLOATS},
        {"Sqrt", NULL, build_function, ONNX_FLOATS},
        {"Sub", NULL, build_binary, ONNX_FLOATS},
        {"Sum", NULL, build_binary, ONNX_FLOATS},
        {"Tanh", NULL, build_function, ONNX_FLOATS},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
