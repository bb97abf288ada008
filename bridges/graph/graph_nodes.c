// SPDX-License-Identifier: Apache-2.0
// Graphs: the builders of values and nodes, with the shapes of their results.
#include "graph_internal.h"

#include <stdlib.h>
#include <string.h>

static graph_value_t add_value(
        graph_t *graph, int ndims, const prim_dim_t *dims, prim_data_type_t data_type)
{
    if (ndims < 1 || ndims > PRIM_MAX_NDIMS)
        return graph__fail(
                graph, "a value of %d dimensions; 1 to %d are possible", ndims, PRIM_MAX_NDIMS);
    graph_node_value_t *const value = graph__append(&graph->values, sizeof *value);
    if (!value) return graph__fail(graph, "no memory for another value");
    value->ndims = ndims;
    memcpy(value->dims, dims, (size_t)ndims * sizeof *dims);
    value->data_type = data_type;
    value->producer = GRAPH_NO_NODE;
    value->tensor = -1;
    return graph->values.n - 1;
}

graph_value_t graph_input(
        graph_t *graph, int ndims, const prim_dim_t *dims, prim_data_type_t data_type)
{
    const graph_value_t value = add_value(graph, ndims, dims, data_type);
    if (value >= 0) graph__value(graph, value)->is_input = true;
    return value;
}

static prim_dim_t nelems(int ndims, const prim_dim_t *dims)
{
    prim_dim_t n = 1;
    for (int d = 0; d < ndims; ++d) n *= dims[d];
    return n;
}

graph_value_t graph_constant(graph_t *graph, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const void *data)
{
    const graph_value_t value = add_value(graph, ndims, dims, data_type);
    if (value < 0) return value;
    graph_node_value_t *const constant = graph__value(graph, value);
    const size_t bytes = (size_t)nelems(ndims, dims) * prim_data_type_size(data_type);
    constant->is_constant = true;
    constant->data = malloc(bytes ? bytes : 1);
    if (!constant->data) return graph__fail(graph, "no memory for a constant of %zu bytes", bytes);
    memcpy(constant->data, data, bytes);
    return value;
}

static bool any_failed(int n, const graph_value_t *inputs)
{
    for (int i = 0; i < n; ++i)
        if (inputs[i] == GRAPH_FAILED) return true;
    return false;
}

/// Whether all inputs of a node are known when the graph is compiled.
static bool all_constant(const graph_t *graph, int n, const graph_value_t *inputs)
{
    for (int i = 0; i < n; ++i)
        if (inputs[i] >= 0 && !graph_is_constant(graph, inputs[i])) return false;
    return true;
}

graph_value_t graph__add_node(graph_t *graph, graph_op_t op, int n, const graph_value_t *inputs,
        const graph_params_t *params, int ndims, const prim_dim_t *dims, prim_data_type_t data_type)
{
    if (any_failed(n, inputs)) return GRAPH_FAILED;
    graph_value_t *const kept = malloc((size_t)n * sizeof *kept);
    const graph_value_t output = kept ? add_value(graph, ndims, dims, data_type) : GRAPH_FAILED;
    graph_node_t *const node =
            output >= 0 ? graph__append(&graph->nodes, sizeof *node) : (graph_node_t *)NULL;
    if (!node) {
        free(kept);
        return graph__fail(graph, "no memory for another node");
    }
    memcpy(kept, inputs, (size_t)n * sizeof *kept);
    *node = (graph_node_t){.op = op, .ninputs = n, .inputs = kept, .output = output};
    if (params) node->params = *params;
    graph__value(graph, output)->producer = graph->nodes.n - 1;
    graph__value(graph, output)->is_constant = all_constant(graph, n, inputs);
    return output;
}

/// A node of one input whose result has the input's shape.
static graph_value_t add_alike(
        graph_t *graph, graph_op_t op, graph_value_t src, const graph_params_t *params)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t value = *graph__value(graph, src);
    return graph__add_node(graph, op, 1, &src, params, value.ndims, value.dims, value.data_type);
}

graph_value_t graph_output(graph_t *graph, graph_value_t value)
{
    if (value < 0) return GRAPH_FAILED;
    const graph_node_value_t from = *graph__value(graph, value);
    if (from.is_input || from.is_output || from.is_constant)
        value = add_alike(graph, GRAPH_CONVERT, value, NULL);
    if (value < 0) return value;
    graph__value(graph, value)->is_output = true;
    graph__value(graph, value)->is_constant = false;
    return value;
}

/// Output size of a window in one dimension.
static prim_dim_t window_size(prim_dim_t size, prim_dim_t kernel, const graph_window_t *w, int d)
{
    const prim_dim_t reach = (kernel - 1) * (w->dilates[d] + 1) + 1;
    const prim_dim_t room = size + w->pads_l[d] + w->pads_r[d] - reach;
    return room < 0 || w->strides[d] < 1 ? 0 : room / w->strides[d] + 1;
}

