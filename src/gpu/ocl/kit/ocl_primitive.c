// SPDX-License-Identifier: Apache-2.0
// What OpenCL primitives own, and the checks they share.
#include "ocl_primitive.h"

#include <assert.h>

#include "common/log.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/memory/ocl_upload.h"
#include "gpu/ocl/program/ocl_retarget.h"
#include "ocl_md.h"
#include "ocl_post_ops.h"

/// How floats are rounded to bf16 (clh/io.h). Programs whose PTX is changed say so themselves.
static ocl_options_t with_rounding(const ocl_options_t *options, const prim_engine_t *engine)
{
    ocl_options_t all = *options;
    if (options->has_bf16 && !prim__ocl_retarget_is_wanted(options->text) &&
            prim__ocl_device_trusts(engine, OCL_FEATURE_PACKED_BF16))
        prim__ocl_options_int(&all, "PACKED_BF16", 1);
    return all;
}

prim_status_t prim__ocl_primitive_add_kernel(ocl_primitive_t *primitive, const ocl_source_t *source,
        const ocl_options_t *options, const char *name)
{
    assert(primitive->nkernels < OCL_MAX_KERNELS);
    const prim_engine_t *const engine = primitive->base.pd->engine;
    const ocl_options_t all = with_rounding(options, engine);
    TRY(prim__ocl_kernel_create(
            &primitive->kernels[primitive->nkernels], engine, source, &all, name));
    ++primitive->nkernels;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_primitive_add_on_demand(ocl_primitive_t *primitive,
        const ocl_source_t *source, const ocl_options_t *options, const char *name)
{
    assert(!primitive->on_demand);
    return prim__ocl_on_demand_create(
            &primitive->on_demand, primitive->base.pd->engine, source, options, name);
}

void prim__ocl_primitive_expect_local(const ocl_primitive_t *primitive, uint64_t counted_bytes)
{
    const ocl_kernel_t *const kernel = primitive->kernels[primitive->nkernels - 1];
    // NVIDIA's driver tells one alignment of the arrays more than there is, 1024 bytes at most.
    const uint64_t added_bytes = kernel->device->nv_capability_major > 0 ? 1024 : 0;
    if (kernel->local_bytes <= counted_bytes + added_bytes) return;
    prim__log(LOG_WARN, NULL,
            "warn,ocl_kernel,%s,local memory of %llu bytes, the host counted %llu", kernel->name,
            (unsigned long long)kernel->local_bytes, (unsigned long long)counted_bytes);
    assert(false && "a kernel has more local memory than the host counted");
}

prim_status_t prim__ocl_primitive_add_data(
        ocl_primitive_t *primitive, const void *data, size_t bytes)
{
    assert(primitive->ndata < OCL_MAX_DATA);
    TRY(prim__ocl_upload(
            &primitive->data[primitive->ndata], primitive->base.pd->engine, data, bytes));
    ++primitive->ndata;
    return PRIM_SUCCESS;
}

void prim__ocl_options_src_dst(ocl_options_t *options, const prim_desc_t *pd)
{
    prim__ocl_options_type(options, "SRC", prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(options, "DST", prim__pd_md(pd, PRIM_ARG_DST)->data_type);
}

void prim__ocl_options_weights(ocl_options_t *options, const prim_desc_t *pd)
{
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    prim__ocl_options_type(options, "WEI", prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_type(
            options, "BIA", has_bias ? prim__pd_md(pd, PRIM_ARG_BIAS)->data_type : PRIM_F32);
    prim__ocl_options_int(options, "HAS_BIAS", has_bias);
}

void prim__ocl_primitive_fini(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    for (int i = 0; i < p->nkernels; ++i) prim__ocl_kernel_destroy(p->kernels[i]);
    for (int i = 0; i < p->ndata; ++i) {
        prim__ocl_upload_release(primitive->pd->engine, p->data[i]);
    }
    if (p->post_ops) prim__ocl_upload_release(primitive->pd->engine, p->post_ops);
    prim__ocl_on_demand_destroy(p->on_demand);
    p->on_demand = NULL;
    p->nkernels = 0;
    p->ndata = 0;
    p->post_ops = NULL;
}

static prim_status_t decline_type(
        prim_desc_t *pd, const char *what, int number, prim_data_type_t dt)
{
    return prim__decline(pd, "%s %d is %s: kernels take f32, f16, bf16, s32, s8, u8", what, number,
            prim_data_type_name(dt));
}

prim_status_t prim__ocl_require_types(prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        const prim_data_type_t dt = pd->tensors[i].md.data_type;
        if (!prim__ocl_dt_is_supported(dt)) {
            return decline_type(pd, "argument", pd->tensors[i].arg, dt);
        }
    }
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    const int nentries = prim__ocl_post_ops_len(chain);
    REQUIRE(pd, nentries <= PO_MAX_LEN,
            "the post-ops and the conditions of their selects are %d: kernels take %d", nentries,
            PO_MAX_LEN);
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const op = &chain->entries[i];
        const bool has_operand = prim__post_op_noperands(op) > 0; // a condition is s8
        const prim_data_type_t dt = has_operand ? op->src1_md.data_type : op->data_type;
        if (dt != PRIM_DATA_TYPE_UNDEF && !prim__ocl_dt_is_supported(dt)) {
            return decline_type(pd, "post-op", i, dt);
        }
    }
    return PRIM_SUCCESS;
}

// What is wrong with a layout, or NULL. Undecided layouts are settled by init_pd afterwards.
static const char *layout_fault(const prim_memory_desc_t *md, bool allows_runtime)
{
    if (prim__md_is_any(md)) return NULL;
    if (md->format_kind != PRIM_FORMAT_KIND_BLOCKED)
        return "a tensor has an opaque layout (an image)";
    if (!allows_runtime && prim__md_has_runtime(md))
        return "a dimension is known only at execution";
    return NULL;
}

prim_status_t prim__ocl_require_layouts(prim_desc_t *pd, bool allows_runtime)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        const char *const fault = layout_fault(&pd->tensors[i].md, allows_runtime);
        if (fault) return prim__decline(pd, "%s", fault);
    }
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        for (int k = 0; k < STEP_OPERANDS; ++k) {
            const prim_memory_desc_t *const md =
                    prim__post_op_operand_md(&pd->attr.post_ops.entries[i], k);
            const char *const fault =
                    prim__md_is_zero(md) ? NULL : layout_fault(md, allows_runtime);
            if (fault) return prim__decline(pd, "%s", fault);
        }
    }
    return PRIM_SUCCESS;
}

static bool exceeds_i32(const prim_memory_desc_t *md)
{
    return !prim__md_is_zero(md) && prim__md_span_elems(md) > OCL_I32_ELEMS;
}

bool prim__ocl_fits_i32(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        if (exceeds_i32(&pd->tensors[i].md)) return false;
    }
    return !prim__post_ops_any_md(&pd->attr.post_ops, exceeds_i32);
}
