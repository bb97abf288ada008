// SPDX-License-Identifier: Apache-2.0
// Problems of shuffle.
#include "problem_gen.h"

/// The axis is a multiple of the group size. Some have groups and channels for blocks of 16×16.
static void family_shuffle(draw_t *d)
{
    static const char *const dirs[] = {"FWD_D", "FWD_I", "BWD_D", "BWD_D"};
    static const char *const layouts[] = {"abx", "axb", "aBx4b", "aBx8b", "aBx16b"};
    set(d, "dir", PICK(d, dirs));
    set(d, "dt", draw_type(d));
    const int ndims = rank(d, 2, 5), axis = (int)pick(d, (uint32_t)ndims);
    set(d, "tag", PICK(d, layouts));
    put(d, " --axis=%d", axis);
    note(d, "axis=%s", axis == ndims - 1 ? "last" : axis == 0 ? "first" : "inner");
    const bool has_blocks = once_in(d, 3);
    const int group = has_blocks ? 16 * small(d) : size_of(d, "group", 9);
    const int group_elems = has_blocks ? 16 + small(d) : size_of(d, "elems", 9);
    note(d, "blocks=%d", has_blocks);
    put(d, " --group=%d ", group);
    for (int i = 0; i < ndims; ++i)
        put(d, "%s%d", i ? "x" : "", i == axis ? group * group_elems : small(d));
}

const generator_t shuffle_generator = {"shuffle", PRIM_SHUFFLE, {family_shuffle}, .image = NULL};
