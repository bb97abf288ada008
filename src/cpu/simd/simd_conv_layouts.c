// SPDX-License-Identifier: Apache-2.0
// How the layouts of a convolution's tensors let its operands be gathered.
#include "simd_conv_layouts.h"

#include <stdio.h>

#include "common/int_math.h"
#include "simd_conv_finish.h"
#include "simd_gemm_levels.h"

void prim__simd_conv_panels_tag(char *tag, size_t bytes, const conv_shape_t *s, int cols, int elems)
{
    const char *const first = s->has_groups ? "aB" : "A", out = s->has_groups ? 'b' : 'a';
    const char *const spatial = s->has_groups ? "def" : "cde";
    const char in = (char)(out + 1), blocked_in = s->has_groups ? 'C' : 'B';
    if (elems == 1)
        (void)snprintf(tag, bytes, "%s%.*s%c%d%c", first, s->nspatial, spatial, in, cols, out);
    else
        (void)snprintf(tag, bytes, "%s%.*s%c%d%c%d%c", first, s->nspatial, spatial, blocked_in,
                cols, out, elems, in);
}

/// Channels that are side by side in panels of weights: a word's, if words are full.
static int panel_elems(const prim_desc_t *pd, const conv_shape_t *s)
{
    const int elems = 1 << prim__simd_conv_word(pd, true);
    return s->ic % elems == 0 ? elems : 1;
}

prim_status_t prim__simd_conv_set_layouts(prim_desc_t *pd, const conv_shape_t *shape)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    char panels[24], words[24];
    TRY(prim__conv_set_channels_last(pd));
    REQUIRE(pd, prim__md_is_plain(src) && prim__md_is_plain(dst),
            "src or dst has a blocked layout");
    const bool is_last = dst->strides[1] == 1;
    const int nr = prim__simd_gemm_shape(SIMD_WORD_F32)->nr;
    prim__simd_conv_panels_tag(panels, sizeof panels, shape, nr, 1);
    prim__simd_conv_panels_tag(
            words, sizeof words, shape, nr, is_last ? panel_elems(pd, shape) : 1);
    if (is_last) TRY(prim__md_set_tag_if_any(wei, words));
    TRY(prim__md_set_row_major_if_any(wei));
    REQUIRE(pd,
            prim__md_is_plain(wei) || (is_last && (prim__md_matches_tag(wei, panels) ||
                                                          prim__md_matches_tag(wei, words))),
            "weights are blocked, but not in the panel layout of this processor");
    if (!prim__pd_has(pd, PRIM_ARG_BIAS)) return PRIM_SUCCESS;
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS));
}

/// Whether elements of the four dimensions, outermost first, are at one distance `*down` in a row.
static bool is_linear(const prim_dim_t dims[4], const prim_dim_t strides[4], prim_dim_t *down)
{
    *down = 1;
    prim_dim_t expected = -1;
    for (int d = 3; d >= 0; --d) {
        if (dims[d] == 1) continue;
        if (expected < 0) *down = expected = strides[d];
        if (strides[d] != expected) return false;
        expected *= dims[d];
    }
    return true;
}

prim_dim_t prim__simd_conv_merged_taps(simd_gemm_word_t word, const conv_shape_t *s,
        const prim_memory_desc_t *src, const prim_memory_desc_t *wei)
{
    enum { FEW_CHANNELS = 16 }; // from here on a tap fills a vector
    // Rows of pixels are copied as they are: the longer, the better.
    const bool in_rows = word != SIMD_WORD_F32 && prim__simd_gemm_choose(word)->a_in_rows;
    prim_dim_t from[5], w[6];
    prim__conv_data_strides(from, src);
    prim__conv_weights_strides(w, wei, s->has_groups);
    const bool src_runs = from[1] == 1 && from[4] == s->ic;
    const bool wei_runs = wei->inner_nblks > 0 || w[5] == s->ic * w[2];
    const bool is_dense =
            s->dilation[CONV_W] == 1 && s->g == 1 && (in_rows || s->ic < FEW_CHANNELS);
    return is_dense && src_runs && wei_runs ? s->kernel[CONV_W] : 1;
}

