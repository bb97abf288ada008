// SPDX-License-Identifier: Apache-2.0
// How the layouts of a convolution's tensors let its operands be gathered.
#ifndef PRIM_CPU_SIMD_CONV_LAYOUTS_H
#define PRIM_CPU_SIMD_CONV_LAYOUTS_H

#include "simd_conv_gather.h"

/// Resolves `any`, channels last and weights in panels where nothing is said, and declines layouts
/// that cannot be gathered (init_pd).
prim_status_t prim__simd_conv_set_layouts(prim_desc_t *pd, const conv_shape_t *shape);

/// Taps along the width that are one: where channels are side by side, those of neighbouring taps
/// are a run of contiguous elements. That pays with few channels, and where the product takes src
/// by rows. 1: no taps are merged.
prim_dim_t prim__simd_conv_merged_taps(simd_gemm_word_t word, const conv_shape_t *shape,
        const prim_memory_desc_t *src, const prim_memory_desc_t *wei);

/// Words of the channels of a tap.
prim_dim_t prim__simd_conv_tap_words(const conv_shape_t *shape, simd_gemm_word_t word);

/// Decides how plain or panel weights of `md` are read, and fills the fields about them but `wei`.
/// The depth may run over input channels first if `may_lead`.
void prim__simd_conv_read_weights(simd_conv_t *conv, const prim_memory_desc_t *md, bool may_lead);

/// The rows of words of all pixels where they are in src itself, whole cache lines, `*row` words
/// apart. NULL: they have to be gathered.
const void *prim__simd_conv_rows_in_place(const simd_conv_part_t *part, prim_dim_t *row);

/// Whether the pixels of a product are in one line of dst, at a constant distance: those of all
/// images if they are its rows (`is_last`: channels come last), else of one.
bool prim__simd_conv_is_line(
        const prim_memory_desc_t *dst, const conv_shape_t *shape, bool is_last);

/// Words of several channels where the processor multiplies them and src has them side by side.
simd_gemm_word_t prim__simd_conv_word(const prim_desc_t *pd, bool is_last);

/// "Acdb16a", "aBdec16b": panels of `cols` output channels, then taps, then input channels;
/// "AcdB16a2b" of words of two channels, as many as `elems`.
void prim__simd_conv_panels_tag(
        char *tag, size_t bytes, const conv_shape_t *shape, int cols, int elems);

#endif
