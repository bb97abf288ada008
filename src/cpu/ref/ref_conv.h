// SPDX-License-Identifier: Apache-2.0
// What the references of convolution share: the offsets of their tensors. A layout's offset is the
// sum of one term for each dimension, so a table for each dimension turns an address into
// look-ups.
#ifndef PRIM_CPU_REF_CONV_H
#define PRIM_CPU_REF_CONV_H

#include "common/conv_shape.h"

/// Dimensions by name. DATA_SPATIAL and WEI_SPATIAL + CONV_D … CONV_W; missing ones have one entry.
enum { DATA_IMAGE, DATA_CHANNEL, DATA_SPATIAL };
enum { WEI_GROUP, WEI_OUTPUT, WEI_INPUT, WEI_SPATIAL, NCONV_DIMS = WEI_SPATIAL + CONV_NSPATIAL };

typedef struct {
    void *base;
    prim_data_type_t data_type;
    prim_dim_t origin;                ///< offset of the first element
    const prim_dim_t *of[NCONV_DIMS]; ///< elements to add for each index
} ref_conv_table_t;

/// For init_pd: the direct algorithm, types that can be read, row-major layouts for `any`, and the
/// scratchpad for the tables of all the problem's tensors.
prim_status_t prim__ref_conv_init_pd(prim_desc_t *pd);

/// Fills the tables of SRC, WEIGHTS, DST, or of their gradients, at *room, a place in the
/// scratchpad, and moves it behind them.
void prim__ref_conv_data_table(ref_conv_table_t *table, prim_dim_t **room, const prim_desc_t *pd,
        const exec_ctx_t *ctx, int arg);
void prim__ref_conv_weights_table(ref_conv_table_t *table, prim_dim_t **room, const prim_desc_t *pd,
        const exec_ctx_t *ctx, int arg);

#endif