graph_value_t graph_conv(graph_t *graph, graph_value_t src, graph_value_t wei, graph_value_t bia,
        const graph_window_t *window)
{
    if (src < 0 || wei < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src), w = *graph__value(graph, wei);
    const bool is_grouped = w.ndims == in.ndims + 1;
    if (in.ndims < 3 || in.ndims > 5 || (!is_grouped && w.ndims != in.ndims))
        return graph__fail(
                graph, "a convolution of %d dimensions with weights of %d", in.ndims, w.ndims);
    const prim_dim_t *const oihw = w.dims + is_grouped;
    prim_dims_t dims = {in.dims[0], oihw[0] * (is_grouped ? w.dims[0] : 1)};
    for (int d = 0; d < in.ndims - 2; ++d)
        dims[2 + d] = window_size(in.dims[2 + d], oihw[2 + d], window, d);
    const graph_params_t params = {.window = *window};
    const graph_value_t inputs[] = {src, wei, bia};
    return graph__add_node(graph, GRAPH_CONV, 3, inputs, &params, in.ndims, dims, in.data_type);
}

graph_value_t graph_deconv(graph_t *graph, graph_value_t src, graph_value_t wei, graph_value_t bia,
        const graph_window_t *window, const prim_dim_t *dst_spatial)
{
    if (src < 0 || wei < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src), w = *graph__value(graph, wei);
    const bool is_grouped = w.ndims == in.ndims + 1;
    if (in.ndims < 3 || in.ndims > 5 || (!is_grouped && w.ndims != in.ndims))
        return graph__fail(
                graph, "a deconvolution of %d dimensions with weights of %d", in.ndims, w.ndims);
    prim_dims_t dims = {in.dims[0], w.dims[is_grouped] * (is_grouped ? w.dims[0] : 1)};
    memcpy(dims + 2, dst_spatial, (size_t)(in.ndims - 2) * sizeof *dims);
    const graph_params_t params = {.window = *window};
    const graph_value_t inputs[] = {src, wei, bia};
    return graph__add_node(graph, GRAPH_DECONV, 3, inputs, &params, in.ndims, dims, in.data_type);
}

graph_value_t graph__with_rank(graph_t *graph, graph_value_t value, int ndims)
{
    if (value < 0 || graph__value(graph, value)->ndims >= ndims) return value;
    const graph_node_value_t from = *graph__value(graph, value);
    prim_dims_t dims = {0};
    for (int d = 0; d < ndims; ++d) {
        const int own = d - (ndims - from.ndims);
        dims[d] = own < 0 ? 1 : from.dims[own];
    }
    return graph_reshape(graph, value, ndims, dims);
}

bool graph__broadcast(prim_dim_t *dims, int ndims, const prim_dim_t *a, const prim_dim_t *b)
{
    for (int d = 0; d < ndims; ++d) {
        if (a[d] != b[d] && a[d] != 1 && b[d] != 1) return false;
        dims[d] = a[d] == 1 ? b[d] : a[d];
    }
    return true;
}

static int rank(const graph_t *graph, graph_value_t value)
{
    return value < 0 ? 0 : graph__value(graph, value)->ndims;
}

static int max_rank(const graph_t *graph, graph_value_t a, graph_value_t b)
{
    return rank(graph, a) > rank(graph, b) ? rank(graph, a) : rank(graph, b);
}

graph_value_t graph_matmul(graph_t *graph, graph_value_t a, graph_value_t b, graph_value_t bia)
{
    const int ndims = max_rank(graph, a, b);
    a = graph__with_rank(graph, a, ndims);
    b = graph__with_rank(graph, b, ndims);
    bia = graph__with_rank(graph, bia, ndims);
    if (a < 0 || b < 0) return GRAPH_FAILED;
    const graph_node_value_t src = *graph__value(graph, a), wei = *graph__value(graph, b);
    prim_dims_t dims = {0};
    if (ndims < 2 || src.dims[ndims - 1] != wei.dims[ndims - 2] ||
            !graph__broadcast(dims, ndims - 2, src.dims, wei.dims))
        return graph__fail(graph, "the shapes of a product's operands do not fit");
    dims[ndims - 2] = src.dims[ndims - 2];
    dims[ndims - 1] = wei.dims[ndims - 1];
    const graph_value_t inputs[] = {a, b, bia};
    return graph__add_node(graph, GRAPH_MATMUL, 3, inputs, NULL, ndims, dims, src.data_type);
}

