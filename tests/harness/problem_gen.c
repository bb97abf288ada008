// SPDX-License-Identifier: Apache-2.0
// The table of generators.
#include "problem_gen.h"

#include <string.h>

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "operations.h"
#include "problem_broadcast.h"

#define DECLARE(word) extern const generator_t word##_generator;
FOR_EACH_OPERATION(DECLARE)

#define ENTRY(word) &word##_generator,
const generator_t *const problem_generators[] = {FOR_EACH_OPERATION(ENTRY)};
const int problem_ngenerators = sizeof problem_generators / sizeof *problem_generators;

static uint32_t first_broadcast_style(const generator_t *generator)
{
    return FIRST_RARE_STYLE + (generator->rare ? RARE_STYLES : 0);
}

static family_t family_of(draw_t *d, const generator_t *generator, uint32_t style)
{
    if (generator->rare && style % 1000 >= FIRST_RARE_STYLE &&
            style % 1000 < first_broadcast_style(generator))
        return generator->rare;
    int n = 1;
    while (n < MAX_FAMILIES && generator->families[n]) ++n;
    if (d->is_gpu && generator->image && once_in(d, 6)) return generator->image;
    // Broadcasts are few: all families have as many of them.
    if (style % 1000 >= first_broadcast_style(generator))
        return generator->broadcast && once_in(d, 3) ? generator->broadcast
                                                     : generator->families[pick(d, (uint32_t)n)];
    return n == 1 || once_in(d, 2) ? generator->families[0]
                                   : generator->families[1 + pick(d, (uint32_t)n - 1)];
}

prim_data_type_t probe_type(int which)
{
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_S8};
    return types[which % 3];
}

prim_data_type_t probe_dst_type(int which)
{
    return probe_type(which) == PRIM_S8 ? PRIM_F32 : probe_type(which);
}

prim_memory_desc_t probe_md(
        int ndims, const prim_dim_t *dims, prim_data_type_t type, const char *tag)
{
    prim_memory_desc_t md;
    prim_memory_desc_init_by_string_tag(&md, ndims, dims, type, tag);
    return md;
}

/// Whether nothing but types and layouts is asked for.
static bool is_plain(const draw_t *d)
{
    static const char *const words[] = {
            " --bia-dt=", "FWD_B", "BWD_WB", " --attr-scales=", " --attr-zero-points="};
    static const char chain[] = " --attr-post-ops=";
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(d->line, words[i])) return false;
    const char *const steps = strstr(d->line, chain);
    return !steps || steps[sizeof chain - 1] == ' ' || steps[sizeof chain - 1] == '\0';
}

/// Kernels have code of their own for problems without attributes, for each type of dst, and few
/// are drawn by chance.
static void note_plain(draw_t *d)
{
    static const char types[] = " --dt=";
    const char *type = strstr(d->line, types), *colon;
    if (!is_plain(d) || !type) return;
    type += sizeof types - 1;
    while ((colon = memchr(type, ':', strcspn(type, " ")))) type = colon + 1;
    note(d, "plain=%.*s", (int)strcspn(type, " "), type);
}

void problem_draw(draw_t *d, const generator_t *generator, uint32_t style, uint32_t size)
{
    draw_start(d, style, size);
    d->schema = prim__op_schema(generator->kind, FORWARD);
    family_of(d, generator, style)(d);
    if (style % 1000 >= first_broadcast_style(generator)) problem_broadcast(d, generator->driver);
    note_plain(d);
}
