// SPDX-License-Identifier: Apache-2.0
// Quantised operators: each is built from dequantised tensors, and the graph makes products of
// integers of them (graph_dequantize()).
#include "onnx_ops.h"

#include <string.h>

static bool is_int8(const onnx_value_t *value)
{
    return value && value->ndims >= 0 &&
           (value->element_type == ORT_INT8 || value->element_type == ORT_UINT8);
}

/// One value, or a list of them.
static bool is_list(const onnx_value_t *value)
{
    return value->ndims == 0 || value->ndims == 1;
}

static bool is_single(const onnx_value_t *value)
{
    return value->ndims == 0 || (value->ndims == 1 && value->dims[0] == 1);
}

/// Scale and zero point (`scale` + 1) of a tensor: f32, and 8 bits or absent.
static bool has_parameters(const onnx_model_t *model, const onnx_node_t *node, int scale,
        bool (*fits)(const onnx_value_t *value))
{
    const onnx_value_t *const s = onnx_input(model, node, scale);
    const onnx_value_t *const z = onnx_input(model, node, scale + 1);
    return s && s->element_type == ORT_FLOAT && fits(s) && (!z || (is_int8(z) && fits(z)));
}

/// Lists of several go along an axis of the tensor; blocks of an axis are not taken.
static bool has_axis(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const scale = onnx_input(model, node, 1);
    return !onnx_int(node, "block_size", 0) &&
           (is_single(scale) ||
                   onnx_is_axis(onnx_int(node, "axis", 1), onnx_input(model, node, 0)->ndims));
}

static bool accepts_quantize(const onnx_model_t *model, const onnx_node_t *node)
{
    return onnx_is_float(onnx_input(model, node, 0)->element_type) &&
           is_int8(&model->values[node->outputs[0]]) && has_parameters(model, node, 1, is_list) &&
           has_axis(model, node);
}

static int axis_of(const onnx_builder_t *b)
{
    const int64_t axis = onnx_int(b->node, "axis", 1);
    const int ndims = graph_ndims(b->graph, onnx_exact_in(b, 0));
    return onnx_is_axis(axis, ndims) ? onnx_axis(axis, ndims) : 0;
}

static prim_data_type_t type_of_output(const onnx_builder_t *b)
{
    return onnx_data_type(b->model->values[b->node->outputs[0]].element_type);
}

static void build_quantize(const onnx_builder_t *b)
{
    onnx_set(b, 0,
            graph_quantize(b->graph, onnx_in(b, 0), onnx_exact_in(b, 1), onnx_exact_in(b, 2),
                    axis_of(b), type_of_output(b)));
}

/// Biases are of 32 bits; exporters often write their zero point, a list of zeros.
static bool accepts_dequantize(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const onnx_value_t *const scale = onnx_input(model, node, 1);
    const onnx_value_t *const zero = onnx_input(model, node, 2);
    if (!scale || !onnx_is_float(model->values[node->outputs[0]].element_type)) return false;
    if (!has_axis(model, node)) return false;
    if (src->element_type == ORT_INT32)
        return scale->element_type == ORT_FLOAT && is_list(scale) &&
               (!zero || (zero->element_type == ORT_INT32 && is_list(zero)));
    return is_int8(src) && has_parameters(model, node, 1, is_list);
}

static void build_dequantize(const onnx_builder_t *b)
{
    const prim_data_type_t to = type_of_output(b);
    onnx_set(b, 0,
            graph_dequantize(b->graph, onnx_exact_in(b, 0), onnx_exact_in(b, 1),
                    onnx_exact_in(b, 2), axis_of(b), to == PRIM_F32 ? b->f32 : to));
}

/// The tensor `i`, with its scale and zero point behind it, as floats.
static graph_value_t dequantized(const onnx_builder_t *b, int i, int axis)
{
    return graph_dequantize(b->graph, onnx_exact_in(b, i), onnx_exact_in(b, i + 1),
            onnx_exact_in(b, i + 2), axis, b->f32);
}

