// SPDX-License-Identifier: Apache-2.0
// Layouts that follow another tensor's.
#include "follow.h"

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"

/// The tensor whose layout an open one takes.
static const prim_memory_desc_t *leader_of(const prim_desc_t *pd, const tensor_rule_t *rule)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, rule->follows);
    if (rule->or_follows == PRIM_ARG_UNDEF || !prim__pd_has(pd, rule->or_follows)) return md;
    const bool fits =
            prim__pd_has(pd, rule->follows) && prim__md_same_dims(md, prim__pd_md(pd, rule->arg));
    return fits ? md : prim__pd_md(pd, rule->or_follows);
}

prim_status_t prim__pd_follow(prim_desc_t *pd)
{
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    for (int i = 0; i < pd->ntensors; ++i) {
        const tensor_rule_t *const rule = prim__schema_rule(schema, pd->tensors[i].arg);
        if (!rule || rule->follows == PRIM_ARG_UNDEF) continue;
        TRY(prim__md_set_like_if_any(&pd->tensors[i].md, leader_of(pd, rule)));
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__pd_follow_gradients(prim_desc_t *pd)
{
    prim_memory_desc_t *const md = prim__pd_md_mutable(pd, PRIM_ARG_DIFF_DST);
    const prim_desc_t *const hint = prim__pd_hint(pd);
    if (prim__md_is_any(md) && prim__md_is_any(prim__pd_md(pd, PRIM_ARG_DIFF_SRC))) {
        const prim_memory_desc_t *const dst = hint ? prim__pd_md(hint, PRIM_ARG_DST) : NULL;
        TRY(dst && !prim__md_is_image(dst) ? prim__md_set_like_if_any(md, dst)
                                           : prim__md_set_row_major_if_any(md));
    }
    return prim__pd_follow(pd);
}
