// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample. Prim's resampling looks at (y + 0.5)·in/out − 0.5; a nearest neighbour that
// lies elsewhere is gathered, what else it lacks is a product (onnx_resize_matrix.c).
#include "onnx_resize.h"

#include <math.h>
#include <string.h>

enum { MAX_GATHERED = 256 };

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
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    const int mode = find_word(onnx_string(node, "mode", "nearest"), modes, 3);
    const int where = find_word(onnx_string(node, "coordinate_transformation_mode",
                                        is_old ? "asymmetric" : "half_pixel"),
            places, 6);
    const int rounding =
            find_word(onnx_string(node, "nearest_mode", is_old ? "floor" : "round_prefer_floor"),
                    roundings, 4);
    if (mode < 0 || where < 0 || rounding < 0) return false;
    r->mode = (interpolation_t)mode;
    r->where = (where_t)where;
    r->rounding = (rounding_t)rounding;
    r->cubic_a = onnx_float(node, "cubic_coeff_a", -0.75f);
    r->is_antialiased = onnx_int(node, "antialias", 0);
    r->excludes_outside = onnx_int(node, "exclude_outside", 0);
    return !r->is_antialiased || r->mode != NEAREST;
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

/// One scale for all dimensions of which sizes are given: the smallest that they ask for, or the
/// largest.
static bool keep_aspect(const onnx_value_t *src, const char *policy, resize_t *r)
{
    const bool is_smallest = strcmp(policy, "not_larger") == 0;
    float scale = 0;
    if (strcmp(policy, "stretch") == 0) return true;
    for (int d = 0; d < src->ndims; ++d) {
        if (!r->sizes[d]) continue;
        if (src->dims[d] <= 0) return false;
        const float wanted = (float)r->sizes[d] / (float)src->dims[d];
        if (scale == 0 || (wanted < scale) == is_smallest) scale = wanted;
    }
    for (int d = 0; d < src->ndims; ++d) {
        if (!r->sizes[d]) continue;
        r->sizes[d] = (int64_t)floorf(scale * (float)src->dims[d] + 0.5f);
        r->scales[d] = scale;
    }
    return is_smallest || strcmp(policy, "not_smaller") == 0;
}

/// Sizes or scales of every dimension; those of `axes` are given, or all.
static bool read_resize(const onnx_model_t *model, const onnx_node_t *node, resize_t *r)
{
    const int ndims = onnx_input(model, node, 0)->ndims;
    const onnx_attribute_t *const axes = onnx_attribute(node, "axes");
    const int wanted = axes ? (int)axes->n : ndims;
    int64_t sizes[ONNX_MAX_NDIMS];
    float scales[ONNX_MAX_NDIMS];
    *r = (resize_t){.mode = NEAREST};
    if (ndims < 3 || ndims > 5 || !read_modes(node, r)) return false;
    const bool has_sizes = onnx_ints(model, node, 3, NULL, sizes, ONNX_MAX_NDIMS) == wanted;
    if (!has_sizes && read_scales(model, node, scales) != wanted) return false;
    for (int d = 0; d < ndims; ++d) r->scales[d] = 1;
    for (int i = 0; i < wanted; ++i) {
        const int64_t axis = axes ? axes->ints[i] : i;
        if (!onnx_is_axis(axis, ndims)) return false;
        const int d = onnx_axis(axis, ndims);
        r->sizes[d] = has_sizes ? sizes[i] : 0;
        r->scales[d] = has_sizes ? 0 : scales[i];
    }
    return !has_sizes || keep_aspect(onnx_input(model, node, 0),
                                 onnx_string(node, "keep_aspect_ratio_policy", "stretch"), r);
}

static prim_dim_t size_of(const resize_t *r, int d, prim_dim_t in)
{
    return r->sizes[d] ? r->sizes[d] : (prim_dim_t)floorf((float)in * r->scales[d]);
}

float onnx_resize_scale(const resize_t *r, int d, prim_dim_t in, prim_dim_t out)
{
    return r->scales[d] > 0 ? r->scales[d] : (float)out / (float)in;
}

float onnx_resize_position(const resize_t *r, int d, prim_dim_t y, prim_dim_t in, prim_dim_t out)
{
    const float scale = onnx_resize_scale(r, d, in, out), at = (float)y;
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
        if (neighbour(r, onnx_resize_position(r, d, y, in, out), in) !=
                (2 * y + 1) * in / (2 * out))
            return false;
    return true;
}

