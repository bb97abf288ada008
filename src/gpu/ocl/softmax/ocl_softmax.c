// SPDX-License-Identifier: Apache-2.0
// Softmax: what the OpenCL implementations share on the host.
#include "ocl_softmax.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/tune/ocl_measured.h"

enum { LINE_VECTORS = 8 }; ///< of a cache line, at most

// So that three or four work-groups are resident with the 64 Ki registers of a compute unit; short
// elements are converted where they are used, which takes fewer.
ocl_softmax_kept_t prim__ocl_softmax_kept(const ocl_device_t *device, bool is_short)
{
    if (device->is_cpu) return (ocl_softmax_kept_t){16, 1, 0}; // work-items follow each other
    if (is_short)
        return (ocl_softmax_kept_t){
                prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_SHORT_GROUP_ITEMS, 256),
                prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_SHORT_ITEM_VECTORS, 16),
                prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_SHORT_REGISTERS, 80)};
    return (ocl_softmax_kept_t){
            prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_GROUP_ITEMS, 128),
            prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_ITEM_VECTORS, 24),
            prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_REGISTERS, 128)};
}

ocl_softmax_pieces_t prim__ocl_softmax_pieces(int64_t n, int32_t most, int vec)
{
    const int64_t line = (int64_t)LINE_VECTORS * vec, most_elems = (int64_t)most * vec;
    const int64_t pieces = prim__ceil_div(n, most_elems);
    const int64_t elems = prim__min(prim__round_up(prim__ceil_div(n, pieces), line), most_elems);
    return (ocl_softmax_pieces_t){(int32_t)prim__ceil_div(n, elems), (int32_t)elems};
}

prim_status_t prim__ocl_softmax_init(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

typedef prim_status_t make_nest_t(
        prim_desc_t *pd, ocl_nest_t *nest, const prim_memory_desc_t *const *mds, int n, int axis);

/// What typed variants need: plain layouts, post-ops without operands, few loops.
static prim_status_t init_nest(prim_desc_t *pd, make_nest_t *make_nest)
{
    softmax_pd_t *const softmax = (softmax_pd_t *)pd;
    TRY(prim__ocl_softmax_init(pd));
    const prim_memory_desc_t *const mds[] = {
            prim__pd_md(pd, PRIM_ARG_DST), prim__pd_md(pd, PRIM_ARG_SRC)};
    const int axis = pd->op.u.axis.axis;
    softmax->axis_elems = mds[0]->dims[axis];
    REQUIRE(pd, !prim__post_ops_have_operand(&pd->attr.post_ops),
            "a post-op has an operand; this variant does not compute positions in dst");
    REQUIRE(pd, softmax->axis_elems > 0, "the softmax axis has no elements");
    TRY(make_nest(pd, &softmax->nest, mds, 2, axis));
    softmax->nitems = prim__ocl_nest_outer(&softmax->nest);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_softmax_init_rows(prim_desc_t *pd)
{
    return init_nest(pd, prim__ocl_nest_rows);
}

prim_status_t prim__ocl_softmax_init_columns(prim_desc_t *pd)
{
    return init_nest(pd, prim__ocl_nest_columns);
}

void prim__ocl_softmax_options(ocl_options_t *options, const prim_desc_t *pd)
{
    prim__ocl_options_src_dst(options, pd);
    prim__ocl_options_int(options, "IS_LOG", pd->op.alg_kind == PRIM_SOFTMAX_LOG);
    prim__ocl_options_int(options, "WITH_SCALES", pd->attr.nscales > 0);
    prim__ocl_post_ops_options(options, pd, true);
}

void prim__ocl_softmax_row_options(
        ocl_options_t *options, const prim_desc_t *pd, bool is_raw, bool peels)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    const bool is_short = dst == PRIM_F16 || dst == PRIM_BF16;
    prim__ocl_raw_vec_options(options, pd, is_raw);
    prim__ocl_options_int(options, "PEELS", peels);
    prim__ocl_options_int(options, "FAST_EXP2",
            is_short && prim__ocl_device_trusts(pd->engine, OCL_FEATURE_FAST_EXP2));
}

void prim__ocl_softmax_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_SRC));
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_DST));
}
