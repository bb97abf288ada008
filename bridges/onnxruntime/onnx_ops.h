// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX as nodes of a graph.
#ifndef ONNX_OPS_H
#define ONNX_OPS_H

#include "graph.h"
#include "onnx_model.h"

/// A node on its way into a graph.
typedef struct {
    graph_t *graph;
    const onnx_model_t *model;
    const onnx_node_t *node;
    graph_value_t *values; ///< of each value of the model
    prim_data_type_t f32;  ///< what f32 tensors are computed in
} onnx_builder_t;

/// The element types of a node's tensors that an operator takes. Parameters are constants of
/// 64-bit integers, which accepts() looks at.
typedef enum {
    ONNX_FLOATS,   ///< f32, f16, bf16
    ONNX_MOVABLE,  ///< what only moves: floats, s8, u8, s32, bool
    ONNX_OWN_RULE, ///< accepts() looks at them
} onnx_types_t;

/// What the provider knows of an operator.
typedef struct {
    const char *op;
    /// Whether the node, whose types have been looked at, is one that build() can build at any
    /// shape. NULL: always.
    bool (*accepts)(const onnx_model_t *model, const onnx_node_t *node);
    /// Sets the node's outputs. Failures stay in the graph (GRAPH_FAILED).
    void (*build)(const onnx_builder_t *builder);
    onnx_types_t types;
} onnx_op_t;

/// The tables, each ended by a NULL op.
extern const onnx_op_t onnx_elementwise_ops[], onnx_logic_ops[], onnx_move_ops[], onnx_norm_ops[],
        onnx_quant_ops[], onnx_resize_ops[], onnx_shape_ops[], onnx_window_ops[];

/// The operator of the node if the provider takes the node, else NULL.
const onnx_op_t *onnx_find_op(const onnx_model_t *model, const onnx_node_t *node);

/// Input `i`, or GRAPH_ABSENT. f32 tensors come in the builder's own type.
graph_value_t onnx_in(const onnx_builder_t *b, int i);
/// The same in the model's type: statistics, scales.
graph_value_t onnx_exact_in(const onnx_builder_t *b, int i);
void onnx_set(const onnx_builder_t *b, int output, graph_value_t value);
/// The dimension that `axis` stands for in a tensor of rank `ndims`: negative ones count from the
/// end.
int onnx_axis(int64_t axis, int ndims);

/// Whether a convolution of input 0 by the weights `wei_input` is one that onnx_conv() builds.
bool onnx_accepts_conv(const onnx_model_t *model, const onnx_node_t *node, int wei_input);
/// The convolution with the node's attributes.
graph_value_t onnx_conv(
        const onnx_builder_t *b, graph_value_t src, graph_value_t wei, graph_value_t bia);

/// Where the node is the last of a GELU that exporters write out, x·½·(1 + erf(x/√2)), the number
/// of the value x; else −1.
int onnx_find_gelu(const onnx_model_t *model, const onnx_node_t *node);

/// Prim's type; PRIM_DATA_TYPE_UNDEF: none. Booleans are s8.
prim_data_type_t onnx_data_type(int element_type);
/// Whether the element type is f32, f16 or bf16.
bool onnx_is_float(int element_type);
/// Whether the value is a tensor of known rank and a type that Prim has.
bool onnx_is_tensor(const onnx_value_t *value);
/// The size of a dimension of that many positions, with `axis` inside it or counted from its end.
bool onnx_is_axis(int64_t axis, int ndims);
/// Whether all dimensions are known when the session is made.
bool onnx_has_shape(const onnx_value_t *value);

#endif
