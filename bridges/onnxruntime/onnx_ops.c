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
    case ORT_INT32: return PRIM_S32;
    case ORT_UINT8: return PRIM_U8;
    case ORT_INT8:
    case ORT_BOOL: return PRIM_S8;
    default: return PRIM_DATA_TYPE_UNDEF;
    }
}

bool onnx_is_float(int element_type)
{
    return element_type == ORT_FLOAT || element_type == ORT_FLOAT16 || element_type == ORT_BFLOAT16;
}

bool onnx_is_tensor(const onnx_value_t *value)
{
    return onnx_data_type(value->element_type) != PRIM_DATA_TYPE_UNDEF && value->ndims >= 0;
}

bool onnx_is_axis(int64_t axis, int ndims)
{
    return axis >= -ndims && axis < ndims;
}

bool onnx_has_shape(const onnx_value_t *value)
{
    for (int d = 0; d < value->ndims; ++d)
        if (value->dims[d] < 0) return false;
    return value->ndims >= 0;
}

static bool is_taken(const onnx_value_t *value, onnx_types_t types)
{
    return onnx_is_tensor(value) && (types != ONNX_FLOATS || onnx_is_float(value->element_type));
}

static bool has_types(const onnx_model_t *model, const onnx_node_t *node, onnx_types_t types)
{
    if (!onnx_input(model, node, 0)) return false;
    for (int i = 0; i < node->noutputs; ++i)
        if (node->outputs[i] >= 0 && !is_taken(&model->values[node->outputs[i]],
                                             types == ONNX_OWN_RULE ? ONNX_MOVABLE : types))
            return false;
    for (int i = 0; i < node->ninputs && types != ONNX_OWN_RULE; ++i) {
        const onnx_value_t *const value = onnx_input(model, node, i);
        const bool is_integer =
                value && (value->element_type == ORT_INT64 || value->element_type == ORT_INT32);
        if (value && !(is_integer && value->is_constant && i > 0) && !is_taken(value, types))
            return false;
    }
    return onnx_is_tensor(onnx_input(model, node, 0));
}

const onnx_op_t *onnx_find_op(const onnx_model_t *model, const onnx_node_t *node)
{
    static const onnx_op_t *const tables[] = {onnx_elementwise_ops, onnx_logic_ops, onnx_move_ops,
            onnx_norm_ops, onnx_quant_ops, onnx_resize_ops, onnx_shape_ops, onnx_window_ops};
    if (strcmp(node->domain, "") != 0 && strcmp(node->domain, "ai.onnx") != 0) return NULL;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
        for (const onnx_op_t *op = tables[t]; op->op; ++op)
            if (strcmp(op->op, node->op) == 0)
                return has_types(model, node, op->types) &&
                                       (!op->accepts || op->accepts(model, node))
                               ? op
                               : NULL;
    return NULL;
}

graph_value_t onnx_exact_in(const onnx_builder_t *b, int i)
{
    return i < b->node->ninputs && b->node->inputs[i] >= 0 ? b->values[b->node->inputs[i]]
                                                           : GRAPH_ABSENT;
}

graph_value_t onnx_in(const onnx_builder_t *b, int i)
{
    const graph_value_t value = onnx_exact_in(b, i);
    return graph_data_type(b->graph, value) == PRIM_F32 ? graph_convert(b->graph, value, b->f32)
                                                        : value;
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
