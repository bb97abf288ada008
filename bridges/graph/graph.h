// SPDX-License-Identifier: Apache-2.0
/// @file graph.h
/// A network as a graph of operations over Prim's public API: what bridges and example networks
/// share. Build it value by value, compile it for an engine, then run it as often as you like.
///
///     graph_t *graph = NULL;
///     graph_create(&graph, engine);
///     const prim_dim_t image[] = {1, 3, 224, 224}, filters[] = {64, 3, 7, 7};
///     graph_value_t x = graph_input(graph, 4, image, PRIM_F32);
///     graph_value_t w = graph_constant(graph, 4, filters, PRIM_F32, weights);
///     graph_value_t y = graph_conv(graph, x, w, GRAPH_ABSENT, &window);
///     y = graph_eltwise(graph, y, PRIM_ELTWISE_RELU, 0, 0);
///     y = graph_output(graph, y);
///     graph_compile(graph, 0);
///     graph_bind(graph, x, pixels, 0); // likewise y
///     graph_run(graph, stream);
///
/// Compiling computes what depends on constants alone, fuses what follows a sum into its
/// primitive's post-ops, lets the implementations choose layouts, and lays the intermediate tensors
/// and scratchpads into one buffer in which those that are never alive at the same time overlap.
///
/// Rules:
/// - Builders check shapes. One that cannot add its node returns GRAPH_FAILED and keeps its
///   sentence; so does every builder that is given GRAPH_FAILED. graph_compile() then fails, and
///   graph_error() has the first sentence. A caller need not look at each value.
/// - Inputs and outputs are dense and row-major. Constants are copied.
/// - A graph is used by one thread at a time.
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>

#include <prim/prim.h>

/// A graph and, once compiled, the primitives, constants and buffer that it runs with.
typedef struct graph graph_t;

/// A tensor of a graph.
typedef int graph_value_t;
/// No tensor, for an optional one (≥ 0: a tensor); no tensor because a builder failed.
enum { GRAPH_ABSENT = -1, GRAPH_FAILED = -2 };

/// A convolution's or pooling's window, one value for each spatial dimension. Dilation 0: no holes
/// between taps, as everywhere in Prim.
typedef struct {
    prim_dim_t strides[3], dilates[3], pads_l[3], pads_r[3];
} graph_window_t;

/// An empty graph. The engine stays alive with it.
prim_status_t graph_create(graph_t **graph, prim_engine_t *engine);
/// Waits for nothing: runs must have finished.
void graph_destroy(graph_t *graph);
/// The first failure, in one sentence; empty before it. Lives as long as the graph.
const char *graph_error(const graph_t *graph);

/// The shape and type of a value.
int graph_ndims(const graph_t *graph, graph_value_t value);
const prim_dim_t *graph_dims(const graph_t *graph, graph_value_t value);
prim_data_type_t graph_data_type(const graph_t *graph, graph_value_t value);
/// Whether the value is known when the graph is compiled.
bool graph_is_constant(const graph_t *graph, graph_value_t value);

/// A tensor that the caller gives at each run, by graph_bind().
graph_value_t graph_input(
        graph_t *graph, int ndims, const prim_dim_t *dims, prim_data_type_t data_type);
/// A tensor with the row-major values of `data`, which is copied to the engine.
graph_value_t graph_constant(graph_t *graph, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const void *data);
/// Makes the value one that a run writes to a buffer of the caller's, by graph_bind() of the value
/// that is returned: `value` itself, or a copy where it is an input, a constant, or an output
/// already.
graph_value_t graph_output(graph_t *graph, graph_value_t value);

/// src [N, C, …], wei [OC, IC, …] or with groups [G, OC/G, IC/G, …], bia [OC] or absent.
graph_value_t graph_conv(graph_t *graph, graph_value_t src, graph_value_t wei, graph_value_t bia,
        const graph_window_t *window);
