// SPDX-License-Identifier: Apache-2.0
// Interpolation that Prim's resampling does not have (corners aligned, cubic, antialiased): along
// one dimension it is a linear function, so a product with a constant matrix.
#include "onnx_resize.h"

#include <math.h>
#include <stdlib.h>

/// Elements of a matrix: 512 by 512, whose product costs as much as a small convolution.
enum { MAX_MATRIX = 1 << 18 };

bool onnx_has_resize_matrix(prim_dim_t in, prim_dim_t out)
{
    return in > 0 && out > 0 && in <= MAX_MATRIX && out <= MAX_MATRIX / in;
}

/// The weight of a tap at the distance `at` (R. Keys, "Cubic Convolution Interpolation for Digital
/// Image Processing", 1981, for the cubic one).
static double weight_at(const resize_t *r, double at)
{
    const double x = fabs(at), a = r->cubic_a;
    if (r->mode == LINEAR) return x < 1 ? 1 - x : 0;
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The weights of all sources for one position of the result: taps beyond an edge count for it.
static void fill_row(const resize_t *r, double at, double stretch, prim_dim_t in, float *row)
{
    const double radius = (r->mode == LINEAR ? 1 : 2) / stretch;
    double sum = 0;
    for (double tap = floor(at - radius); tap <= ceil(at + radius); ++tap) {
        const bool is_outside = tap < 0 || tap > (double)(in - 1);
        const double nearest = tap < 0 ? 0 : tap > (double)(in - 1) ? (double)(in - 1) : tap;
        const double weight = weight_at(r, (tap - at) * stretch);
        if (is_outside && r->excludes_outside) continue;
        row[(prim_dim_t)nearest] += (float)weight;
        sum += weight;
    }
    for (prim_dim_t i = 0; i < in && sum != 0; ++i) row[i] = (float)(row[i] / sum);
}

/// [out, in], or its transpose.
static graph_value_t make_matrix(const onnx_builder_t *b, const resize_t *r, int d, prim_dim_t in,
        prim_dim_t out, prim_data_type_t type)
{
    const double scale = onnx_resize_scale(r, d, in, out);
    const double stretch = r->is_antialiased && scale < 1 ? scale : 1;
    float *const data = calloc((size_t)(in * out), sizeof *data);
    if (!data) return GRAPH_FAILED;
    for (prim_dim_t y = 0; y < out; ++y)
        fill_row(r, onnx_resize_position(r, d, y, in, out), stretch, in, data + y * in);
    const prim_dim_t dims[] = {out, in};
    const graph_value_t matrix = graph_constant(b->graph, 2, dims, PRIM_F32, data);
    free(data);
    return graph_convert(b->graph, matrix, type);
}

graph_value_t onnx_resize_by_matrix(
        const onnx_builder_t *b, graph_value_t src, const resize_t *r, int d, prim_dim_t out)
{
    static const int transposed[] = {1, 0};
    if (src < 0) return src;
    const int ndims = graph_ndims(b->graph, src);
    prim_dims_t dims = {0};
    prim_dim_t outer = 1, inner = 1;
    for (int i = 0; i < ndims; ++i) {
        dims[i] = graph_dims(b->graph, src)[i];
        if (i < d) outer *= dims[i];
        if (i > d) inner *= dims[i];
    }
    const graph_value_t matrix = make_matrix(b, r, d, dims[d], out, graph_data_type(b->graph, src));
    const prim_dim_t rows[] = {outer, dims[d]}, slices[] = {outer, dims[d], inner};
    graph_value_t y = graph_reshape(b->graph, src, inner == 1 ? 2 : 3, inner == 1 ? rows : slices);
    y = inner == 1 ? graph_matmul(b->graph, y, graph_transpose(b->graph, matrix, transposed),
                             GRAPH_ABSENT)
                   : graph_matmul(b->graph, matrix, y, GRAPH_ABSENT);
    dims[d] = out;
    return graph_reshape(b->graph, y, ndims, dims);
}