prim_dim_t prim__simd_conv_tap_words(const conv_shape_t *shape, simd_gemm_word_t word)
{
    return prim__ceil_div(shape->ic, (prim_dim_t)1 << word);
}

void prim__simd_conv_read_weights(simd_conv_t *conv, const prim_memory_desc_t *md, bool may_lead)
{
    const conv_shape_t *const s = &conv->shape;
    const prim_dim_t *const k = s->kernel;
    prim__conv_weights_strides(conv->wei_strides, md, s->has_groups);
    const prim_dim_t *const w = conv->wei_strides;
    conv->channels_lead = false;
    conv->weights = md->inner_nblks == 2 ? SIMD_WEI_WORDS : SIMD_WEI_PANELS;
    if (md->inner_nblks) return;
    conv->weights = SIMD_WEI_LINEAR;
    if (is_linear((prim_dim_t[]){k[0], k[1], k[2], s->ic}, (prim_dim_t[]){w[3], w[4], w[5], w[2]},
                &conv->wei_down))
        return;
    conv->channels_lead = may_lead;
    if (may_lead && is_linear((prim_dim_t[]){s->ic, k[0], k[1], k[2]},
                            (prim_dim_t[]){w[2], w[3], w[4], w[5]}, &conv->wei_down))
        return;
    conv->channels_lead = false;
    conv->weights = SIMD_WEI_TAPS;
}

bool prim__simd_conv_is_line(const prim_memory_desc_t *dst, const conv_shape_t *shape, bool is_last)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, dst);
    prim_dim_t expected = is_last ? strides[4] : 1;
    for (int d = CONV_W; d >= CONV_D; --d) {
        if (shape->out[d] > 1 && strides[2 + d] != expected) return false;
        expected *= shape->out[d];
    }
    return !is_last || shape->mb == 1 || strides[0] == expected;
}

simd_gemm_word_t prim__simd_conv_word(const prim_desc_t *pd, bool is_last)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    if (!is_last || src->strides[1] != 1) return SIMD_WORD_F32;
    if (prim__simd_conv_has_bytes(pd))
        return prim__simd_gemm_has(SIMD_WORD_BYTES) ? SIMD_WORD_BYTES : SIMD_WORD_F32;
    const bool is_bf16 = src->data_type == PRIM_BF16 && wei->data_type == PRIM_BF16;
    return is_bf16 && prim__simd_gemm_has(SIMD_WORD_BF16) ? SIMD_WORD_BF16 : SIMD_WORD_F32;
}

static bool has_rows_in_place(const simd_conv_t *conv)
{
    enum { LINE = 64 }; // bytes; rows that cross one take three times as long to load
    const conv_shape_t *const s = &conv->shape;
    const prim_dim_t elems = (prim_dim_t)1 << conv->word, line_elems = LINE * elems / 4;
    if (conv->word == SIMD_WORD_F32 || conv->flips_src || conv->ntaps > 1) return false;
    if (conv->merged_taps > 1 || s->ic % line_elems != 0 || (uintptr_t)conv->src % LINE != 0)
        return false;
    prim_dim_t expected = conv->src_strides[4];
    if (expected % line_elems != 0) return false;
    for (int d = CONV_W; d >= CONV_D; --d) {
        if (s->in[d] != s->out[d] || s->stride[d] != 1 || s->pad[d] != 0) return false;
        if (s->out[d] > 1 && conv->src_strides[2 + d] != expected) return false;
        expected *= s->out[d];
    }
    return s->mb == 1 || conv->src_strides[0] == expected;
}

const void *prim__simd_conv_rows_in_place(const simd_conv_part_t *part, prim_dim_t *row)
{
    const simd_conv_t *const conv = part->conv;
    if (!has_rows_in_place(conv)) return NULL;
    const prim_dim_t elem_bytes = (prim_dim_t)sizeof(float) >> conv->word;
    *row = conv->src_strides[4] >> conv->word;
    return (const char *)conv->src + part->group * conv->shape.ic * elem_bytes;
}
