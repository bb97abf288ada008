// SPDX-License-Identifier: Apache-2.0
// Layouts by name: the text of a tag, taken apart, and the dense layout it stands for.
#ifndef PRIM_COMMON_MEMORY_DESC_TAG_H
#define PRIM_COMMON_MEMORY_DESC_TAG_H

#include "status.h"

/// The largest inner block, in descriptors made by hand as in tags: kernels count it in 32 bits.
enum { LAYOUT_MAX_BLOCK = 999999 };

/// A tag taken apart: the order of the outer dimensions and the inner blocks.
typedef struct {
    int ndims;
    int order[PRIM_MAX_NDIMS]; ///< logical dimensions, outermost in memory first
    int nblks;
    prim_dim_t blks[PRIM_MAX_NDIMS]; ///< sizes, outermost first
    int idxs[PRIM_MAX_NDIMS];        ///< which dimension each cuts
} layout_t;

/// Takes "abcd", "aBcd16b", "nchw", "OIhw4i4o" apart. False, without a sentence, for text that is
/// no layout ("any" included).
bool prim__layout_parse(layout_t *layout, const char *text);

/// Lays `md` out densely: fills format kind, padding, strides and blocks from ndims, dims and data
/// type, which are set. The rank must be the layout's. Run-time dimensions need a layout without
/// blocks; a stride that depends on one is PRIM_RUNTIME_DIM_VAL.
prim_status_t prim__layout_apply(const layout_t *layout, prim_memory_desc_t *md);

/// The layout whose order and blocks `md` has: outer dimensions by falling stride, a broadcast one
/// (stride 0) inside the dimension before it. `md` is blocked.
void prim__layout_of(layout_t *layout, const prim_memory_desc_t *md);

/// Whether `md` is exactly what prim__layout_apply() makes of its dimensions, offset0 and the
/// strides of outer dimensions of extent 1 aside.
bool prim__layout_matches(const layout_t *layout, const prim_memory_desc_t *md);

/// Writes the layout's canonical name to `text`, which holds at least 64 bytes.
void prim__layout_text(const layout_t *layout, char *text);

/// Dense row-major: the tag is abc….
bool prim__md_is_row_major(const prim_memory_desc_t *md);
/// Row-major but for the leading dimension order given as a tag text, e.g. "acdb": true when the
/// dense layout of that tag has these strides and blocks. Dimensions of 1 may have any stride.
bool prim__md_matches_tag(const prim_memory_desc_t *md, const char *tag);

/// If `md` is `any`, gives it the dense layout named by the tag; else leaves it.
prim_status_t prim__md_set_tag_if_any(prim_memory_desc_t *md, const char *tag);
/// If `md` is `any`, gives it row-major order.
prim_status_t prim__md_set_row_major_if_any(prim_memory_desc_t *md);

/// "abcd", "aBcd16b", or "" when the strides have no name; `text` holds at least 64 bytes.
void prim__md_tag_text(const prim_memory_desc_t *md, char *text);

#endif
