// SPDX-License-Identifier: Apache-2.0
// Epilogue of a convolution on rows of accumulated sums: scales, bias, post-ops, conversion.
#ifndef PRIM_CPU_SIMD_CONV_FINISH_H
#define PRIM_CPU_SIMD_CONV_FINISH_H

#include "common/conv_shape.h"
#include "cpu/ref/ref_finish.h"
#include "simd_epilogue.h"
#include "simd_product_chain.h"

/// Prepared once for each execution.
typedef struct {
    const float *factor, *shift; ///< of each channel of dst: x·factor + shift; NULL: left out
    const prim_post_ops_t *chain;
    int first_step;      ///< of the chain
    bool is_row_chain;   ///< works in place on rows of f32; else through `ref`, which stores to dst
    bool has_epilogue;   ///< in one pass, `epilogue`
    bool is_vector;      ///< else through `vector`, which stores to dst
    bool is_empty;       ///< nothing to do
    bool has_pixel_rows; ///< prim__simd_conv_has_pixel_rows()
    bool has_rows_of_pixels;  ///< an epilogue takes pixels with all their channels
    bool are_integers;        ///< sums are s32, not f32; only with has_rows_of_pixels
    bool has_apart_pixels;    ///< pixels of a row of dst are finished together, wherever they are
    simd_epilogue_t epilogue; ///< its dst is none of a row chain, whose rows are in place
    const simd_epilogue_code_t *epilogue_code;
    simd_product_chain_t vector;
    ref_finish_t ref;
} simd_conv_finish_t;

/// So many products of u8 and s8, 255·128·512, stay below 2^24: their sum is exact in f32.
enum { SIMD_CONV_BYTES_DEPTH = 512 };
/// Whether src is u8 or s8 and the weights are s8 (init_pd).
bool prim__simd_conv_has_bytes(const prim_desc_t *pd);

/// Declines types and zero points that sums in f32 do not take (init_pd).
prim_status_t prim__simd_conv_require_types(prim_desc_t *pd);
/// The same but for src and weights of bytes; src may have one zero point of its own type.
prim_status_t prim__simd_conv_require_bytes(prim_desc_t *pd);
/// The same, and the sums of that many products fit s32, and f32 as well if dst is s32: it goes
/// through f32.
prim_status_t prim__simd_conv_require_sums_of_bytes(prim_desc_t *pd, prim_dim_t nproducts);
/// The same of the gradients of weights and bias: types, plain layouts, no empty tensor.
prim_status_t prim__simd_conv_require_weights_gradient(prim_desc_t *pd);

/// The zero point of src; 0 where none is set.
int prim__simd_conv_source_zero(const prim_desc_t *pd, const exec_ctx_t *ctx);

/// Books the tables in the scratchpad (init_pd) and returns their offset.
size_t prim__simd_conv_book_finish(prim_desc_t *pd);

/// `skips_first`: the chain's first step is done already. `tables_offset`: as booked.
void prim__simd_conv_finish_init(simd_conv_finish_t *finish, const prim_desc_t *pd,
        const exec_ctx_t *ctx, size_t tables_offset, bool is_row_chain, bool skips_first);

/// Finishes the n ≤ REF_ROW_ELEMS sums of dst's elements from `position` on along dimension `dim`:
/// 1, the channels, or the last. Without is_row_chain they are stored to dst, and dst is plain.
void prim__simd_conv_finish_row(const simd_conv_finish_t *finish, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n);

/// The same for rows of sums that are rows of dst, or columns of its channels if is_of_rows: the
/// first row or column is `channel`. Only with an epilogue.
void prim__simd_conv_finish_rows(const simd_conv_finish_t *finish, const simd_epilogue_rows_t *rows,
        prim_dim_t channel, bool is_of_rows);

/// The same for whole pixels of a dst that is contiguous with channels last: rows of its channels,
/// one after the other, npixels·channels ≤ SIMD_ROW. Only where prim__simd_conv_has_pixel_rows().
void prim__simd_conv_finish_pixels(const simd_conv_finish_t *finish, float *rows,
        const prim_dim_t *position, prim_dim_t npixels);
bool prim__simd_conv_has_pixel_rows(const simd_conv_finish_t *finish);

/// Finishes whole pixels from `position` on, in the order of rows and planes: sums of all their
/// channels, one pixel after the other. As many of the npixels as go together, and returns how many
/// they were.
prim_dim_t prim__simd_conv_finish_some_pixels(const simd_conv_finish_t *finish, float *rows,
        const prim_dim_t *position, prim_dim_t npixels);

/// The same for n ≤ SIMD_ROW pixels of a channel, rows one after the other, that are contiguous in
/// dst. Only where prim__simd_conv_has_channel_runs(): the rows of a plane follow each other.
void prim__simd_conv_finish_run(
        const simd_conv_finish_t *finish, float *row, const prim_dim_t *position, prim_dim_t n);
bool prim__simd_conv_has_channel_runs(const simd_conv_finish_t *finish);

#endif
