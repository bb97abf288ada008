// SPDX-License-Identifier: Apache-2.0
// Problems of sum.
#include "problem_gen.h"

static void family_sum(draw_t *d)
{
    static const int counts[] = {1, 2, 2, 3, 4, 5, 8, 9, 17, 33};
    const int n = PICK(d, counts);
    const char *const first = draw_type(d), *const ddt = once_in(d, 2) ? first : draw_type(d);
    const bool is_mixed = once_in(d, 3);
    note(d, "inputs=%d", n);
    note(d, "sdt=%s", is_mixed ? "mixed" : first);
    for (int i = 0; i < n; ++i)
        put(d, "%s%s", i ? ":" : " --sdt=", is_mixed ? draw_type(d) : first);
    set(d, "ddt", ddt);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    set(d, "stag", tag);
    set(d, "dtag", once_in(d, 2) ? "undef" : once_in(d, 2) ? tag : layout(d, ndims));
    static const char *const scales[] = {"1", "0.5", "2", "-1"};
    for (int i = 0; i < n; ++i) put(d, "%s%s", i ? ":" : " --scales=", PICK(d, scales));
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

const generator_t sum_generator = {"sum", PRIM_SUM, {family_sum}, .image = NULL};
