// SPDX-License-Identifier: Apache-2.0
// Finding an operator, and what builders share.
#include "onnx_ops.h"

#include <string.h>

prim_data_type_t onnx_data_type(int element_type)
{
    switch (element_type) {
    case ORT_FLOAT: return PRIM_F32;
    case ORT_FLOAT16: return PRIM_F16;
    case ORT_BFLOAT16: return PRIM_BF16;
    default: return PRIM_DATA_TYPE_UNDEF;
    }
}

/// A tensor of a floating-point type and known rank, 1 or more unless it is a constant.
static bool is_float_tensor(const onnx_value_t *value)
{
    return onnx_data_type(value->element_type) != PRIM_DATA_TYPE_UNDEF && value->ndims >= 0 &&
           (value->ndims > 0 || value->is_constant);
}

/// Constants of integers are parameters, which accepts() looks at.
static bool has_types(const onnx_model_t *model, const onnx_node_t *node)
{
    for (int i = 0; i < node->ninputs; ++i) {
        const onnx_value_t *const value = onnx_input(model, node, i);
        const bool is_parameter = value && value->is_constant && value->element_type == ORT_INT64;
        if (value && !is_parameter && !is_float_tensor(value)) return false;
    }
    for (int i = 0; i < node->noutputs; ++i)
        if (node->outputs[i] >= 0 && !is_float_tensor(&model->values[node->outputs[i]]))
            return false;
    return onnx_input(model, node, 0) != NULL;
}

const onnx_op_t *onnx_find_op(const onnx_model_t *model, const onnx_node_t *node)
{
    static const onnx_op_t *const tables[] = {
            onnx_elementwise_ops, onnx_window_ops, onnx_norm_ops, onnx_shape_ops};
    if (strcmp(node->domain, "") != 0 && strcmp(node->domain, "ai.onnx") != 0) return NULL;
    if (!has_types(model, node)) return NULL;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
        for (const onnx_op_t *op = tables[t]; op->op; ++op)
            if (strcmp(op->op, node->op) == 0)
                return !op->accepts || op->accepts(model, node) ? op : NULL;
    return NULL;
}

graph_value_t onnx_in(const onnx_builder_t *b, int i)
{
    return i < b->node->ninputs && b->node->inputs[i] >= 0 ? b->values[b->node->inputs[i]]
                                                           : GRAPH_ABSENT;
}

void onnx_set(const onnx_builder_t *b, int output, graph_value_t value)
{
    if (output < b->node->noutputs && b->node->outputs[output] >= 0)
        b->values[b->node->outputs[output]] = value;
}

int onnx_axis(int64_t axis, int ndims)
{
    return (int)(axis < 0 ? axis + ndims : axis);
}