static bool accepts_quantized_conv(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const bias = onnx_input(model, node, 8);
    return is_int8(onnx_input(model, node, 0)) && is_int8(onnx_input(model, node, 3)) &&
           has_parameters(model, node, 1, is_single) && has_parameters(model, node, 4, is_list) &&
           has_parameters(model, node, 6, is_single) && onnx_accepts_conv(model, node, 3) &&
           (!bias || bias->element_type == ORT_INT32);
}

/// The bias counts in products of both scales.
static void build_quantized_conv(const onnx_builder_t *b)
{
    graph_value_t bia = onnx_exact_in(b, 8);
    if (bia >= 0)
        bia = graph_dequantize(b->graph, bia,
                graph_binary(b->graph, PRIM_BINARY_MUL, onnx_exact_in(b, 4), onnx_exact_in(b, 1)),
                GRAPH_ABSENT, 0, b->f32);
    const graph_value_t y = onnx_conv(b, dequantized(b, 0, 0), dequantized(b, 3, 0), bia);
    onnx_set(b, 0,
            graph_quantize(
                    b->graph, y, onnx_exact_in(b, 6), onnx_exact_in(b, 7), 0, type_of_output(b)));
}

static bool are_matrices(const onnx_model_t *model, const onnx_node_t *node, int second)
{
    const onnx_value_t *const a = onnx_input(model, node, 0);
    const onnx_value_t *const b = onnx_input(model, node, second);
    return is_int8(a) && is_int8(b) && a->ndims >= 2 && b->ndims >= 2;
}

static bool accepts_quantized_matmul(const onnx_model_t *model, const onnx_node_t *node)
{
    return are_matrices(model, node, 3) && has_parameters(model, node, 1, is_single) &&
           has_parameters(model, node, 4, is_list) && has_parameters(model, node, 6, is_single);
}

static void build_quantized_matmul(const onnx_builder_t *b)
{
    const int columns = graph_ndims(b->graph, onnx_exact_in(b, 3)) - 1;
    const graph_value_t y =
            graph_matmul(b->graph, dequantized(b, 0, 0), dequantized(b, 3, columns), GRAPH_ABSENT);
    onnx_set(b, 0,
            graph_quantize(
                    b->graph, y, onnx_exact_in(b, 6), onnx_exact_in(b, 7), 0, type_of_output(b)));
}

static bool is_zero_point(const onnx_value_t *value, bool (*fits)(const onnx_value_t *value))
{
    return !value || (is_int8(value) && fits(value));
}

static bool accepts_integer_matmul(const onnx_model_t *model, const onnx_node_t *node)
{
    return are_matrices(model, node, 1) && is_zero_point(onnx_input(model, node, 2), is_single) &&
           is_zero_point(onnx_input(model, node, 3), is_list);
}

/// The integers of input `i`, less their zero point.
static graph_value_t centred(const onnx_builder_t *b, int i, int axis)
{
    return graph_dequantize(
            b->graph, onnx_exact_in(b, i), GRAPH_ABSENT, onnx_exact_in(b, i + 2), axis, PRIM_F32);
}

static void build_integer_matmul(const onnx_builder_t *b)
{
    const int columns = graph_ndims(b->graph, onnx_exact_in(b, 1)) - 1;
    const graph_value_t y =
            graph_matmul(b->graph, centred(b, 0, 0), centred(b, 1, columns), GRAPH_ABSENT);
    onnx_set(b, 0, graph_convert(b->graph, y, PRIM_S32));
}

static bool accepts_integer_conv(const onnx_model_t *model, const onnx_node_t *node)
{
    return is_int8(onnx_input(model, node, 0)) && is_int8(onnx_input(model, node, 1)) &&
           is_zero_point(onnx_input(model, node, 2), is_single) &&
           is_zero_point(onnx_input(model, node, 3), is_single) &&
           onnx_accepts_conv(model, node, 1);
}