/// The transpose of a convolution; the weights are [OC, IC, …] as everywhere in Prim.
/// `dst_spatial`: the sizes of the result.
graph_value_t graph_deconv(graph_t *graph, graph_value_t src, graph_value_t wei, graph_value_t bia,
        const graph_window_t *window, const prim_dim_t *dst_spatial);
/// a [batch…, M, K] by b [batch…, K, N]; missing batch dimensions are 1. bia absent or
/// broadcastable to the result.
graph_value_t graph_matmul(graph_t *graph, graph_value_t a, graph_value_t b, graph_value_t bia);
/// src [N, C, …] by wei [OC, C, …] with bia [OC] or absent: [N, OC].
graph_value_t graph_inner_product(
        graph_t *graph, graph_value_t src, graph_value_t wei, graph_value_t bia);
/// `kernel`: one size for each spatial dimension.
graph_value_t graph_pool(graph_t *graph, graph_value_t src, prim_alg_kind_t alg,
        const prim_dim_t *kernel, const graph_window_t *window);
graph_value_t graph_eltwise(
        graph_t *graph, graph_value_t src, prim_alg_kind_t alg, float alpha, float beta);
/// Shapes are broadcast to each other from their last dimension on, as in NumPy.
graph_value_t graph_binary(
        graph_t *graph, prim_alg_kind_t alg, graph_value_t src0, graph_value_t src1);
/// A comparison as graph_binary(), whose result is s8: 1 or 0.
graph_value_t graph_compare(
        graph_t *graph, prim_alg_kind_t alg, graph_value_t src0, graph_value_t src1);
/// cond != 0 ? src0 : src1; the condition is s8. All three are broadcast to each other.
graph_value_t graph_select(
        graph_t *graph, graph_value_t cond, graph_value_t src0, graph_value_t src1);
/// src > 0 ? src : src·wei, wei broadcast to src.
graph_value_t graph_prelu(graph_t *graph, graph_value_t src, graph_value_t wei);
graph_value_t graph_softmax(graph_t *graph, graph_value_t src, prim_alg_kind_t alg, int axis);
/// Inference: (src − mean)/√(variance + epsilon)·scale + shift, each [C].
graph_value_t graph_batch_norm(graph_t *graph, graph_value_t src, graph_value_t scale,
        graph_value_t shift, graph_value_t mean, graph_value_t variance, float epsilon);
/// Over the last dimension; scale and shift [its size] or absent.
graph_value_t graph_layer_norm(
        graph_t *graph, graph_value_t src, graph_value_t scale, graph_value_t shift, float epsilon);
/// Over groups of channels; scale and shift [C] or absent.
graph_value_t graph_group_norm(graph_t *graph, graph_value_t src, prim_dim_t groups,
        graph_value_t scale, graph_value_t shift, float epsilon);
/// src·(k + alpha/n·Σ src²)^(−beta) over `size` channels, which is odd, or as many positions along
/// each spatial dimension.
graph_value_t graph_lrn(graph_t *graph, graph_value_t src, prim_alg_kind_t alg, prim_dim_t size,
        float alpha, float beta, float k);
/// Over the dimensions of the bits of `mask`, which become 1.
graph_value_t graph_reduction(
        graph_t *graph, graph_value_t src, prim_alg_kind_t alg, unsigned mask, float p, float eps);
/// To the spatial sizes `dst_spatial`.
graph_value_t graph_resampling(
        graph_t *graph, graph_value_t src, prim_alg_kind_t alg, const prim_dim_t *dst_spatial);
/// The n values one after the other along `axis`.
graph_value_t graph_concat(graph_t *graph, int n, const graph_value_t *values, int axis);
/// Values rounded and saturated to another type.
graph_value_t graph_convert(graph_t *graph, graph_value_t src, prim_data_type_t data_type);

/// round(src / scale), halves to even, + zero_point, saturated, in `data_type` (s8, u8, s32). Scale
/// (f32) and zero point (s8, u8, s32) are one value, or one for each index of dimension `axis`; one
/// of them may be absent.
graph_value_t graph_quantize(graph_t *graph, graph_value_t src, graph_value_t scale,
        graph_value_t zero_point, int axis, prim_data_type_t data_type);
