// SPDX-License-Identifier: Apache-2.0
// Self-test of `mma.sync`: f16, bf16, s8 and the mixtures with u8.
#include "common/data_type.h"
#include "ocl_selftest.h"

enum { ROWS = 16, ROW_BYTES = 128, TILE = ROWS * ROW_BYTES, ACROSS = 64 * ROW_BYTES };

static double src_at(int i, int p, bool is_u8)
{
    return (i * 5 + p * 3) % 7 - (is_u8 ? 0 : 3) + (is_u8 && p == 1 ? 200 : 0);
}

static double wei_at(int j, int p, bool is_u8)
{
    return (j * 3 + p * 5) % 5 - (is_u8 ? 0 : 2) + (is_u8 && p == 2 ? 190 : 0);
}

// Byte of chunk `chunk` of row or step `row`, rows of 128 bytes.
static int place_of(int row, int chunk)
{
    return row * ROW_BYTES + ((chunk ^ (row & 7)) << 4);
}

typedef struct {
    const char *options;
    prim_data_type_t src, wei;
} mixture_t;

static void fill(uint8_t *x, const mixture_t *t)
{
    const int bytes = (int)prim__dt_bytes(t->src), unit = 16 / bytes;
    for (int i = 0; i < ROWS; ++i) {
        for (int p = 0; p < ROW_BYTES / bytes; ++p) {
            const int at = place_of(i, p / unit) + p % unit * bytes;
            prim__store(x, t->src, at / bytes, src_at(i, p, t->src == PRIM_U8));
            prim__store(x + TILE, t->wei, at / bytes, wei_at(i, p, t->wei == PRIM_U8));
            if (bytes == 1) continue;
            const int across = place_of(p, i / unit) + i % unit * bytes;
            prim__store(x + 2 * TILE, t->wei, across / bytes, wei_at(i, p, false));
        }
    }
}

static bool is_right(ocl_selftest_t *test, const void *got, const mixture_t *t)
{
    const bool is_int = prim__dt_bytes(t->src) == 1;
    const int depth = ROW_BYTES / (int)prim__dt_bytes(t->src);
    for (int e = 0; e < (is_int ? 1 : 2) * ROWS * ROWS; ++e) {
        const int i = e / ROWS % ROWS, j = e % ROWS;
        double sum = 0;
        for (int p = 0; p < depth; ++p)
            sum += src_at(i, p, t->src == PRIM_U8) * wei_at(j, p, t->wei == PRIM_U8);
        const double value = prim__load(got, is_int ? PRIM_S32 : PRIM_F32, e);
        if (value != sum) {
            return prim__ocl_selftest_say(test, "%s: element %d is %g instead of %g",
                    prim_data_type_name(t->src), e, value, sum);
        }
    }
    return true;
}

static bool check(ocl_selftest_t *test, const mixture_t *mixture)
{
    _Alignas(16) uint8_t x[2 * TILE + ACROSS] = {0};
    _Alignas(16) uint8_t got[2 * ROWS * ROWS * 4];
    fill(x, mixture);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, mixture->options) &&
           prim__ocl_selftest_run(test, "mma_product", 32, 32, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got, mixture);
}

// clang-format off
/// f16, bf16, then the four pairs of 8-bit integers.
static const mixture_t mixtures[] = {
        {"-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0", PRIM_F16, PRIM_F16},
        {"-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=2 -DSRC_IS_U8=0 -DWEI_IS_U8=0", PRIM_BF16, PRIM_BF16},
        {"-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=5 -DSRC_IS_U8=0 -DWEI_IS_U8=0", PRIM_S8, PRIM_S8},
        {"-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=5 -DSRC_IS_U8=1 -DWEI_IS_U8=0", PRIM_U8, PRIM_S8},
        {"-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=5 -DSRC_IS_U8=0 -DWEI_IS_U8=1", PRIM_S8, PRIM_U8},
        {"-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=5 -DSRC_IS_U8=1 -DWEI_IS_U8=1", PRIM_U8, PRIM_U8},
};
// clang-format on

bool prim__ocl_selftest_mma_f16(ocl_selftest_t *test)
{
    return check(test, &mixtures[0]);
}

bool prim__ocl_selftest_mma_bf16(ocl_selftest_t *test)
{
    return check(test, &mixtures[1]);
}

static bool check_bytes(ocl_selftest_t *part, int i)
{
    return check(part, &mixtures[2 + i]);
}

bool prim__ocl_selftest_mma_int8(ocl_selftest_t *test)
{
    return prim__ocl_selftest_parts(test, 4, check_bytes);
}
