// SPDX-License-Identifier: Apache-2.0
// Parameters of nodes: attributes, and constant inputs that later versions of operators have
// instead.
#include "onnx_model.h"

#include <string.h>

const onnx_attribute_t *onnx_attribute(const onnx_node_t *node, const char *name)
{
    for (int i = 0; i < node->nattributes; ++i)
        if (strcmp(node->attributes[i].name, name) == 0) return &node->attributes[i];
    return NULL;
}

int64_t onnx_int(const onnx_node_t *node, const char *name, int64_t otherwise)
{
    const onnx_attribute_t *const a = onnx_attribute(node, name);
    return a && a->ints && a->n ? a->ints[0] : otherwise;
}

float onnx_float(const onnx_node_t *node, const char *name, float otherwise)
{
    const onnx_attribute_t *const a = onnx_attribute(node, name);
    return a && a->floats && a->n ? a->floats[0] : otherwise;
}

const char *onnx_string(const onnx_node_t *node, const char *name, const char *otherwise)
{
    const onnx_attribute_t *const a = onnx_attribute(node, name);
    return a && a->string ? a->string : otherwise;
}

const onnx_value_t *onnx_input(const onnx_model_t *model, const onnx_node_t *node, int i)
{
    return i < node->ninputs && node->inputs[i] >= 0 ? &model->values[node->inputs[i]] : NULL;
}

static int64_t nelems(const onnx_value_t *value)
{
    int64_t n = 1;
    for (int d = 0; d < value->ndims; ++d) n *= value->dims[d];
    return n;
}

int onnx_ints(const onnx_model_t *model, const onnx_node_t *node, int input, const char *name,
        int64_t *values, int room)
{
    const onnx_value_t *const value = onnx_input(model, node, input);
    if (value) {
        if (!value->is_constant || value->ndims > 1 || nelems(value) > room) return -1;
        const int n = (int)nelems(value);
        if (n && !value->data) return -1;
        for (int i = 0; i < n; ++i) {
            if (value->element_type == ORT_INT64)
                values[i] = ((const int64_t *)value->data)[i];
            else if (value->element_type == ORT_INT32)
                values[i] = ((const int32_t *)value->data)[i];
            else
                return -1;
        }
        return n;
    }
    const onnx_attribute_t *const a = name ? onnx_attribute(node, name) : NULL;
    if (!a || !a->ints || a->n > (size_t)room) return -1;
    memcpy(values, a->ints, a->n * sizeof *values);
    return (int)a->n;
}

bool onnx_number(const onnx_model_t *model, const onnx_node_t *node, int i, float *number)
{
    const onnx_value_t *const value = onnx_input(model, node, i);
    if (!value || !value->is_constant || !value->data || nelems(value) != 1) return false;
    switch (value->element_type) {
    case ORT_FLOAT: *number = *(const float *)value->data; return true;
    case ORT_INT32: *number = (float)*(const int32_t *)value->data; return true;
    case ORT_INT8: *number = *(const int8_t *)value->data; return true;
    case ORT_BOOL:
    case ORT_UINT8: *number = *(const uint8_t *)value->data; return true;
    default: return false;
    }
}

bool onnx_scalar(const onnx_model_t *model, const onnx_node_t *node, int input, const char *name,
        float *result)
{
    const onnx_value_t *const value = onnx_input(model, node, input);
    if (value) {
        if (!value->is_constant || !value->data || value->element_type != ORT_FLOAT ||
                nelems(value) != 1)
            return false;
        *result = *(const float *)value->data;
        return true;
    }
    const onnx_attribute_t *const a = name ? onnx_attribute(node, name) : NULL;
    if (!a || !a->floats || a->n != 1) return false;
    *result = a->floats[0];
    return true;
}
