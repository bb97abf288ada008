// SPDX-License-Identifier: Apache-2.0
// What the drivers of convolution and of its transpose share: options, descriptors, tensors, the
// creation of primitive descriptors, and the axes of their products.
#ifndef BENCH_CONV_CASE_H
#define BENCH_CONV_CASE_H

#include "product.h"

enum {
    OPT_DIR,
    OPT_DT,
    OPT_BIA_DT,
    OPT_STAG,
    OPT_WTAG,
    OPT_DTAG,
    OPT_STRIDES,
    OPT_ALG,
    OPT_MB,
};

enum { DT_SRC, DT_WEI, DT_DST };

/// driver_t's table of options; `algs`: the words of --alg.
#define CONV_OPTIONS(algs)                                                                       \
    {                                                                                            \
        [OPT_DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_B"},              \
        [OPT_DT] = {.name = "dt",                                                                \
                .kind = OPTION_DT,                                                               \
                .fallback = "f32",                                                               \
                .min_count = 1,                                                                  \
                .max_count = 3},                                                                 \
        [OPT_BIA_DT] = {.name = "bia-dt", .kind = OPTION_DT, .fallback = "undef"},               \
        [OPT_STAG] = {.name = "stag", .kind = OPTION_TAG, .fallback = "any"},                    \
        [OPT_WTAG] = {.name = "wtag", .kind = OPTION_TAG, .fallback = "any"},                    \
        [OPT_DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "any"},                    \
        [OPT_STRIDES] = {.name = "strides",                                                      \
                .kind = OPTION_STRIDES,                                                          \
                .fallback = "",                                                                  \
                .min_count = 3,                                                                  \
                .max_count = 3},                                                                 \
        [OPT_ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "direct", .words = (algs)}, \
        [OPT_MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0", .inside_attr = true},     \
        {.name = NULL},                                                                          \
    }

/// The public functions of the operation, and its algorithm of direct sums.
typedef struct {
    prim_alg_kind_t direct;
    prim_status_t (*forward)(prim_desc_t **pd, prim_engine_t *engine, prim_prop_kind_t prop_kind,
            prim_alg_kind_t alg, const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
            const prim_memory_desc_t *bia, const prim_memory_desc_t *dst, const prim_dim_t *strides,
            const prim_dim_t *dilates, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
            const prim_attr_t *attr);
    prim_status_t (*backward_data)(prim_desc_t **pd, prim_engine_t *engine, prim_alg_kind_t alg,
            const prim_memory_desc_t *diff_src, const prim_memory_desc_t *wei,
            const prim_memory_desc_t *diff_dst, const prim_dim_t *strides,
            const prim_dim_t *dilates, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
            const prim_desc_t *hint, const prim_attr_t *attr);
    prim_status_t (*backward_weights)(prim_desc_t **pd, prim_engine_t *engine, prim_alg_kind_t alg,
            const prim_memory_desc_t *src, const prim_memory_desc_t *diff_wei,
            const prim_memory_desc_t *diff_bia, const prim_memory_desc_t *diff_dst,
            const prim_dim_t *strides, const prim_dim_t *dilates, const prim_dim_t *pad_l,
            const prim_dim_t *pad_r, const prim_desc_t *hint, const prim_attr_t *attr);
} conv_creators_t;

extern const field_t conv_fields[];

/// Of a descriptor that was read, for the driver `name`.
bool conv_check_channels(const problem_t *problem, const char *name);
bool conv_verify(const prb_t *prb);
direction_t conv_direction(const prb_t *prb);
bool conv_has_bias(const prb_t *prb);
prim_data_type_t conv_bias_dt(const prb_t *prb);
/// Whether src or dst is asked for as an image.
bool conv_has_image(const prb_t *prb);
int conv_dst_dims(const prb_t *prb, prim_dims_t dims);
int conv_policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups);

/// driver_t's create_desc, of the operation that `creators` are of.
prim_status_t conv_create_desc(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_attr_t *attr, const conv_creators_t *creators);

int64_t conv_volume(const int64_t sizes[BENCH_NSPATIAL]);
/// The product of the case's pass. `ntaps`: most taps of a channel that an element of dst sums up;
/// `npoints`: positions of an image over which a gradient by the weights is summed.
product_t conv_product(const prb_t *prb, int64_t ntaps, int64_t npoints);
/// Whether results below 0 come out as 0.
bool conv_cuts_negatives(const prb_t *prb);

#endif
