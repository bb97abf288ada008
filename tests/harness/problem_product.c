// SPDX-License-Identifier: Apache-2.0
#include "problem_product.h"

static const char *const float_types[] = {"f32", "f32", "f32", "bf16", "f16", "f16:f16:f32",
        "bf16:bf16:f32", "f32:f32:f16", "f32:f32:s8"};

static const char *const integer_types[] = {"u8:s8:s32", "s8:s8:f32", "u8:s8:u8", "s8:s8:s8",
        "s8:u8:f32", "u8:u8:s32", "s8:s8:bf16", "u8:s8:f16"};

static const char *const other_types[] = {"f64", "f8_e5m2", "f8_e4m3:f8_e4m3:f32"};

static const char *const bias_types[] = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

const char *product_types(draw_t *d)
{
    if (!d->is_gpu && once_in(d, 6)) return PICK(d, other_types);
    return once_in(d, 3) ? PICK(d, integer_types) : PICK(d, float_types);
}

/// Layouts of rank 2 to 4: row-major, or the last two dimensions transposed.
const char *product_layout(draw_t *d, int ndims)
{
    static const char *const tags[3][2] = {{"ab", "ba"}, {"abc", "acb"}, {"abcd", "abdc"}};
    return tags[ndims - 2][pick(d, 2)];
}

// What matrix units take: rows that lie multiples of 16 bytes apart.
int multiple_of_16(draw_t *d)
{
    return 16 * (1 + (int)pick_size(d, 9));
}

const char *product_float_types(draw_t *d)
{
    return PICK(d, float_types);
}

const char *product_integer_types(draw_t *d)
{
    return PICK(d, integer_types);
}

const char *product_bias_type(draw_t *d)
{
    return PICK(d, bias_types);
}

void probe_product(prim_memory_desc_t mds[3], int which, const char *wtag)
{
    const prim_dim_t rows = which < 3 ? 2048 : which < 6 ? 32 : 4;
    const prim_data_type_t type = probe_type(which);
    mds[0] = probe_md(2, (const prim_dim_t[]){rows, 2048}, type, "ab");
    mds[1] = probe_md(2, (const prim_dim_t[]){2048, 2048}, type, wtag);
    mds[2] = probe_md(2, (const prim_dim_t[]){rows, 2048}, probe_dst_type(which), "ab");
}
