// SPDX-License-Identifier: Apache-2.0
// Batch normalisation: checks of the arguments and the problem they make.
// doc/primitives/batch_normalization.md has the rules in words.
#include "batch_normalization_desc.h"

#include <math.h>
#include <string.h>

static prim_status_t check_tensors(const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims >= 2, "batch normalization src has %d dimensions; 2 are the least",
            src->ndims);
    CHECK(dst->ndims == src->ndims, "batch normalization dst has %d dimensions, src has %d",
            dst->ndims, src->ndims);
    CHECK(!prim__md_is_any(src), "batch normalization src has layout any; it must be known");
    if (prim__md_has_runtime(src) || prim__md_has_runtime(dst))
        return prim__fail(PRIM_UNIMPLEMENTED, "batch normalization takes no run-time dimensions");
    for (int d = 0; d < src->ndims; ++d)
        CHECK(dst->dims[d] == src->dims[d],
                "batch normalization dst has %lld in dimension %d, src has %lld",
                (long long)dst->dims[d], d, (long long)src->dims[d]);
    return PRIM_SUCCESS;
}

static prim_status_t check_params(prim_prop_kind_t prop_kind, float epsilon, unsigned flags)
{
    const unsigned all = PRIM_USE_GLOBAL_STATS | PRIM_USE_SCALE | PRIM_USE_SHIFT |
                         PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU;
    const unsigned fuses = PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU;
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "batch normalization prop kind %d is not a forward one", (int)prop_kind);
    CHECK((flags & ~all) == 0, "batch normalization flags %#x hold unknown bits", flags);
    CHECK((flags & fuses) != fuses, "batch normalization cannot fuse relu and add-relu at once");
    CHECK(isfinite(epsilon) && epsilon >= 0.f,
            "batch normalization epsilon %g is not in 0..FLT_MAX", (double)epsilon);
    return PRIM_SUCCESS;
}

// Eltwise relu is the only step the operation knows.
static prim_status_t check_attr(const prim_attr_t *attr)
{
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(attr, "batch normalization", ALLOW_ELTWISE));
    for (int i = 0; i < attr->post_ops.len; ++i)
        if (attr->post_ops.entries[i].alg != PRIM_ELTWISE_RELU)
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "batch normalization takes no %s post-op; relu is the only one",
                    prim_alg_kind_name(attr->post_ops.entries[i].alg));
    return PRIM_SUCCESS;
}

// Lists the tensors that the flags ask for and returns how many. The workspace is added by the
// implementation, as it follows the layout of dst.
static prim_status_t list_tensors(tensor_t tensors[8], int *ntensors, const op_desc_t *op,
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    const unsigned flags = op->u.norm.flags;
    const bool has_stats = flags & PRIM_USE_GLOBAL_STATS;
    prim_memory_desc_t channel;
    TRY(prim_memory_desc_init_by_tag(&channel, 1, &src->dims[1], PRIM_F32, PRIM_a));

    int n = 0;
    tensors[n++] = (tensor_t){.arg = PRIM_ARG_SRC, .md = *src};
    if (flags & PRIM_FUSE_NORM_ADD_RELU)
        tensors[n++] = (tensor_t){.arg = PRIM_ARG_SRC_1, .md = *src};
    if (has_stats) {
        tensors[n++] = (tensor_t){.arg = PRIM_ARG_MEAN, .md = channel};
        tensors[n++] = (tensor_t){.arg = PRIM_ARG_VARIANCE, .md = channel};
    }
    if (flags & PRIM_USE_SCALE) tensors[n++] = (tensor_t){.arg = PRIM_ARG_SCALE, .md = channel};
    if (flags & PRIM_USE_SHIFT) tensors[n++] = (tensor_t){.arg = PRIM_ARG_SHIFT, .md = channel};
    tensors[n++] = (tensor_t){.arg = PRIM_ARG_DST, .is_output = true, .md = *dst};
    if (!has_stats && op->prop_kind == PRIM_FORWARD_TRAINING) {
        tensors[n++] = (tensor_t){.arg = PRIM_ARG_MEAN, .is_output = true, .md = channel};
        tensors[n++] = (tensor_t){.arg = PRIM_ARG_VARIANCE, .is_output = true, .md = channel};
    }
    *ntensors = n;
    return PRIM_SUCCESS;
}

prim_status_t prim_batch_normalization_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, float epsilon, unsigned flags, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(dst_md);
    TRY(check_tensors(src_md, dst_md));
    TRY(check_params(prop_kind, epsilon, flags));
    TRY(check_attr(attr));

    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_BATCH_NORMALIZATION;
    op.prop_kind = prop_kind;
    op.u.norm.epsilon = epsilon;
    op.u.norm.flags = flags;

    tensor_t tensors[8];
    int ntensors = 0;
    TRY(list_tensors(tensors, &ntensors, &op, src_md, dst_md));
    return prim__desc_create(pd, engine, NULL, &op, tensors, ntensors, attr);
}

bool prim__bnorm_has_statistics(const prim_desc_t *pd)
{
    return !(pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS);
}

bool prim__bnorm_has_relu(const prim_desc_t *pd)
{
    return pd->op.u.norm.flags & (PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU);
}

bool prim__bnorm_has_workspace(const prim_desc_t *pd)
{
    return prim__bnorm_has_relu(pd) && pd->op.prop_kind == PRIM_FORWARD_TRAINING;
}

prim_status_t prim__bnorm_resolve(prim_desc_t *pd)
{
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    TRY(prim__md_set_like_if_any(dst, prim__pd_md(pd, PRIM_ARG_SRC)));
    if (!prim__bnorm_has_workspace(pd)) return PRIM_SUCCESS;
    prim_memory_desc_t workspace;
    TRY(prim_memory_desc_init_by_tag(&workspace, dst->ndims, dst->dims, PRIM_U8, PRIM_FORMAT_ANY));
    TRY(prim__md_set_like_if_any(&workspace, dst));
    return prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &workspace);
}