graph_value_t graph_inner_product(
        graph_t *graph, graph_value_t src, graph_value_t wei, graph_value_t bia)
{
    if (src < 0 || wei < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    const prim_dim_t dims[] = {in.dims[0], graph__value(graph, wei)->dims[0]};
    const graph_value_t inputs[] = {src, wei, bia};
    return graph__add_node(graph, GRAPH_INNER_PRODUCT, 3, inputs, NULL, 2, dims, in.data_type);
}

graph_value_t graph_pool(graph_t *graph, graph_value_t src, prim_alg_kind_t alg,
        const prim_dim_t *kernel, const graph_window_t *window)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    if (in.ndims < 3 || in.ndims > 5)
        return graph__fail(graph, "a pooling of %d dimensions", in.ndims);
    graph_params_t params = {.alg = alg, .window = *window};
    prim_dims_t dims = {in.dims[0], in.dims[1]};
    for (int d = 0; d < in.ndims - 2; ++d) {
        params.kernel[d] = kernel[d];
        dims[2 + d] = window_size(in.dims[2 + d], kernel[d], window, d);
    }
    return graph__add_node(graph, GRAPH_POOL, 1, &src, &params, in.ndims, dims, in.data_type);
}

graph_value_t graph_eltwise(
        graph_t *graph, graph_value_t src, prim_alg_kind_t alg, float alpha, float beta)
{
    const graph_params_t params = {.alg = alg, .alpha = alpha, .beta = beta};
    return add_alike(graph, GRAPH_ELTWISE, src, &params);
}

graph_value_t graph_binary(
        graph_t *graph, prim_alg_kind_t alg, graph_value_t src0, graph_value_t src1)
{
    const int ndims = max_rank(graph, src0, src1);
    const graph_value_t inputs[] = {
            graph__with_rank(graph, src0, ndims), graph__with_rank(graph, src1, ndims)};
    if (inputs[0] < 0 || inputs[1] < 0) return GRAPH_FAILED;
    const graph_node_value_t a = *graph__value(graph, inputs[0]);
    prim_dims_t dims = {0};
    if (!graph__broadcast(dims, ndims, a.dims, graph__value(graph, inputs[1])->dims))
        return graph__fail(graph, "the shapes of a binary operation's operands do not fit");
    const graph_params_t params = {.alg = alg};
    return graph__add_node(graph, GRAPH_BINARY, 2, inputs, &params, ndims, dims, a.data_type);
}

graph_value_t graph_compare(
        graph_t *graph, prim_alg_kind_t alg, graph_value_t src0, graph_value_t src1)
{
    const graph_value_t y = graph_binary(graph, alg, src0, src1);
    if (y >= 0) graph__value(graph, y)->data_type = PRIM_S8;
    return y;
}

