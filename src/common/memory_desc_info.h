// SPDX-License-Identifier: Apache-2.0
// What a memory descriptor says: predicates, sizes, offsets of elements.
#ifndef PRIM_COMMON_MEMORY_DESC_INFO_H
#define PRIM_COMMON_MEMORY_DESC_INFO_H

#include "prim/prim_types.h"

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

/// Where the tensor ends in elements, offset0, padding and blocks included, with run-time values
/// left out and dimensions of 0 counted as 1. False if that, or a stride, is beyond MD_MAX_BYTES.
/// Blocks are positive; the layout is known.
bool prim__md_end(prim_dim_t *end, const prim_memory_desc_t *md);
/// Whether neither dimensions nor, where there are some, strides lead beyond MD_MAX_BYTES.
bool prim__md_fits(const prim_memory_desc_t *md);

/// Sets unused entries and fields to zero, so that descriptors compare and hash as bytes.
void prim__md_normalize(prim_memory_desc_t *md);

#endif
