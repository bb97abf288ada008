// SPDX-License-Identifier: Apache-2.0
#include "norm_rules.h"

#include <math.h>

#include "common/data_type.h"
#include "schema_create.h"

enum { SRC }; // first in each of the schemas

prim_status_t prim__norm_check(const shapes_t *shapes, int other, unsigned all)
{
    const char *const op = shapes->schema->name;
    const unsigned flags = shapes->op->u.norm.flags;
    const float epsilon = shapes->op->u.norm.epsilon;
    CHECK(shapes->mds[SRC]->ndims >= 2, "%s src has %d dimensions; 2 are the least", op,
            shapes->mds[SRC]->ndims);
    TRY(prim__check_same_dims(shapes, other, SRC));
    CHECK((flags & ~all) == 0, "%s flags %#x hold others than %#x", op, flags, all);
    CHECK(isfinite(epsilon) && epsilon >= 0.F, "%s epsilon %g is not in 0..FLT_MAX", op,
            (double)epsilon);
    return PRIM_SUCCESS;
}

prim_status_t prim__norm_check_backward(
        const shapes_t *shapes, int diff_dst, int diff_src, unsigned all)
{
    TRY(prim__norm_check(shapes, diff_dst, all));
    return prim__check_same_dims(shapes, diff_src, SRC);
}

prim_status_t prim__norm_check_floats(const shapes_t *shapes, int diff_dst, int diff_src)
{
    const int rules[] = {SRC, diff_dst, diff_src};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        const prim_data_type_t dt = shapes->mds[rules[i]]->data_type;
        if (prim__dt_is_integer(dt))
            return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no integers: %s is %s",
                    shapes->schema->name, shapes->schema->tensors[rules[i]].name,
                    prim_data_type_name(dt));
    }
    return PRIM_SUCCESS;
}
