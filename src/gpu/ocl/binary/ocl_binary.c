// SPDX-License-Identifier: Apache-2.0
// Binary: what the OpenCL implementations share on the host.
#include "ocl_binary.h"

#include "common/data_type.h"
#include "common/post_ops_check.h"

prim_status_t prim__ocl_binary_init(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

bool prim__ocl_binary_is_int(const prim_desc_t *pd)
{
    return prim__attr_is_plain(&pd->attr) &&
           prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_SRC_0)->data_type) &&
           prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_SRC_1)->data_type) &&
           prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_DST)->data_type);
}

/// Whether op(0, 0), the chain applied, is 0. A scale comes at run time, and may be infinite.
static bool keeps_zero(const prim_desc_t *pd)
{
    if (pd->attr.nscales > 0) return false;
    switch (pd->op.alg_kind) {
    case PRIM_BINARY_DIV:
    case PRIM_BINARY_GE:
    case PRIM_BINARY_LE:
    case PRIM_BINARY_EQ: return false;
    default: return !prim__post_ops_move_zero(&pd->attr.post_ops);
    }
}

prim_status_t prim__ocl_binary_require_two_floats(prim_desc_t *pd)
{
    REQUIRE(pd, prim__attr_is_plain(&pd->attr),
            "scales or post-ops are set; this variant takes none");
    REQUIRE(pd, !prim__ocl_binary_is_int(pd),
            "all tensors are integers, which must be computed exactly; this variant computes in "
            "f32");
    REQUIRE(pd, pd->op.alg_kind != PRIM_BINARY_SELECT,
            "select has a third source, the condition; this variant reads two");
    return PRIM_SUCCESS;
}

bool prim__ocl_binary_are_dense(const prim_desc_t *pd, const prim_memory_desc_t *const *mds, int n)
{
    bool are_equal = prim__md_is_dense(mds[0]) && (!prim__md_is_padded(mds[0]) || keeps_zero(pd));
    for (int i = 1; i < n; ++i) are_equal = are_equal && prim__md_same_layout_moved(mds[0], mds[i]);
    return are_equal;
}

int prim__ocl_binary_vec(const ocl_device_t *device, const prim_memory_desc_t *const *mds)
{
    if (device->is_cpu) return 16;
    int vec = 4;
    for (int i = 0; i < 3; ++i) {
        const int fit = (int)(16 / prim__dt_bytes(mds[i]->data_type));
        if (fit > vec) vec = fit;
    }
    return vec;
}
