// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample. Prim's resampling looks at (y + 0.5)·in/out − 0.5; a nearest neighbour that
// lies elsewhere is gathered.
#include "onnx_ops.h"

#include <math.h>
#include <string.h>

enum { MAX_GATHERED = 256 };

/// Which element a nearest neighbour is, and where a position of the result lies in the source.
typedef enum { HALF_PIXEL, SYMMETRIC, PYTORCH, ALIGN_CORNERS, ASYMMETRIC, TF_HALF_PIXEL } where_t;
typedef enum { PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL } rounding_t;

typedef struct {
    bool is_linear, has_sizes;
    where_t where;
    rounding_t rounding;
    int64_t sizes[ONNX_MAX_NDIMS]; ///< of each dimension; 0: not given
    float scales[ONNX_MAX_NDIMS];  ///< of each dimension
} resize_t;

/// The index of `word` among `n` words, or −1.
static int find_word(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; ++i)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

/// Before version 11, positions are those of `asymmetric` and rounded down.
static bool read_modes(const onnx_node_t *node, resize_t *r)
{
    static const char *const places[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
            "align_corners", "asymmetric", "tf_half_pixel_for_nn"};
    static const char *const roundings[] = {
            "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    const bool is_old = node->version < 11 || strcmp(node->op, "Upsample") == 0;
    const char *const mode = onnx_string(node, "mode", "nearest");
    const int where = find_word(onnx_string(node, "coordinate_transformation_mode",
                                        is_old ? "asymmetric" : "half_pixel"),
            places, 6);
    const int rounding =
            find_word(onnx_string(node, "nearest_mode", is_old ? "floor" : "round_prefer_floor"),
                    roundings, 4);
    if (where < 0 || rounding < 0) return false;
    r->is_linear = strcmp(mode, "linear") == 0;
    r->where = (where_t)where;
    r->rounding = (rounding_t)rounding;
    return (r->is_linear || strcmp(mode, "nearest") == 0) && !onnx_int(node, "antialias", 0) &&
           strcmp(onnx_string(node, "keep_aspect_ratio_policy", "stretch"), "stretch") == 0;
}

/// The `n` scales that are given as a constant input or an attribute; 0 if they are not.
static int read_scales(const onnx_model_t *model, const onnx_node_t *node, float *scales)
{
    const bool is_old = node->version < 11 || strcmp(node->op, "Upsample") == 0;
    const onnx_value_t *const given = onnx_input(model, node, is_old ? 1 : 2);
    const onnx_attribute_t *const a = onnx_attribute(node, "scales");
    const bool is_input = given && given->data && given->element_type == ORT_FLOAT &&
                          given->ndims == 1 && given->dims[0] <= ONNX_MAX_NDIMS;
    if (!is_input && (!a || !a->floats || a->n > ONNX_MAX_NDIMS)) return 0;
    const size_t n = is_input ? (size_t)given->dims[0] : a->n;
    memcpy(scales, is_input ? given->data : a->floats, n * sizeof *scales);
    return (int)n;
}

/// Sizes or scales of every dimension; those of `axes` are given, or all.
static bool read_resize(const onnx_model_t *model, const onnx_node_t *node, resize_t *r)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    const onnx_attribute_t *const axes = onnx_attribute(node, "axes");
    const int wanted = axes ? (int)axes->n : ndims;
    int64_t sizes[ONNX_MAX_NDIMS];
    float scales[ONNX_MAX_NDIMS];
    *r = (resize_t){.is_linear = false};
    if (ndims < 3 || ndims > 5 || !read_modes(node, r)) return false;
    r->has_sizes = onnx_ints(model, node, 3, NULL, sizes, ONNX_MAX_NDIMS) == wanted;
    if (!r->has_sizes && read_scales(model, node, scales) != wanted) return false;
    for (int d = 0; d < ndims; ++d) r->scales[d] = 1;
    for (int i = 0; i < wanted; ++i) {
        const int64_t axis = axes ? axes->ints[i] : i;
        if (!onnx_is_axis(axis, ndims)) return false;
        const int d = onnx_axis(axis, ndims);
        if (r->has_sizes)
            r->sizes[d] = sizes[i];
        else
            r->scales[d] = scales[i];
    }
    return true;
}

static prim_dim_t size_of(const resize_t *r, int d, prim_dim_t in)
{
    return r->sizes[d] ? r->sizes[d] : (prim_dim_t)floorf((float)in * r->scales[d]);
}

/// Where position y of the result lies; in float, as the host computes it.
static float position(const resize_t *r, int d, prim_dim_t y, prim_dim_t in, prim_dim_t out)
{
    const float scale = r->sizes[d] ? (float)out / (float)in : r->scales[d], at = (float)y;
    const float half = (at + 0.5f) / scale - 0.5f;
    switch (r->where) {
    case SYMMETRIC: {
        const float adjustment = (float)out / (scale * (float)in);
        return (float)in / 2 * (1 - adjustment) + half;
    }
    case PYTORCH: return out > 1 ? half : 0;
    case ALIGN_CORNERS: return out > 1 ? at * (float)(in - 1) / (float)(out - 1) : 0;
    case ASYMMETRIC: return at / scale;
    case TF_HALF_PIXEL: return (at + 0.5f) / scale;
    default: return half;
    }
}

