// SPDX-License-Identifier: Apache-2.0
// Choices from a string of bytes.
#include "fuzz_input.h"

#include <float.h>
#include <math.h>

bool fuzz_is_over(const fuzz_input_t *in)
{
    return in->at == in->end;
}

uint8_t fuzz_byte(fuzz_input_t *in)
{
    return fuzz_is_over(in) ? 0 : *in->at++;
}

int fuzz_below(fuzz_input_t *in, int n)
{
    const int low = fuzz_byte(in);
    return n <= 256 ? low * n >> 8 : (int)((low << 8 | fuzz_byte(in)) * (int64_t)n >> 16);
}

bool fuzz_seldom(fuzz_input_t *in, int n)
{
    return fuzz_below(in, n) == n - 1;
}

int64_t fuzz_number(fuzz_input_t *in)
{
    const int kind = fuzz_below(in, 4), shift = fuzz_below(in, 64);
    const uint64_t power = (uint64_t)1 << shift;
    if (kind == 0) return shift - 8;
    if (kind == 1) return (int64_t)(power + (uint64_t)fuzz_below(in, 5) - 2);
    if (kind == 2) return (int64_t)(0 - power + (uint64_t)fuzz_below(in, 3));
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | fuzz_byte(in);
    return (int64_t)bits;
}

prim_dim_t fuzz_dim(fuzz_input_t *in)
{
    static const prim_dim_t usual[] = {2, 1, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 48, 56, 64, 65,
            96, 100, 112, 127, 128, 224, 255, 256, 257, 512, 768, 1000, 1024, 2048, 4096};
    static const prim_dim_t unusual[] = {0, 65535, 65536, (1 << 20) + 1, 1 << 24, 1 << 30,
            INT32_MAX - 1, INT32_MAX, (prim_dim_t)INT32_MAX + 1, (prim_dim_t)1 << 32,
            (prim_dim_t)1 << 36, (prim_dim_t)1 << 40, (prim_dim_t)1 << 54, (prim_dim_t)1 << 56,
            PRIM_RUNTIME_DIM_VAL, INT64_MAX, INT32_MAX - (1 << 16), INT32_MAX - (1 << 16) + 1,
            (1 << 29) - 1, 1 << 27};
    if (!fuzz_seldom(in, 12)) return usual[fuzz_below(in, (int)(sizeof usual / sizeof *usual))];
    return unusual[fuzz_below(in, (int)(sizeof unusual / sizeof *unusual))];
}

float fuzz_float(fuzz_input_t *in)
{
    static const float values[] = {1.f, 0.f, -1.f, 0.5f, -0.f, 2.f, 1e-5f, -3.25f, FLT_MAX,
            -FLT_MAX, FLT_MIN, 1e-45f, INFINITY, -INFINITY, NAN, 1e10f};
    return values[fuzz_below(in, (int)(sizeof values / sizeof *values))];
}

prim_data_type_t fuzz_type(fuzz_input_t *in)
{
    static const prim_data_type_t usual[] = {
            PRIM_F32, PRIM_F16, PRIM_BF16, PRIM_S8, PRIM_U8, PRIM_S32, PRIM_F32, PRIM_F16};
    if (!fuzz_seldom(in, 8)) return usual[fuzz_below(in, (int)(sizeof usual / sizeof *usual))];
    return (prim_data_type_t)fuzz_below(in, 24);
}
