// SPDX-License-Identifier: Apache-2.0
// Problems of batch normalisation.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static void family_bnorm(draw_t *d)
{
    static const char *const flags[] = {
            "", "G", "C", "H", "CH", "GCH", "GCHR", "CHR", "R", "CHA", "A"};
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "s8"};
    const char *const type = PICK(d, types), *const flag = PICK(d, flags);
    const bool is_global = strchr(flag, 'G') != NULL, is_integer = is_integer_type(type);
    set(d, "dir", is_integer || once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "dt", type);
    const int nspatial = once_in(d, 4) ? 3 : (int)pick(d, 3);
    set(d, "tag", layout(d, nspatial + 2));
    put(d, " --flags=%s%s", is_integer && !is_global ? "G" : "", flag);
    note(d, "flags=%s%s", is_integer && !is_global ? "G" : "", flag);
    set(d, "inplace", once_in(d, 2) ? "true" : "false");
    if (once_in(d, 4)) {
        note(d, "eltwise=relu");
        put(d, " --attr-post-ops=relu");
    }
    note(d, "spatial=%d", nspatial);
    put(d, " mb%d", 1 + (int)pick_size(d, 9));
    put(d, "ic%d", size_of(d, "ic", 140));
    if (nspatial == 3) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", size_of(d, "ih", 37));
    if (nspatial > 0) put(d, "iw%d", size_of(d, "iw", 70));
}

static void family_bnorm_image(draw_t *d)
{
    static const char *const flags[] = {"G", "GC", "GCH", "GCHR", "GCHA"};
    set(d, "dir", "FWD_I");
    set(d, "dt", image_type(d));
    set(d, "tag", "image");
    set(d, "flags", PICK(d, flags));
    put(d, " --attr-post-ops=%s", once_in(d, 3) ? "relu" : "");
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    put(d, "ih%d", size_of(d, "ih", 37));
    put(d, "iw%d", size_of(d, "iw", 37));
}

static void family_bnorm_backward(draw_t *d)
{
    static const char *const flags[] = {
            "", "G", "C", "H", "CH", "CH", "GCH", "GCHR", "CHR", "R", "CHA", "A"};
    static const char *const types[] = {"f32", "f32", "bf16", "f16"};
    set(d, "dir", once_in(d, 2) ? "BWD_D" : "BWD_DW");
    set(d, "dt", PICK(d, types));
    const int nspatial = once_in(d, 4) ? 3 : (int)pick(d, 3);
    set(d, "tag", layout(d, nspatial + 2));
    set(d, "flags", PICK(d, flags));
    set(d, "inplace", once_in(d, 2) ? "true" : "false");
    note(d, "spatial=%d", nspatial);
    put(d, " mb%d", 1 + (int)pick_size(d, 9));
    put(d, "ic%d", size_of(d, "ic", 140));
    if (nspatial == 3) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", size_of(d, "ih", 37));
    if (nspatial > 0) put(d, "iw%d", size_of(d, "iw", 70));
}

const generator_t bnorm_generator = {"bnorm", PRIM_BATCH_NORMALIZATION,
        {family_bnorm, family_bnorm_backward}, .image = family_bnorm_image};
