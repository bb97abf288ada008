// SPDX-License-Identifier: Apache-2.0
// Problems of prelu.
#include "problem_gen.h"

static void family_prelu(draw_t *d)
{
    const char *const type = draw_type(d), *const slopes = once_in(d, 2) ? type : draw_type(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    put(d, " --sdt=%s:%s", type, slopes);
    note(d, "src=%s", type);
    note(d, "wei=%s", slopes);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    const char *const other = once_in(d, 2) ? "any" : layout(d, ndims);
    put(d, " --stag=%s:%s", tag, other);
    note(d, "src-tag=%s", tag);
    note(d, "wei-tag=%s", other);
    int full[PRIM_MAX_NDIMS];
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

const generator_t prelu_generator = {"prelu", PRIM_PRELU, {family_prelu}, NULL};
