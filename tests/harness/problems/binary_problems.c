// SPDX-License-Identifier: Apache-2.0
// Problems of binary.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static void family_binary(draw_t *d)
{
    static const char *const algs[] = {
            "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne", "select"};
    const char *const first = draw_type(d), *const alg = PICK(d, algs);
    const char *const second = once_in(d, 2) ? first : draw_type(d);
    const char *const ddt = once_in(d, 2) ? first : draw_type(d);
    put(d, " --sdt=%s:%s", first, second);
    note(d, "src0=%s", first);
    note(d, "src1=%s", second);
    set(d, "ddt", ddt);
    set(d, "alg", alg);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims), *const other = once_in(d, 2) ? tag : layout(d, ndims);
    put(d, " --stag=%s:%s", tag, other);
    note(d, "src0-tag=%s", tag);
    note(d, "src1-tag=%s", other);
    if (once_in(d, 3)) set(d, "dtag", layout(d, ndims));
    const bool is_inplace = strcmp(ddt, first) == 0 && !strstr(d->line, "dtag") && once_in(d, 3);
    if (is_inplace) set(d, "inplace", "true");
    if (once_in(d, 3)) draw_scales(d, NULL);
    // In place, dst is src0 before the operation: there are not two values to draw.
    const unsigned steps = allowed_steps(d) & ~(is_inplace ? (unsigned)CHAIN_SUM : 0);
    draw_chain(d, steps | CHAIN_ORDER, ddt, ndims);
    int full[PRIM_MAX_NDIMS];
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

static void family_binary_image(draw_t *d)
{
    static const char *const algs[] = {
            "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne"};
    static const char *const types[] = {"f32:f32 --ddt=f32", "f16:f32 --ddt=f16", "f16:f16"};
    put(d, " --sdt=%s --stag=image:image", PICK(d, types));
    note(d, "src0-tag=image");
    set(d, "alg", PICK(d, algs));
    put_image_operand(d);
    int full[PRIM_MAX_NDIMS];
    const int ndims = image_rank(d);
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

const generator_t binary_generator = {
        "binary", PRIM_BINARY, {family_binary}, .image = family_binary_image};
