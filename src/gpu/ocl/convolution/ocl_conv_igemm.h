// SPDX-License-Identifier: Apache-2.0
// The kernel of implicit matrix products as its users on the host see it.
#ifndef PRIM_OCL_CONV_IGEMM_H
#define PRIM_OCL_CONV_IGEMM_H

#include "ocl_conv.h"
#include "ocl_conv_plan.h"

extern const ocl_source_t prim__ocl_conv_igemm_cl;

/// Twin of conv_data_t in the .cl. geo.src_c and geo.dst_c are strides of one channel.
typedef struct {
    ocl_conv_geo_t geo;
    int64_t src_g, wei_g, dst_g; ///< distances of groups, elements
    int64_t wei_s[CONV_NSPATIAL], wei_i;
    int64_t npartial; ///< elements of dst
    int32_t npixels, ndepth;
    int32_t ntiles_m, ntiles_n, nslices, nslices_c, split_slices, nsplits; ///< of the plan
    int32_t ngroups, reserved;
    ocl_conv_quant_t quant;
} ocl_conv_igemm_data_t;

_Static_assert(offsetof(ocl_conv_igemm_data_t, quant) == sizeof(ocl_conv_geo_t) + 8 * 8 + 10 * 4,
        "ocl_conv_igemm_data_t has padding");

/// What shapes the code beside types and tile; the names are those of the .cl.
typedef struct {
    bool is_flat, src_depth_runs, dst_channels_run, src_quads, wei_quads, has_depth, has_short_ends;
} ocl_conv_igemm_code_t;

void prim__ocl_conv_igemm_options(ocl_options_t *options, const ocl_conv_igemm_code_t *code);
/// Fills in what the plan says.
void prim__ocl_conv_igemm_set_plan(ocl_conv_igemm_data_t *data, const ocl_conv_plan_t *plan);
/// The range of conv_igemm.
ocl_range_t prim__ocl_conv_igemm_range(const ocl_conv_plan_t *plan, int64_t ngroups);

#endif