/// (src − zero_point)·scale of an integer tensor in `data_type`; scale and zero point as above.
///
/// A convolution or product of two dequantised tensors of 8 bits is computed in integers where
/// the engine has more than the reference for it, or the scales are absent; its quantisation
/// becomes part of it. A tie is rounded to even behind the zero point then.
graph_value_t graph_dequantize(graph_t *graph, graph_value_t src, graph_value_t scale,
        graph_value_t zero_point, int axis, prim_data_type_t data_type);
/// src repeated along its dimensions of 1, or missing ones, to the shape `dims`.
graph_value_t graph_expand(graph_t *graph, graph_value_t src, int ndims, const prim_dim_t *dims);
/// The places `indices` (n of them, 0 or more) along `axis`, one after the other. Neighbours are
/// copied together: at most 256 groups of them.
graph_value_t graph_gather(
        graph_t *graph, graph_value_t src, int axis, prim_dim_t n, const prim_dim_t *indices);
/// `before[d]` and `after[d]` elements of `value` (0 or more) around dimension d.
graph_value_t graph_pad(graph_t *graph, graph_value_t src, const prim_dim_t *before,
        const prim_dim_t *after, float value);

/// The three below give another view of the same elements and copy only where a layout forces it.
/// The same elements in row-major order under another shape.
graph_value_t graph_reshape(graph_t *graph, graph_value_t src, int ndims, const prim_dim_t *dims);
/// Dimension d of the result is dimension order[d] of src (NumPy's and ONNX's convention).
graph_value_t graph_transpose(graph_t *graph, graph_value_t src, const int *order);
/// The window of shape `dims` at `offsets`.
graph_value_t graph_slice(
        graph_t *graph, graph_value_t src, const prim_dim_t *offsets, const prim_dim_t *dims);

/// How a graph is compiled.
typedef enum {
    GRAPH_KEEP_NORMS = 1, ///< batch normalisations are not folded into weights
    GRAPH_TUNE_QUICK = 2, ///< implementations are measured: prim_attr_set_tune()
    GRAPH_TUNE_FULL = 4,
} graph_flags_t;

/// Prepares the primitives; nothing can be added afterwards. `flags` is an OR of graph_flags_t.
/// After a failure the graph is fit only to be asked for graph_error() and destroyed. Compiling
/// twice is PRIM_INVALID_ARGUMENTS, and leaves the compiled graph as it is.
prim_status_t graph_compile(graph_t *graph, unsigned flags);
/// The buffer of an input or output of the compiled graph: what prim_memory_set_data_handle_at()
/// takes, from `offset_bytes` on. It is borrowed until the next call for this value, and may be
/// replaced between any two runs.
prim_status_t graph_bind(graph_t *graph, graph_value_t value, void *handle, size_t offset_bytes);
/// Submits the compiled graph to a stream of its engine. Two runs must not overlap on the device:
/// they share the buffer of intermediate tensors.
prim_status_t graph_run(graph_t *graph, prim_stream_t *stream);
/// The same by one execution after the other: a run replays a recording of its own where the stream
/// allows it, which costs the host less, but cannot be part of the caller's recording.
prim_status_t graph_submit(graph_t *graph, prim_stream_t *stream);

/// Executes primitive `index` alone, in the order of graph_impl_name(): to measure them one by one.
prim_status_t graph_run_one(graph_t *graph, prim_stream_t *stream, int index);

/// What compiling made: primitives that a run executes, bytes of constants, of the buffer of
/// intermediate tensors and scratchpads, of these one by one, and of those alive at once (the
/// buffer's floor).
typedef struct {
    int nprimitives, nfused;
    size_t constant_bytes, buffer_bytes, activation_bytes, live_bytes;
} graph_stats_t;
graph_stats_t graph_stats(const graph_t *graph);
/// The implementation of primitive `index`, in the order of execution, and in `value`, which may be
/// NULL, what it computes; NULL beyond the last.
const char *graph_impl_name(const graph_t *graph, int index, graph_value_t *value);

#endif