static prim_dim_t neighbour(const resize_t *r, float at, prim_dim_t in)
{
    const float low = floorf(at);
    float index = low;
    if (r->rounding == CEIL) index = ceilf(at);
    if (r->rounding == PREFER_FLOOR) index = at - low > 0.5f ? low + 1 : low;
    if (r->rounding == PREFER_CEIL) index = at - low >= 0.5f ? low + 1 : low;
    return index < 0 ? 0 : index > (float)(in - 1) ? in - 1 : (prim_dim_t)index;
}

/// Whether the neighbours of dimension d are those of Prim's resampling.
static bool has_own_neighbours(const resize_t *r, int d, prim_dim_t in, prim_dim_t out)
{
    for (prim_dim_t y = 0; y < out; ++y)
        if (neighbour(r, position(r, d, y, in, out), in) != (2 * y + 1) * in / (2 * out))
            return false;
    return true;
}

/// Whether in/out is the scale that the model asks for, at any shape.
static bool is_exact(const resize_t *r, int d, prim_dim_t in)
{
    const float out = (float)in * r->scales[d];
    return r->sizes[d] || r->scales[d] == floorf(r->scales[d]) ||
           (in > 0 && r->scales[d] > 0 && out == floorf(out));
}

/// Dimension d, of `in` positions (−1: not known).
static bool accepts_dim(const resize_t *r, int d, prim_dim_t in)
{
    if (r->is_linear)
        return is_exact(r, d, in) && r->where != ALIGN_CORNERS && r->where != ASYMMETRIC &&
               r->where != TF_HALF_PIXEL;
    if (in >= 0)
        return size_of(r, d, in) <= MAX_GATHERED || has_own_neighbours(r, d, in, size_of(r, d, in));
    // Without ties, which whole factors have none of, all roundings to nearest agree.
    const bool is_whole = !r->sizes[d] && r->scales[d] >= 1 && is_exact(r, d, in);
    return (r->where == ASYMMETRIC && r->rounding == FLOOR && is_whole) ||
           (r->where == HALF_PIXEL && r->rounding == PREFER_FLOOR && is_whole) ||
           (r->where == HALF_PIXEL && r->rounding == PREFER_CEIL && is_exact(r, d, in));
}

/// Neither batch nor channels are resized.
static bool accepts_resize(const onnx_model_t *model, const onnx_node_t *node)
{
    resize_t r;
    const onnx_value_t *const src = onnx_input(model, node, 0);
    if (!read_resize(model, node, &r)) return false;
    for (int d = 0; d < src->ndims; ++d) {
        const bool is_same = r.sizes[d] ? r.sizes[d] == src->dims[d] : r.scales[d] == 1;
        if (is_same) continue;
        if (d < 2 || r.sizes[d] < 0 || r.scales[d] <= 0 || !accepts_dim(&r, d, src->dims[d]))
            return false;
    }
    return true;
}

static graph_value_t gathered(
        const onnx_builder_t *b, graph_value_t src, const resize_t *r, int d, prim_dim_t out)
{
    prim_dim_t indices[MAX_GATHERED];
    const prim_dim_t in = graph_dims(b->graph, src)[d];
    for (prim_dim_t y = 0; y < out && y < MAX_GATHERED; ++y)
        indices[y] = neighbour(r, position(r, d, y, in, out), in);
    return graph_gather(b->graph, src, d, out, indices);
}

/// What resampling does not do alone: neighbours elsewhere, and the single position of `pytorch`.
static graph_value_t prepare(
        const onnx_builder_t *b, graph_value_t src, const resize_t *r, int d, prim_dim_t out)
{
    if (src < 0) return src;
    const prim_dim_t in = graph_dims(b->graph, src)[d];
    if (in == out) return src;
    if (r->is_linear && !(r->where == PYTORCH && out == 1)) return src;
    if (!r->is_linear && has_own_neighbours(r, d, in, out)) return src;
    return gathered(b, src, r, d, out);
}

static void build_resize(const onnx_builder_t *b)
{
    graph_value_t src = onnx_in(b, 0);
    resize_t r;
    prim_dim_t out[3];
    bool is_same = true;
    if (src < 0 || !read_resize(b->model, b->node, &r)) return;
    const int ndims = graph_ndims(b->graph, src);
    for (int d = 2; d < ndims; ++d) {
        out[d - 2] = size_of(&r, d, graph_dims(b->graph, src)[d]);
        src = prepare(b, src, &r, d, out[d - 2]);
        if (src < 0) return;
        is_same = is_same && graph_dims(b->graph, src)[d] == out[d - 2];
    }
    onnx_set(b, 0,
            is_same ? src
                    : graph_resampling(b->graph, src,
                              r.is_linear ? PRIM_RESAMPLING_LINEAR : PRIM_RESAMPLING_NEAREST, out));
}

const onnx_op_t onnx_resize_ops[] = {
        {"Resize", accepts_resize, build_resize, ONNX_FLOATS},
        {"Upsample", accepts_resize, build_resize, ONNX_FLOATS},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
