// SPDX-License-Identifier: Apache-2.0
// Conversion between dense row-major doubles and the bytes of any plain or blocked layout, by the
// descriptor alone: the library under test has no part in it.
#ifndef BENCH_LAYOUT_H
#define BENCH_LAYOUT_H

#include <stdbool.h>

#include <prim/prim.h>

/// Whether the functions below read the layout: a blocked one, or an image's rows as they are
/// mapped.
bool layout_is_known(const prim_memory_desc_t *md);

/// Elements of the logical shape.
int64_t md_nelems(const prim_memory_desc_t *md);

/// Whether some dimension is a broadcast, of stride 0. Any descriptor may be asked, also one that
/// is made by hand.
bool layout_is_broadcast(const prim_memory_desc_t *md);

/// Gives all positions that share an element the value of the first one: those along dimensions
/// of stride 0.
void layout_share_values(const prim_memory_desc_t *md, double *values);

/// Writes `values`, encoded as `dt`, which is the descriptor's type or one of its size. The values
/// have been rounded to it. Padding is left alone.
void layout_store(
        const prim_memory_desc_t *md, prim_data_type_t dt, void *buffer, const double *values);
void layout_load(
        const prim_memory_desc_t *md, prim_data_type_t dt, const void *buffer, double *values);

/// Zeroes the padded area of a blocked layout.
void layout_clear_padding(const prim_memory_desc_t *md, void *buffer);
/// Number of elements of the padded area whose bits are not all zero.
int64_t layout_count_dirty_padding(const prim_memory_desc_t *md, const void *buffer);

#endif
