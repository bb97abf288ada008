// SPDX-License-Identifier: Apache-2.0
// What the files of the graph share: values, nodes, and what compiling makes of them.
#ifndef GRAPH_INTERNAL_H
#define GRAPH_INTERNAL_H

#include "graph.h"

enum {
    GRAPH_MAX_POST_OPS = 8,
    GRAPH_MAX_QUANTS = 6, ///< a scale and a zero point of src, weights and dst
    GRAPH_MAX_FIXED_INPUTS = 6,
    GRAPH_NO_NODE = -1
};

/// A value while the graph is built.
typedef struct {
    int ndims;
    prim_dims_t dims;
    prim_data_type_t data_type;
    int producer; ///< node that computes it, or GRAPH_NO_NODE
    bool is_input, is_output, is_constant;
    void *data; ///< of a constant that is not on the engine yet; owned
    int tensor; ///< once compiled: index of the tensor that holds it; −1: not computed yet
} graph_node_value_t;

typedef enum {
    GRAPH_CONV,
    GRAPH_DECONV,
    GRAPH_MATMUL,
    GRAPH_INNER_PRODUCT,
    GRAPH_POOL,
    GRAPH_ELTWISE,
    GRAPH_BINARY,
    GRAPH_SELECT,
    GRAPH_PRELU,
    GRAPH_SOFTMAX,
    GRAPH_BATCH_NORM,
    GRAPH_LAYER_NORM,
    GRAPH_GROUP_NORM,
    GRAPH_REDUCTION,
    GRAPH_LRN,
    GRAPH_RESAMPLING,
    GRAPH_CONCAT,
    GRAPH_CONVERT,
    GRAPH_RESHAPE,
    GRAPH_TRANSPOSE,
    GRAPH_SLICE,
    GRAPH_NOPS,
} graph_op_t;

/// What follows a sum inside its primitive.
typedef struct {
    prim_primitive_kind_t kind; ///< PRIM_ELTWISE or PRIM_BINARY
    prim_alg_kind_t alg;
    float alpha, beta;
    graph_value_t value;     ///< the operand of a binary one
    graph_value_t condition; ///< of a selection: PRIM_BINARY_SELECT
} graph_post_op_t;

enum { GRAPH_MAX_OPERANDS = 2 };

/// The values that the post-op reads, source 1 and source 2; how many they are.
static inline int graph__operands(
        const graph_post_op_t *post_op, graph_value_t operands[GRAPH_MAX_OPERANDS])
{
    operands[0] = post_op->value;
    operands[1] = post_op->condition;
    if (post_op->kind != PRIM_BINARY) return 0;
    return post_op->alg == PRIM_BINARY_SELECT ? 2 : 1;
}

/// A scale or zero point of an argument.
typedef struct {
    int arg; ///< of the tensor
    bool is_zero_point;
    int mask; ///< as prim_attr_set_scales() takes it
    graph_value_t value;
} graph_quant_t;

/// The parameters of all operations; each reads its own.
typedef struct {
    prim_alg_kind_t alg;
    float alpha, beta; ///< of element-wise functions and LRN; p and eps of norms; epsilon
    float k;           ///< of LRN
    int axis;
    unsigned flags;
    prim_dim_t groups; ///< of a group normalisation; LRN: channels of a window
    graph_window_t window;
    prim_dim_t kernel[3];
    int order[PRIM_MAX_NDIMS];
    prim_dims_t offsets;
} graph_params_t;

typedef struct {
    graph_op_t op;
    int ninputs;
    graph_value_t *inputs; ///< owned; GRAPH_ABSENT for an optional one
    graph_value_t output;
    graph_params_t params;
    int npost_ops;
    graph_post_op_t post_ops[GRAPH_MAX_POST_OPS];
    int nquants;
    graph_quant_t quants[GRAPH_MAX_QUANTS];
    bool is_absorbed;  ///< another node computes it, or nobody needs it
    bool is_expansion; ///< graph_expand()'s product with ones: its first input, repeated
} graph_node_t;

/// A buffer of its own, a place in the caller's, or one in the buffer of intermediate tensors.
typedef enum { STORAGE_CONSTANT, STORAGE_BOUND, STORAGE_PLANNED } graph_storage_kind_t;

/// Where tensors lie: views share one.
typedef struct {
    graph_storage_kind_t kind;
    size_t bytes;
    int first, last;     ///< steps that write it first and use it last
    size_t offset_bytes; ///< in the buffer of intermediate tensors
    size_t peak_bytes;   ///< the most that is alive there at a step between them
} graph_storage_t;

