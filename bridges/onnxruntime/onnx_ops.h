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
} onnx_builder_t;

/// What the provider knows of an operator.
typedef struct {
    const char *op;
    /// Whether the node, whose types have been looked at, is one that build() can build at any
    /// shape. NULL: always.
    bool (*accepts)(const onnx_model_t *model, const onnx_node_t *node);
    /// Sets the node's outputs. Failures stay in the graph (GRAPH_FAILED).
    void (*build)(const onnx_builder_t *builder);
} onnx_op_t;

/// The tables, each ended by a NULL op.
extern const onnx_op_t onnx_elementwise_ops[], onnx_window_ops[], onnx_norm_ops[], onnx_shape_ops[];

/// The operator of the node if the provider takes the node, else NULL.
const onnx_op_t *onnx_find_op(const onnx_model_t *model, const onnx_node_t *node);

/// Input `i`, or GRAPH_ABSENT.
graph_value_t onnx_in(const onnx_builder_t *b, int i);
void onnx_set(const onnx_builder_t *b, int output, graph_value_t value);
/// The dimension that `axis` stands for in a tensor of rank `ndims`: negative ones count from the
/// end.
int onnx_axis(int64_t axis, int ndims);

/// Prim's type; PRIM_DATA_TYPE_UNDEF: none.
prim_data_type_t onnx_data_type(int element_type);

#endif
