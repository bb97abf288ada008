// SPDX-License-Identifier: Apache-2.0
// Problems of group normalisation.
#include "problem_gen.h"

#include <string.h>

/// Groups and channels that they divide.
static void put_groups(draw_t *d)
{
    const int groups = 1 + (int)pick_size(d, 9), of_group = size_of(d, "channels", 20);
    put(d, " g%dmb%dic%d", groups, 1 + (int)pick_size(d, 5), groups * of_group);
}

static void put_spatial(draw_t *d, int nspatial)
{
    if (nspatial == 3) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", size_of(d, "ih", 37));
    if (nspatial > 0) put(d, "iw%d", size_of(d, "iw", 70));
}

static int draw_spatial(draw_t *d)
{
    const int nspatial = once_in(d, 4) ? 3 : (int)pick(d, 3);
    note(d, "spatial=%d", nspatial);
    return nspatial;
}

static void family_gnorm(draw_t *d)
{
    static const char *const flags[] = {"", "C", "H", "CH", "G", "GC", "GH", "GCH"};
    const char *const type = draw_type(d), *const ddt = once_in(d, 2) ? type : draw_type(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    put(d, " --dt=%s:%s", type, ddt);
    note(d, "sdt=%s", type);
    note(d, "ddt=%s", ddt);
    const int nspatial = draw_spatial(d);
    const char *const tag = layout(d, nspatial + 2);
    const char *const dtag = once_in(d, 3) ? layout(d, nspatial + 2) : "any";
    put(d, " --tag=%s:%s", tag, dtag);
    note(d, "src-tag=%s", tag);
    note(d, "dst-tag=%s", dtag);
    set(d, "flags", PICK(d, flags));
    const bool is_alike = strcmp(type, ddt) == 0 && strcmp(dtag, "any") == 0;
    if (is_alike && once_in(d, 2)) set(d, "inplace", "true");
    if (once_in(d, 3)) draw_scales(d, NULL);
    draw_chain(d, CHAIN_BINARY | (once_in(d, 2) ? CHAIN_ELTWISE : 0), ddt, nspatial + 2);
    put_groups(d);
    put_spatial(d, nspatial);
}

/// Contiguous planes or channels, as networks have them.
static void family_gnorm_dense(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "f32:bf16", "f16:s8"};
    static const char *const flags[] = {"", "CH", "CH", "C", "GCH"};
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    const char *const type = PICK(d, types);
    put(d, " --dt=%s", type);
    set(d, "tag", once_in(d, 2) ? "axb" : "abx");
    set(d, "flags", PICK(d, flags));
    if (once_in(d, 3)) draw_chain(d, CHAIN_ELTWISE, last_type(type), 4);
    put_groups(d);
    put_spatial(d, 2);
}

static void family_gnorm_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const flags[] = {"", "C", "H", "CH", "CH", "G", "GCH"};
    const char *const type = PICK(d, types), *const ddt = once_in(d, 2) ? type : PICK(d, types);
    set(d, "dir", once_in(d, 2) ? "BWD_D" : "BWD_DW");
    put(d, " --dt=%s:%s", type, ddt);
    note(d, "sdt=%s", type);
    note(d, "ddt=%s", ddt);
    const int nspatial = draw_spatial(d);
    const char *const dtag = once_in(d, 3) ? layout(d, nspatial + 2) : "any";
    put(d, " --tag=%s:%s", layout(d, nspatial + 2), dtag);
    set(d, "flags", PICK(d, flags));
    const bool is_alike = strcmp(type, ddt) == 0 && strcmp(dtag, "any") == 0;
    if (is_alike && once_in(d, 2)) set(d, "inplace", "true");
    put_groups(d);
    put_spatial(d, nspatial);
}

const generator_t gnorm_generator = {"gnorm", PRIM_GROUP_NORMALIZATION,
        {family_gnorm, family_gnorm_dense, family_gnorm_backward}, .image = NULL};