/// A value in one layout.
typedef struct {
    graph_value_t value;
    int storage;
    prim_memory_t *memory; ///< owned
} graph_tensor_t;

/// A primitive of the compiled graph.
typedef struct {
    prim_desc_t *pd;     ///< owned, until the primitive is made
    prim_t *primitive;   ///< made when all descriptors are there
    graph_value_t value; ///< that it computes
    int nargs;
    prim_arg_t *args; ///< owned
} graph_step_t;

/// A growing array.
typedef struct {
    void *items;
    int n, room;
} graph_array_t;

struct graph {
    prim_engine_t *engine; ///< borrowed from `stream`
    prim_stream_t *stream; ///< of constants
    bool is_cpu;           ///< the engine's kind
    bool is_compiled;
    prim_tune_mode_t tune;
    char error[256];
    graph_array_t values;   ///< of graph_node_value_t
    graph_array_t nodes;    ///< of graph_node_t
    graph_array_t tensors;  ///< of graph_tensor_t
    graph_array_t storages; ///< of graph_storage_t
    graph_array_t steps;    ///< of graph_step_t
    prim_memory_t *buffer;  ///< of planned storages
    prim_recording_t *recording;
    graph_stats_t stats;
};

/// Room for one more item, zeroed; NULL when memory is short.
void *graph__append(graph_array_t *array, size_t item_bytes);

static inline graph_node_value_t *graph__value(const graph_t *graph, graph_value_t value)
{
    return &((graph_node_value_t *)graph->values.items)[value];
}

static inline graph_node_t *graph__node(const graph_t *graph, int index)
{
    return &((graph_node_t *)graph->nodes.items)[index];
}

static inline graph_tensor_t *graph__tensor(const graph_t *graph, int index)
{
    return &((graph_tensor_t *)graph->tensors.items)[index];
}

static inline graph_storage_t *graph__storage(const graph_t *graph, int index)
{
    return &((graph_storage_t *)graph->storages.items)[index];
}

/// Whether the node rounds its result to integers by a scale or zero point: nothing may follow.
static inline bool graph__is_quantized(const graph_node_t *node)
{
    for (int i = 0; i < node->nquants; ++i)
        if (node->quants[i].arg == PRIM_ARG_DST) return true;
    return false;
}

static inline bool graph__is_byte(const graph_t *graph, graph_value_t value)
{
    const prim_data_type_t type = graph__value(graph, value)->data_type;
    return type == PRIM_S8 || type == PRIM_U8;
}

