// SPDX-License-Identifier: Apache-2.0
// Host side of the implicit matrix products of f32: ocl_conv_igemm.cl, which stages operands
// through registers, and ocl_conv_pipeline.cl, which copies them asynchronously.
#ifndef PRIM_OCL_CONV_IGEMM_H
#define PRIM_OCL_CONV_IGEMM_H

#include "gpu/ocl/clh/shared/conv_igemm_data.h"
#include "ocl_conv.h"
#include "ocl_conv_plan.h"

extern const ocl_source_t prim__ocl_conv_igemm_cl, prim__ocl_conv_igemm_sum_cl;
extern const ocl_source_t prim__ocl_conv_pipeline_cl;

/// What shapes the code beside types and tile; the names are those of the .cl.
typedef struct {
    bool is_flat, src_depth_runs, dst_channels_run, src_quads, wei_quads, has_depth,
            has_short_epilogue;
    bool has_phases;                             ///< several products in one launch
    bool sizes_by_value;                         ///< a parameter; else a buffer
    bool pixel_quads, whole_depth, copies_async; ///< of ocl_conv_pipeline.cl
} ocl_conv_igemm_code_t;

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    ocl_conv_plan_t plan;
    ocl_conv_igemm_code_t code;
    ocl_conv_igemm_data_t data;
    size_t partial_offset; ///< of the scratchpad
} ocl_conv_igemm_pd_t;

_Static_assert(offsetof(ocl_conv_igemm_pd_t, base) == 0, "the base comes first");

/// The requirements of both implementations; sets layouts and the code.
prim_status_t prim__ocl_conv_igemm_check(ocl_conv_igemm_pd_t *pd);
/// Fixes the plan and books memory for it. `pipeline_bytes` as in ocl_conv_product_t.
prim_status_t prim__ocl_conv_igemm_book(ocl_conv_igemm_pd_t *pd, size_t pipeline_bytes);
/// What the cost model expects of ocl_conv_igemm.cl; infinite if no tile fits the device.
double prim__ocl_conv_igemm_cycles(const prim_desc_t *pd);
/// Whether n strides are multiples of 4, so that every run of four starts at a multiple of 4.
bool prim__ocl_conv_igemm_has_quads(const prim_dim_t *strides, int n);
/// Few channels leave slices of K half empty if each lies in one tap; then offsets along K come
/// from a table.
bool prim__ocl_conv_igemm_wants_table(const conv_shape_t *shape);
/// Fills such a table, tap by tap, for these strides of src and weights.
void prim__ocl_conv_igemm_list_depth(ocl_conv_igemm_step_t *table, const conv_shape_t *shape,
        const prim_dim_t data[5], const prim_dim_t weights[6]);
/// impl_t.init and impl_t.execute.
prim_status_t prim__ocl_conv_igemm_init(prim_t *primitive);
prim_status_t prim__ocl_conv_igemm_execute(const prim_t *primitive, const exec_ctx_t *ctx);

/// Adds the options of the code and of the plan's tile.
void prim__ocl_conv_igemm_options(ocl_options_t *options, const ocl_conv_plan_t *plan,
        const ocl_conv_igemm_code_t *code, const ocl_device_t *device);
/// Builds the kernel that runs the plan.
prim_status_t prim__ocl_conv_igemm_add(
        ocl_primitive_t *p, const ocl_options_t *options, const ocl_conv_plan_t *plan);
/// Constant data of the primitive: the table of K, and the sizes unless they go by value.
enum { OCL_CONV_IGEMM_DEPTH, OCL_CONV_IGEMM_SIZES };
/// Fills in what the plan says.
void prim__ocl_conv_igemm_set_plan(ocl_conv_igemm_data_t *data, const ocl_conv_plan_t *plan);
/// The range of that kernel.
ocl_range_t prim__ocl_conv_igemm_range(const ocl_conv_plan_t *plan, int64_t ngroups);

#endif
