// SPDX-License-Identifier: Apache-2.0
#include "ref_tensor.h"

#include "common/data_type.h"
#include "ref_finish.h"

ref_tensor_t prim__ref_tensor(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    return (ref_tensor_t){prim__ref_pointer(ctx, arg), prim__ctx_md(ctx, pd, arg)};
}

double prim__ref_load(const ref_tensor_t *tensor, const prim_dim_t *position)
{
    return prim__load(tensor->data, tensor->md->data_type, prim__md_offset(tensor->md, position));
}

void prim__ref_store(const ref_tensor_t *tensor, const prim_dim_t *position, double x)
{
    if (!tensor->data) return;
    prim__store(tensor->data, tensor->md->data_type, prim__md_offset(tensor->md, position), x);
}
