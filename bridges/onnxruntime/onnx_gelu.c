// SPDX-License-Identifier: Apache-2.0
// Finding GELU in the nodes that exporters write it as: a product of x, ½ and 1 + erf(x/√2), whose
// two multiplications stand in any order.
#include "onnx_ops.h"

#include <math.h>
#include <string.h>

/// The node of that operator that computes the value, or NULL.
static const onnx_node_t *producer(const onnx_model_t *model, int value, const char *op)
{
    for (int i = 0; i < model->nnodes && value >= 0; ++i) {
        const onnx_node_t *const node = &model->nodes[i];
        if (node->noutputs > 0 && node->outputs[0] == value)
            return strcmp(node->op, op) == 0 ? node : NULL;
    }
    return NULL;
}

/// Whether the value is a constant close to `number`.
static bool is_number(const onnx_model_t *model, int value, float number)
{
    if (value < 0) return false;
    const onnx_value_t *const v = &model->values[value];
    float found = 0;
    const onnx_node_t probe = {.ninputs = 1, .inputs = &value};
    return v->ndims <= 1 && onnx_number(model, &probe, 0, &found) &&
           fabsf(found - number) <= 1e-4f * number;
}

/// Of two operands in any order, the one that is not the number; −1 if neither is.
static int other_than(const onnx_model_t *model, const onnx_node_t *node, float number)
{
    if (node->ninputs != 2) return -1;
    for (int k = 0; k < 2; ++k)
        if (is_number(model, node->inputs[k], number)) return node->inputs[1 - k];
    return -1;
}

/// The x of 1 + erf(x/√2) that the value is; −1: it is something else.
static int inside_erf(const onnx_model_t *model, int value)
{
    const onnx_node_t *const add = producer(model, value, "Add");
    const onnx_node_t *const erf = add ? producer(model, other_than(model, add, 1), "Erf") : NULL;
    if (!erf) return -1;
    const onnx_node_t *const div = producer(model, erf->inputs[0], "Div");
    if (div && is_number(model, div->inputs[1], 1.41421356f)) return div->inputs[0];
    const onnx_node_t *const mul = producer(model, erf->inputs[0], "Mul");
    return mul ? other_than(model, mul, 0.70710678f) : -1;
}

/// The factors of the product: one of its operands may be a product itself, number `inner`.
static bool read_factors(
        const onnx_model_t *model, const onnx_node_t *node, int inner, int factors[3])
{
    const onnx_node_t *const product = producer(model, node->inputs[inner], "Mul");
    if (!product || product->ninputs != 2) return false;
    factors[0] = node->inputs[1 - inner];
    factors[1] = product->inputs[0];
    factors[2] = product->inputs[1];
    return true;
}

int onnx_find_gelu(const onnx_model_t *model, const onnx_node_t *node)
{
    int f[3];
    if (strcmp(node->op, "Mul") != 0 || node->ninputs != 2) return -1;
    for (int inner = 0; inner < 2; ++inner) {
        if (!read_factors(model, node, inner, f)) continue;
        for (int k = 0; k < 3; ++k) {
            const int x = inside_erf(model, f[k]);
            const int a = f[(k + 1) % 3], b = f[(k + 2) % 3];
            if (x >= 0 && ((a == x && is_number(model, b, 0.5f)) ||
                                  (b == x && is_number(model, a, 0.5f))))
                return x;
        }
    }
    return -1;
}