graph_value_t graph_prelu(graph_t *graph, graph_value_t src, graph_value_t wei)
{
    const graph_value_t inputs[] = {src, graph__with_rank(graph, wei, rank(graph, src))};
    if (src < 0 || wei < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    return graph__add_node(graph, GRAPH_PRELU, 2, inputs, NULL, in.ndims, in.dims, in.data_type);
}

graph_value_t graph_softmax(graph_t *graph, graph_value_t src, prim_alg_kind_t alg, int axis)
{
    const graph_params_t params = {.alg = alg, .axis = axis};
    return add_alike(graph, GRAPH_SOFTMAX, src, &params);
}

/// A normalisation's node; `flags` say which of the f32 scale and shift there are.
static graph_value_t add_norm(
        graph_t *graph, graph_op_t op, int n, graph_value_t *inputs, graph_params_t params)
{
    if (inputs[0] < 0) return GRAPH_FAILED;
    for (int i = 1; i < n; ++i)
        if (inputs[i] >= 0) inputs[i] = graph_convert(graph, inputs[i], PRIM_F32);
    if (inputs[1] >= 0) params.flags |= PRIM_USE_SCALE;
    if (inputs[2] >= 0) params.flags |= PRIM_USE_SHIFT;
    const graph_node_value_t src = *graph__value(graph, inputs[0]);
    return graph__add_node(graph, op, n, inputs, &params, src.ndims, src.dims, src.data_type);
}

graph_value_t graph_batch_norm(graph_t *graph, graph_value_t src, graph_value_t scale,
        graph_value_t shift, graph_value_t mean, graph_value_t variance, float epsilon)
{
    graph_value_t inputs[] = {src, scale, shift, mean, variance};
    const graph_params_t params = {.alpha = epsilon, .flags = PRIM_USE_GLOBAL_STATS};
    if (mean < 0 || variance < 0) return GRAPH_FAILED;
    return add_norm(graph, GRAPH_BATCH_NORM, 5, inputs, params);
}

graph_value_t graph_layer_norm(
        graph_t *graph, graph_value_t src, graph_value_t scale, graph_value_t shift, float epsilon)
{
    graph_value_t inputs[] = {src, scale, shift};
    const graph_params_t params = {.alpha = epsilon};
    return add_norm(graph, GRAPH_LAYER_NORM, 3, inputs, params);
}

graph_value_t graph_group_norm(graph_t *graph, graph_value_t src, prim_dim_t groups,
        graph_value_t scale, graph_value_t shift, float epsilon)
{
    graph_value_t inputs[] = {src, scale, shift};
    const graph_params_t params = {.alpha = epsilon, .groups = groups};
    return add_norm(graph, GRAPH_GROUP_NORM, 3, inputs, params);
}

graph_value_t graph_lrn(graph_t *graph, graph_value_t src, prim_alg_kind_t alg, prim_dim_t size,
        float alpha, float beta, float k)
{
    const graph_params_t params = {
            .alg = alg, .groups = size, .alpha = alpha, .beta = beta, .k = k};
    return add_alike(graph, GRAPH_LRN, src, &params);
}

graph_value_t graph_reduction(
        graph_t *graph, graph_value_t src, prim_alg_kind_t alg, unsigned mask, float p, float eps)
{
    if (src < 0) return GRAPH_FAILED;
    graph_node_value_t in = *graph__value(graph, src);
    for (int d = 0; d < in.ndims; ++d)
        if (mask >> d & 1) in.dims[d] = 1;
    const graph_params_t params = {.alg = alg, .alpha = p, .beta = eps};
    return graph__add_node(
            graph, GRAPH_REDUCTION, 1, &src, &params, in.ndims, in.dims, in.data_type);
}

graph_value_t graph_resampling(
        graph_t *graph, graph_value_t src, prim_alg_kind_t alg, const prim_dim_t *dst_spatial)
{
    if (src < 0) return GRAPH_FAILED;
    graph_node_value_t in = *graph__value(graph, src);
    memcpy(in.dims + 2, dst_spatial, (size_t)(in.ndims - 2) * sizeof *in.dims);
    const graph_params_t params = {.alg = alg};
    return graph__add_node(
            graph, GRAPH_RESAMPLING, 1, &src, &params, in.ndims, in.dims, in.data_type);
}

graph_value_t graph_concat(graph_t *graph, int n, const graph_value_t *values, int axis)
{
    if (n < 1 || any_failed(n, values)) return GRAPH_FAILED;
    graph_node_value_t first = *graph__value(graph, values[0]);
    if (axis < 0 || axis >= first.ndims)
        return graph__fail(graph, "concat axis %d is outside 0..%d", axis, first.ndims - 1);
    for (int i = 1; i < n; ++i) first.dims[axis] += graph__value(graph, values[i])->dims[axis];
    const graph_params_t params = {.axis = axis};
    return graph__add_node(
            graph, GRAPH_CONCAT, n, values, &params, first.ndims, first.dims, first.data_type);
}

graph_value_t graph_convert(graph_t *graph, graph_value_t src, prim_data_type_t data_type)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    if (in.data_type == data_type) return src;
    return graph__add_node(graph, GRAPH_CONVERT, 1, &src, NULL, in.ndims, in.dims, data_type);
}

graph_value_t graph_reshape(graph_t *graph, graph_value_t src, int ndims, const prim_dim_t *dims)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    if (nelems(ndims, dims) != nelems(in.ndims, in.dims))
        return graph__fail(graph, "a reshape to another number of elements");
    return graph__add_node(graph, GRAPH_RESHAPE, 1, &src, NULL, ndims, dims, in.data_type);
}

graph_value_t graph_transpose(graph_t *graph, graph_value_t src, const int *order)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    graph_params_t params = {.axis = 0};
    prim_dims_t dims = {0};
    unsigned seen = 0;
    for (int d = 0; d < in.ndims; ++d) {
        if (order[d] < 0 || order[d] >= in.ndims || (seen >> order[d] & 1))
            return graph__fail(graph, "the order of a transposition is no permutation");
        seen |= 1u << order[d];
        params.order[order[d]] = d; // Prim's convention: where a dimension goes
        dims[d] = in.dims[order[d]];
    }
    return graph__add_node(graph, GRAPH_TRANSPOSE, 1, &src, &params, in.ndims, dims, in.data_type);
}

graph_value_t graph_slice(
        graph_t *graph, graph_value_t src, const prim_dim_t *offsets, const prim_dim_t *dims)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    graph_params_t params = {.axis = 0};
    for (int d = 0; d < in.ndims; ++d) {
        if (offsets[d] < 0 || dims[d] < 0 || offsets[d] + dims[d] > in.dims[d])
            return graph__fail(graph, "a slice reaches beyond dimension %d", d);
        params.offsets[d] = offsets[d];
    }
    return graph__add_node(graph, GRAPH_SLICE, 1, &src, &params, in.ndims, dims, in.data_type);
}
