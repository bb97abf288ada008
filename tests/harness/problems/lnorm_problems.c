// SPDX-License-Identifier: Apache-2.0
// Problems of layer normalisation.
#include "problem_gen.h"

#include <string.h>

static void family_lnorm(draw_t *d)
{
    static const char *const parameter_types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const flags[] = {"", "C", "H", "CH", "G", "GC", "GH", "GCH"};
    const char *const type = draw_type(d), *const ddt = once_in(d, 2) ? type : draw_type(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    put(d, " --dt=%s:%s", type, ddt);
    note(d, "sdt=%s", type);
    note(d, "ddt=%s", ddt);
    const int ndims = rank(d, 2, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    const char *const dtag = once_in(d, 3) ? layout(d, ndims) : "any";
    put(d, " --tag=%s:%s", tag, dtag);
    note(d, "src-tag=%s", tag);
    note(d, "dst-tag=%s", dtag);
    set(d, "stat_tag", once_in(d, 2) ? "any" : layout(d, ndims - 1));
    set(d, "ss_dt", PICK(d, parameter_types));
    set(d, "flags", PICK(d, flags));
    const bool is_alike = strcmp(type, ddt) == 0 && strcmp(dtag, "any") == 0;
    if (is_alike && once_in(d, 2)) set(d, "inplace", "true");
    if (once_in(d, 3)) draw_scales(d, NULL);
    draw_chain(d, CHAIN_BINARY | (once_in(d, 2) ? CHAIN_ELTWISE : 0), ddt, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

static void family_lnorm_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const flags[] = {"", "C", "H", "CH", "CH", "G", "GCH"};
    const char *const type = PICK(d, types), *const ddt = once_in(d, 2) ? type : PICK(d, types);
    set(d, "dir", once_in(d, 2) ? "BWD_D" : "BWD_DW");
    put(d, " --dt=%s:%s", type, ddt);
    note(d, "sdt=%s", type);
    note(d, "ddt=%s", ddt);
    const int ndims = rank(d, 2, PRIM_MAX_NDIMS);
    const char *const dtag = once_in(d, 3) ? layout(d, ndims) : "any";
    put(d, " --tag=%s:%s", layout(d, ndims), dtag);
    set(d, "stat_tag", once_in(d, 2) ? "any" : layout(d, ndims - 1));
    set(d, "ss_dt", PICK(d, types));
    set(d, "flags", PICK(d, flags));
    const bool is_alike = strcmp(type, ddt) == 0 && strcmp(dtag, "any") == 0;
    if (is_alike && once_in(d, 2)) set(d, "inplace", "true");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

/// Contiguous rows, as networks have them.
static void family_lnorm_rows(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "f32:bf16", "f16:s8"};
    static const char *const flags[] = {"", "CH", "CH", "C", "GCH"};
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    const char *const type = PICK(d, types);
    put(d, " --dt=%s", type);
    set(d, "flags", PICK(d, flags));
    if (once_in(d, 3)) draw_chain(d, CHAIN_ELTWISE, last_type(type), 2);
    put(d, " %dx%d", 1 + (int)pick_size(d, 20), size_of(d, "row", 9000));
}

const generator_t lnorm_generator = {"lnorm", PRIM_LAYER_NORMALIZATION,
        {family_lnorm, family_lnorm_rows, family_lnorm_backward}, .image = NULL};