/// Keeps the first sentence; returns GRAPH_FAILED.
graph_value_t graph__fail(graph_t *graph, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/// Keeps the library's sentence about `what`, which failed with `status`. Memory that the graph
/// itself asked for leaves no sentence there.
void graph__fail_status(graph_t *graph, const char *what, prim_status_t status);

/// The node with `n` inputs and the shape and type of its result; GRAPH_FAILED if an input is or
/// memory is short.
graph_value_t graph__add_node(graph_t *graph, graph_op_t op, int n, const graph_value_t *inputs,
        const graph_params_t *params, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type);

/// The value with dimensions of 1 put before its own, up to `ndims`.
graph_value_t graph__with_rank(graph_t *graph, graph_value_t value, int ndims);
/// NumPy's broadcast of two shapes of one rank; false where a dimension fits neither.
bool graph__broadcast(prim_dim_t *dims, int ndims, const prim_dim_t *a, const prim_dim_t *b);

/// A tensor of the value in the layout `md` with a storage of its own; its index, or GRAPH_FAILED.
int graph__add_tensor(graph_t *graph, graph_value_t value, const prim_memory_desc_t *md,
        graph_storage_kind_t kind);
/// Another view of the storage of tensor `of`.
int graph__add_view(graph_t *graph, graph_value_t value, const prim_memory_desc_t *md, int of);

/// The layout of a tensor.
const prim_memory_desc_t *graph__md_of(const graph_t *graph, int tensor);
/// The dense row-major descriptor of the value.
prim_status_t graph__row_major(const graph_t *graph, prim_memory_desc_t *md, graph_value_t value);

/// How an input goes into its primitive.
typedef enum {
    LAYOUT_KEEP,            ///< the input goes in as it lies
    LAYOUT_ANY,             ///< the implementation chooses
    LAYOUT_ANY_IF_CONSTANT, ///< it chooses for constants, which are converted once
    LAYOUT_PLAIN,           ///< row-major
} graph_layout_t;

/// A node as its primitive descriptor is asked for.
typedef struct {
    prim_engine_t *engine;
    const graph_node_t *node;
    const prim_memory_desc_t *const *mds; ///< of each input; NULL for an absent one
    const prim_memory_desc_t *dst_md;
    const prim_attr_t *attr;
} graph_problem_t;

/// The post-ops that an operation takes.
typedef enum { POST_OPS_NONE, POST_OPS_RELU, POST_OPS_BINARY, POST_OPS_ALL } graph_post_op_set_t;

/// What the graph knows of an operation.
typedef struct {
    const char *word;
    graph_post_op_set_t post_ops;
    int args[GRAPH_MAX_FIXED_INPUTS]; ///< of the inputs; concat counts up from the first
    graph_layout_t layouts[GRAPH_MAX_FIXED_INPUTS];
    /// NULL for a view, which needs no primitive.
    prim_status_t (*create)(prim_desc_t **pd, const graph_problem_t *problem);
} graph_op_info_t;

extern const graph_op_info_t graph__ops[GRAPH_NOPS];

/// How often each value is read; room for values.n.
void graph__count_uses(const graph_t *graph, int *uses);
/// The node whose result only input `k` of `node` reads and that may take more into its primitive;
/// else GRAPH_NO_NODE.
int graph__sole_producer(const graph_t *graph, const int *uses, const graph_node_t *node, int k);
/// Node `producer` computes what node `consumer` did, with `post_op` behind it unless it is NULL,
/// and moves to its place.
void graph__absorb(graph_t *graph, int producer, int consumer, const graph_post_op_t *post_op);
bool graph__has_shape_of(const graph_t *graph, graph_value_t a, graph_value_t b);
/// Fusion rules of constants: batch normalisations and arithmetic with constants become part of
/// weights and biases, arithmetic with one number a linear function.
bool graph__fold_norm(graph_t *graph, const int *uses, int consumer);
bool graph__fold_affine(graph_t *graph, const int *uses, int consumer);
bool graph__make_linear(graph_t *graph, const int *uses, int consumer);
/// Reads a constant of one f32 that the caller gave, or its conversion.
bool graph__read_number(const graph_t *graph, graph_value_t value, float *number);
/// Fusion rule: a tensor times a function of itself.
bool graph__fuse_gate(graph_t *graph, const int *uses, int consumer);
/// Fusion rules of quantised tensors: a product of dequantised tensors becomes one of integers, and
/// takes the quantisation of its result. They return whether they have changed the graph.
bool graph__fold_dequantize(graph_t *graph, const int *uses, int consumer);
bool graph__fuse_quantize(graph_t *graph, const int *uses, int consumer);
/// Fusion rule: bytes that are dequantised, pooled for their maximum or concatenated, and quantised
/// by the same scale and zero point stay bytes on the CPU engine: the result is the same.
bool graph__keep_bytes(graph_t *graph, const int *uses, int consumer);
/// Fusion rule: the two conversions of a quantisation with a zero point become one primitive, and
/// part of the arithmetic before them.
bool graph__join_quantize(graph_t *graph, const int *uses, int consumer);
/// Merges nodes where one primitive computes both.
prim_status_t graph__fuse(graph_t *graph, unsigned flags);
/// Asks for the `n` scales and zero points in `attr`.
prim_status_t graph__set_quants(
        const graph_t *graph, int n, const graph_quant_t *quants, prim_attr_t *attr);
/// Whether the node chooses the layout of its result even where that is an output, which is copied
/// then: convolutions of bytes on the CPU engine, which multiply them as bytes with channels last
/// alone. With channels first they turn them into floats, which takes longer than the copy.
bool graph__chooses_output(const graph_t *graph, const graph_node_t *node);
/// The layout `any` of a value.
prim_status_t graph__any(const graph_t *graph, prim_memory_desc_t *md, graph_value_t value);
/// The layout in which the result of the node is asked for.
prim_status_t graph__result_md(
        const graph_t *graph, const graph_node_t *node, prim_memory_desc_t *md);
/// Makes primitives, constants and layouts of the nodes.
prim_status_t graph__lower(graph_t *graph);
/// Lays the planned storages into one buffer.
prim_status_t graph__plan(graph_t *graph);

#endif
