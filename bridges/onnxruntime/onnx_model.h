// SPDX-License-Identifier: Apache-2.0
// A part of an ONNX model as the provider keeps it: nodes, attributes, constants. It outlives the
// runtime's own graph, which is there while a session is made.
#ifndef ONNX_MODEL_H
#define ONNX_MODEL_H

#include "graph.h"
#include "ort_api.h"

enum { ONNX_MAX_NDIMS = 12 };

/// A value: a tensor by name.
typedef struct {
    char *name;
    int element_type;             ///< ORT_FLOAT, …; 0: not a tensor
    int ndims;                    ///< −1: unknown
    bool may_lack_shape;          ///< while it is read
    int64_t dims[ONNX_MAX_NDIMS]; ///< −1: known at run time only
    void *data;                   ///< of a constant, row-major; owned
    bool is_constant;
} onnx_value_t;

typedef struct {
    char *name;
    int type; ///< ORT_ATTRIBUTE_INT, …
    int64_t *ints;
    float *floats;
    char *string;
    size_t n;
} onnx_attribute_t;

typedef struct {
    char *op, *domain;
    int version;
    int ninputs, noutputs, nattributes;
    int *inputs, *outputs; ///< values; −1: absent
    onnx_attribute_t *attributes;
} onnx_node_t;

typedef struct {
    int nvalues, nnodes, ninputs, noutputs;
    onnx_value_t *values;
    onnx_node_t *nodes;    ///< in an order in which values are computed before they are used
    int *inputs, *outputs; ///< values; constants are no inputs
} onnx_model_t;

/// Reads the graph; constants are copied where `with_data` is set. The status is the runtime's;
/// `*model` is NULL if it fails.
ort_status_t *onnx_model_read(onnx_model_t **model, const ort_graph_t *graph, bool with_data);
void onnx_model_destroy(onnx_model_t *model);

/// Bytes of an element; 0: a type that is not known.
size_t onnx_element_bytes(int element_type);

/// The attribute, or NULL.
const onnx_attribute_t *onnx_attribute(const onnx_node_t *node, const char *name);
/// Its value, or the default.
int64_t onnx_int(const onnx_node_t *node, const char *name, int64_t otherwise);
float onnx_float(const onnx_node_t *node, const char *name, float otherwise);
const char *onnx_string(const onnx_node_t *node, const char *name, const char *otherwise);

/// Input `i` of the node, or NULL.
const onnx_value_t *onnx_input(const onnx_model_t *model, const onnx_node_t *node, int i);
/// Copies the integers of a constant input, or of the attribute `name` where the input is missing,
/// to `values`; returns how many, or −1 if there is neither, it is not constant, or there are more
/// than `room`.
int onnx_ints(const onnx_model_t *model, const onnx_node_t *node, int input, const char *name,
        int64_t *values, int room);
/// A constant number of input `i`: f32 or an integer of at most 32 bits; false if it is none.
bool onnx_number(const onnx_model_t *model, const onnx_node_t *node, int i, float *number);
/// A scalar f32 from a constant input or the attribute; false if neither is known.
bool onnx_scalar(const onnx_model_t *model, const onnx_node_t *node, int input, const char *name,
        float *value);

#endif
