// SPDX-License-Identifier: Apache-2.0
// Problems of local response normalisation.
#include "problem_gen.h"

static void family_lrn(draw_t *d)
{
    static const char *const dirs[] = {"FWD_D", "FWD_I", "BWD_D", "BWD_D"};
    static const char *const types[] = {"f32", "bf16", "f16", "f64", "f8_e5m2", "f8_e4m3"};
    static const char *const algs[] = {"ACROSS", "WITHIN"};
    static const char *const betas[] = {"0.75", "0.5", "1"};
    set(d, "dir", PICK(d, dirs));
    set(d, "dt", types[pick(d, d->is_gpu ? 3 : 6)]);
    const int nspatial = (int)pick(d, 4);
    note(d, "spatial=%d", nspatial);
    set(d, "tag", layout(d, nspatial + 2));
    set(d, "alg", PICK(d, algs));
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    if (nspatial == 3) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", size_of(d, "ih", 20));
    if (nspatial > 0) put(d, "iw%d", size_of(d, "iw", 20));
    put(d, "ls%d", size_of(d, "ls", 9));
    put(d, "alpha%sbeta%sk%s", once_in(d, 2) ? "0.25" : "0.0001", PICK(d, betas),
            once_in(d, 2) ? "1" : "2");
}

const generator_t lrn_generator = {"lrn", PRIM_LRN, {family_lrn}, .image = NULL};