static void build_integer_conv(const onnx_builder_t *b)
{
    const graph_value_t y = onnx_conv(b, centred(b, 0, 0), centred(b, 1, 0), GRAPH_ABSENT);
    onnx_set(b, 0, graph_convert(b->graph, y, PRIM_S32));
}

static bool accepts_dynamic_quantize(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    return src->element_type == ORT_FLOAT && src->ndims <= PRIM_MAX_NDIMS;
}

/// The least of all elements and 0, or the largest.
static graph_value_t extreme(const onnx_builder_t *b, graph_value_t src, graph_value_t zero,
        prim_alg_kind_t reduction, prim_alg_kind_t alg)
{
    static const prim_dim_t one = 1;
    if (src < 0) return src;
    const unsigned all = (1U << graph_ndims(b->graph, src)) - 1;
    const graph_value_t y = graph_reduction(b->graph, src, reduction, all, 0, 0);
    return graph_binary(b->graph, alg, graph_reshape(b->graph, y, 1, &one), zero);
}

static graph_value_t number(const onnx_builder_t *b, float value)
{
    static const prim_dim_t one = 1;
    return graph_constant(b->graph, 1, &one, PRIM_F32, &value);
}

/// u8 with the range of the tensor and 0; the scale of zeros alone is 1, as the host has it.
static void build_dynamic_quantize(const onnx_builder_t *b)
{
    graph_t *const graph = b->graph;
    const graph_value_t src = graph_convert(graph, onnx_exact_in(b, 0), PRIM_F32);
    const graph_value_t zero = number(b, 0);
    const graph_value_t low = extreme(b, src, zero, PRIM_REDUCTION_MIN, PRIM_BINARY_MIN);
    const graph_value_t high = extreme(b, src, zero, PRIM_REDUCTION_MAX, PRIM_BINARY_MAX);
    const graph_value_t range = graph_binary(graph, PRIM_BINARY_SUB, high, low);
    const graph_value_t scale =
            graph_select(graph, graph_compare(graph, PRIM_BINARY_GT, range, zero),
                    graph_binary(graph, PRIM_BINARY_DIV, range, number(b, 255)), number(b, 1));
    const graph_value_t offset = graph_binary(
            graph, PRIM_BINARY_DIV, graph_binary(graph, PRIM_BINARY_SUB, zero, low), scale);
    const graph_value_t zero_point =
            graph_convert(graph, graph_eltwise(graph, offset, PRIM_ELTWISE_ROUND, 0, 0), PRIM_U8);
    // A quotient in f32, as the host's: what it rounds to a tie counts as one.
    const graph_value_t quotient = graph_binary(graph, PRIM_BINARY_DIV, src, scale);
    onnx_set(b, 0, graph_quantize(graph, quotient, GRAPH_ABSENT, zero_point, 0, PRIM_U8));
    onnx_set(b, 1, scale);
    onnx_set(b, 2, zero_point);
}

const onnx_op_t onnx_quant_ops[] = {
        {"ConvInteger", accepts_integer_conv, build_integer_conv, ONNX_OWN_RULE},
        {"DequantizeLinear", accepts_dequantize, build_dequantize, ONNX_OWN_RULE},
        {"DynamicQuantizeLinear", accepts_dynamic_quantize, build_dynamic_quantize, ONNX_OWN_RULE},
        {"MatMulInteger", accepts_integer_matmul, build_integer_matmul, ONNX_OWN_RULE},
        {"QLinearConv", accepts_quantized_conv, build_quantized_conv, ONNX_OWN_RULE},
        {"QLinearMatMul", accepts_quantized_matmul, build_quantized_matmul, ONNX_OWN_RULE},
        {"QuantizeLinear", accepts_quantize, build_quantize, ONNX_OWN_RULE},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
