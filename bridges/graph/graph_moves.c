// SPDX-License-Identifier: Apache-2.0
// Graphs: builders of operations that copy elements to other places. No primitive does them, so
// they are composed of views, concatenations and broadcasts.
#include "graph_internal.h"

#include <stdlib.h>
#include <string.h>

/// A constant of `ndims` dimensions whose elements are all `value`.
static graph_value_t filled(
        graph_t *graph, int ndims, const prim_dim_t *dims, prim_data_type_t data_type, float value)
{
    size_t n = 1;
    for (int d = 0; d < ndims; ++d) n *= (size_t)dims[d];
    float *const data = malloc((n ? n : 1) * sizeof *data);
    if (!data) return graph__fail(graph, "no memory for a constant of %zu elements", n);
    for (size_t i = 0; i < n; ++i) data[i] = value;
    const graph_value_t constant = graph_constant(graph, ndims, dims, PRIM_F32, data);
    free(data);
    return graph_convert(graph, constant, data_type);
}

/// A product with ones along the repeated dimensions leaves every value as it is.
graph_value_t graph_expand(graph_t *graph, graph_value_t src, int ndims, const prim_dim_t *dims)
{
    src = graph__with_rank(graph, src, ndims);
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    prim_dims_t ones = {0};
    bool is_same = true;
    if (in.ndims != ndims) return graph__fail(graph, "an expansion to fewer dimensions");
    for (int d = 0; d < ndims; ++d) {
        if (in.dims[d] != dims[d] && in.dims[d] != 1)
            return graph__fail(graph, "an expansion of a dimension that is not 1");
        is_same = is_same && in.dims[d] == dims[d];
        ones[d] = in.dims[d] == dims[d] ? 1 : dims[d];
    }
    if (is_same) return src;
    const graph_value_t repeated =
            graph_binary(graph, PRIM_BINARY_MUL, src, filled(graph, ndims, ones, in.data_type, 1));
    if (repeated >= 0)
        graph__node(graph, graph__value(graph, repeated)->producer)->is_expansion = true;
    return repeated;
}

graph_value_t graph_select(
        graph_t *graph, graph_value_t cond, graph_value_t src0, graph_value_t src1)
{
    graph_value_t inputs[] = {src0, src1, cond};
    int ndims = 0;
    for (int i = 0; i < 3; ++i) {
        if (inputs[i] < 0) return GRAPH_FAILED;
        if (graph_ndims(graph, inputs[i]) > ndims) ndims = graph_ndims(graph, inputs[i]);
    }
    prim_dims_t dims = {0};
    for (int d = 0; d < ndims; ++d) dims[d] = 1;
    for (int i = 0; i < 3; ++i) {
        inputs[i] = graph__with_rank(graph, inputs[i], ndims);
        if (inputs[i] < 0) return GRAPH_FAILED;
        if (!graph__broadcast(dims, ndims, dims, graph_dims(graph, inputs[i])))
            return graph__fail(graph, "the shapes of a selection's operands do not fit");
    }
    // Primitives broadcast the sources against each other alone.
    for (int i = 0; i < 3; ++i) inputs[i] = graph_expand(graph, inputs[i], ndims, dims);
    const prim_data_type_t data_type = graph_data_type(graph, src0);
    return graph__add_node(graph, GRAPH_SELECT, 3, inputs, NULL, ndims, dims, data_type);
}

enum { MAX_PIECES = 256 };

/// The window of `n` places from `first` on along `axis`.
static graph_value_t piece(
        graph_t *graph, graph_value_t src, int axis, prim_dim_t first, prim_dim_t n)
{
    if (src < 0) return GRAPH_FAILED;
    prim_dims_t dims, offsets = {0};
    memcpy(dims, graph_dims(graph, src), sizeof dims);
    offsets[axis] = first;
    dims[axis] = n;
    return graph_slice(graph, src, offsets, dims);
}

graph_value_t graph_gather(
        graph_t *graph, graph_value_t src, int axis, prim_dim_t n, const prim_dim_t *indices)
{
    graph_value_t pieces[MAX_PIECES];
    int npieces = 0;
    if (src < 0) return GRAPH_FAILED;
    if (n == 0) return piece(graph, src, axis, 0, 0);
    for (prim_dim_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && indices[i + run] == indices[i] + run;) ++run;
        if (npieces == MAX_PIECES)
            return graph__fail(graph, "a gather of more than %d pieces", MAX_PIECES);
        pieces[npieces++] = piece(graph, src, axis, indices[i], run);
    }
    return npieces == 1 ? pieces[0] : graph_concat(graph, npieces, pieces, axis);
}

/// The value with `before` and `after` elements around dimension `axis`.
static graph_value_t pad_axis(graph_t *graph, graph_value_t src, int axis, prim_dim_t before,
        prim_dim_t after, float value)
{
    if (src < 0) return GRAPH_FAILED;
    const graph_node_value_t in = *graph__value(graph, src);
    const prim_dim_t sizes[] = {before, 0, after};
    graph_value_t parts[3];
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        prim_dims_t dims;
        memcpy(dims, in.dims, sizeof dims);
        dims[axis] = sizes[i];
        if (i == 1)
            parts[n++] = src;
        else if (sizes[i])
            parts[n++] = filled(graph, in.ndims, dims, in.data_type, value);
    }
    return graph_concat(graph, n, parts, axis);
}

graph_value_t graph_pad(graph_t *graph, graph_value_t src, const prim_dim_t *before,
        const prim_dim_t *after, float value)
{
    for (int d = 0; d < graph_ndims(graph, src); ++d)
        if (before[d] || after[d]) src = pad_axis(graph, src, d, before[d], after[d], value);
    return src;
}
