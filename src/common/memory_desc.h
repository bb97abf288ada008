// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: the internal functions beside the public ones.
#ifndef PRIM_COMMON_MEMORY_DESC_H
#define PRIM_COMMON_MEMORY_DESC_H

#include "status.h"

/// Channels in a texel of an image, and texels of a row of an image that holds a vector: every
/// OpenCL device takes images this wide.
enum { MD_TEXEL_ELEMS = 4, MD_IMAGE_ROW_TEXELS = 2048 };

/// No tensor reaches beyond this: more than any device addresses, and so far below 2^63 that what
/// an implementation computes with a few extents, strides and sizes of elements cannot overflow.
#define MD_MAX_BYTES ((prim_dim_t)1 << 56)

/// The absent tensor.
bool prim__md_is_zero(const prim_memory_desc_t *md);
bool prim__md_is_any(const prim_memory_desc_t *md);
/// Some dimension or stride is PRIM_RUNTIME_DIM_VAL.
bool prim__md_has_runtime(const prim_memory_desc_t *md);
/// An image: no other predicate on layouts holds for it, so that what reads buffers leaves it
/// alone. Its strides, blocks and padding describe its packed rows as a mapping shows them.
bool prim__md_is_image(const prim_memory_desc_t *md);
/// Strides, and maybe inner blocks: not absent, `any` or an image.
bool prim__md_is_blocked(const prim_memory_desc_t *md);
/// Strides only, no inner blocks.
bool prim__md_is_plain(const prim_memory_desc_t *md);
/// Some dimension above 1 has stride 0, a broadcast: elements share memory, so that the tensor can
/// be read and not written.
bool prim__md_is_broadcast(const prim_memory_desc_t *md);
/// The first such dimension; −1: none.
int prim__md_broadcast_dim(const prim_memory_desc_t *md);
/// Fills its memory from offset0 on without gaps (padding counts as filled); no broadcast.
bool prim__md_is_dense(const prim_memory_desc_t *md);
/// Dense row-major: the tag is abc….
bool prim__md_is_row_major(const prim_memory_desc_t *md);
/// Row-major but for the leading dimension order given as a tag text, e.g. "acdb": true when the
/// dense layout of that tag has these strides and blocks. Dimensions of 1 may have any stride.
bool prim__md_matches_tag(const prim_memory_desc_t *md, const char *tag);
/// Some inner block cuts dimension `dim`.
bool prim__md_is_cut(const prim_memory_desc_t *md, int dim);
/// Not blocked and not padded, or cut and padded in dimension `dim` alone, by one block.
bool prim__md_is_blocked_by(const prim_memory_desc_t *md, int dim);
/// Some dimension is padded (dims != padded_dims).
bool prim__md_is_padded(const prim_memory_desc_t *md);
/// Some dimension is 0.
bool prim__md_is_empty(const prim_memory_desc_t *md);
/// Same logical shape.
bool prim__md_same_dims(const prim_memory_desc_t *a, const prim_memory_desc_t *b);
/// Same layout (strides, blocks, padding, offset), whatever the data type.
bool prim__md_same_layout(const prim_memory_desc_t *a, const prim_memory_desc_t *b);
/// The same, wherever the two begin in their buffers.
bool prim__md_same_layout_moved(const prim_memory_desc_t *a, const prim_memory_desc_t *b);

/// Total block of each dimension: 1 where it is not cut.
void prim__md_total_blocks(prim_dims_t blocks, const prim_memory_desc_t *md);

/// a·b and a + b for values ≥ 0; false, and *result untouched, if the result does not fit.
bool prim__dim_mul(prim_dim_t *result, prim_dim_t a, prim_dim_t b);
bool prim__dim_add(prim_dim_t *result, prim_dim_t a, prim_dim_t b);

/// Product of dims, and of padded dims.
prim_dim_t prim__md_nelems(const prim_memory_desc_t *md);
prim_dim_t prim__md_nelems_padded(const prim_memory_desc_t *md);

/// One more than the largest element offset the tensor touches (padding included), offset0 counted.
prim_dim_t prim__md_span_elems(const prim_memory_desc_t *md);

/// Element offset of a logical position (ndims entries), offset0 included.
prim_dim_t prim__md_offset(const prim_memory_desc_t *md, const prim_dim_t *position);
/// Element offset of a position in the padded tensor (padded_offsets not added).
prim_dim_t prim__md_offset_padded(const prim_memory_desc_t *md, const prim_dim_t *position);

/// Splits a row-major index over `dims` into a position, and joins it again.
void prim__position(prim_dim_t *position, int ndims, const prim_dim_t *dims, prim_dim_t index);
prim_dim_t prim__index(int ndims, const prim_dim_t *dims, const prim_dim_t *position);

/// If `md` is `any`, gives it the dense layout named by the tag; else leaves it.
prim_status_t prim__md_set_tag_if_any(prim_memory_desc_t *md, const char *tag);
/// If `md` is `any`, gives it row-major order.
prim_status_t prim__md_set_row_major_if_any(prim_memory_desc_t *md);
/// If `md` is `any`, makes it an image. PRIM_UNIMPLEMENTED with a sentence for ranks and types that
/// images do not hold.
prim_status_t prim__md_set_image_if_any(prim_memory_desc_t *md);
/// If `md` is `any`, gives it the layout order of `like` (same rank): the same order of dimensions
/// and the same inner blocks, dense; an image, if it is one.
prim_status_t prim__md_set_like_if_any(prim_memory_desc_t *md, const prim_memory_desc_t *like);

/// Where the tensor ends in elements, offset0, padding and blocks included, with run-time values
/// left out and dimensions of 0 counted as 1. False if that, or a stride, is beyond MD_MAX_BYTES.
/// Blocks are positive; the layout is known.
bool prim__md_end(prim_dim_t *end, const prim_memory_desc_t *md);
/// Whether neither dimensions nor, where there are some, strides lead beyond MD_MAX_BYTES.
bool prim__md_fits(const prim_memory_desc_t *md);

/// PRIM_INVALID_ARGUMENTS with a sentence unless the descriptor is one that this library could have
/// made: ranks, dims, type, blocks, strides in range. `name` is the tensor's in the sentence.
/// Public functions call it before they read anything else of a descriptor that they are given.
prim_status_t prim__md_check(const prim_memory_desc_t *md, const char *name);

/// PRIM_INVALID_ARGUMENTS with a sentence if the tensor is a broadcast, which no operation writes.
/// `op` and `name` are the operation's and the tensor's in the sentence.
prim_status_t prim__md_check_output(const prim_memory_desc_t *md, const char *op, const char *name);

/// prim_memory_desc_equal() and prim_memory_desc_get_size() of descriptors that were checked.
bool prim__md_equal(const prim_memory_desc_t *a, const prim_memory_desc_t *b);
size_t prim__md_bytes(const prim_memory_desc_t *md);

/// Sets unused entries and fields to zero, so that descriptors compare and hash as bytes.
void prim__md_normalize(prim_memory_desc_t *md);

/// "abcd", "aBcd16b", or "" when the strides have no name; `text` holds at least 64 bytes.
void prim__md_tag_text(const prim_memory_desc_t *md, char *text);

#endif