/// Whether dimension d stays as it is; floor(in · scale) may be `in` where it does not.
static bool is_kept(const resize_t *r, int d, prim_dim_t in)
{
    return r->sizes[d] ? r->sizes[d] == in && (r->scales[d] == 0 || r->scales[d] == 1)
                       : r->scales[d] == 1;
}

/// Whether in/out is the scale that the model asks for, at any shape; 0 stands for that.
static bool is_exact(const resize_t *r, int d, prim_dim_t in)
{
    const float out = (float)in * r->scales[d];
    return r->scales[d] == floorf(r->scales[d]) || (in > 0 && out == floorf(out));
}

/// Whether Prim's resampling interpolates dimension d as asked.
static bool is_resampling(const resize_t *r, int d, prim_dim_t in)
{
    return r->mode == LINEAR && !r->is_antialiased && !r->excludes_outside && is_exact(r, d, in) &&
           r->where != ALIGN_CORNERS && r->where != ASYMMETRIC && r->where != TF_HALF_PIXEL;
}

/// Dimension d, of `in` positions (−1: not known). Where the last corner of a size that is rounded
/// lies, the host and the standard disagree.
static bool accepts_dim(const resize_t *r, int d, prim_dim_t in)
{
    if (r->mode != NEAREST)
        return is_resampling(r, d, in) ||
               (in >= 0 && onnx_has_resize_matrix(in, size_of(r, d, in)) &&
                       (r->where != ALIGN_CORNERS || is_exact(r, d, in)));
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
        if (is_kept(&r, d, src->dims[d])) continue;
        if (d < 2 || r.sizes[d] < 0 || (!r.sizes[d] && r.scales[d] <= 0) ||
                !accepts_dim(&r, d, src->dims[d]))
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
        indices[y] = neighbour(r, onnx_resize_position(r, d, y, in, out), in);
    return graph_gather(b->graph, src, d, out, indices);
}

/// What resampling does not do alone: neighbours elsewhere, and the single position of `pytorch`.
static graph_value_t prepare(
        const onnx_builder_t *b, graph_value_t src, const resize_t *r, int d, prim_dim_t out)
{
    if (src < 0) return src;
    const prim_dim_t in = graph_dims(b->graph, src)[d];
    if (r->mode == LINEAR && !(r->where == PYTORCH && out == 1)) return src;
    if (r->mode == NEAREST && has_own_neighbours(r, d, in, out)) return src;
    return gathered(b, src, r, d, out);
}

/// Whether a dimension is interpolated as resampling does not: then products do all.
static bool needs_matrix(const onnx_builder_t *b, graph_value_t src, const resize_t *r)
{
    for (int d = 2; d < graph_ndims(b->graph, src) && r->mode != NEAREST; ++d) {
        const prim_dim_t in = graph_dims(b->graph, src)[d];
        if (!is_kept(r, d, in) && !is_resampling(r, d, in)) return true;
    }
    return false;
}

static graph_value_t multiplied(const onnx_builder_t *b, graph_value_t src, const resize_t *r)
{
    for (int d = graph_ndims(b->graph, src) - 1; d >= 2 && src >= 0; --d) {
        const prim_dim_t in = graph_dims(b->graph, src)[d];
        if (!is_kept(r, d, in)) src = onnx_resize_by_matrix(b, src, r, d, size_of(r, d, in));
    }
    return src;
}

static void build_resize(const onnx_builder_t *b)
{
    graph_value_t src = onnx_in(b, 0);
    resize_t r;
    prim_dim_t out[3];
    bool is_same = true;
    if (src < 0 || !read_resize(b->model, b->node, &r)) return;
    if (needs_matrix(b, src, &r)) {
        onnx_set(b, 0, multiplied(b, src, &r));
        return;
    }
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
                              r.mode == LINEAR ? PRIM_RESAMPLING_LINEAR : PRIM_RESAMPLING_NEAREST,
                              out));
}

const onnx_op_t onnx_resize_ops[] = {
        {"Resize", accepts_resize, build_resize, ONNX_FLOATS},
        {"Upsample", accepts_resize, build_resize, ONNX_FLOATS},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
