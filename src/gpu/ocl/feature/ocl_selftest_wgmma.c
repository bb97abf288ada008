// SPDX-License-Identifier: Apache-2.0
// Self-tests of WGMMA, and of copies by tensor maps (TMA) that are built on the device.
#include "common/data_type.h"
#include "ocl_selftest.h"

enum { TILE = 64, ROWS = 40, ROW_BYTES = 112, ACROSS_BYTES = 80 };
enum { GROUP_BYTES = 2 * ROWS * ROW_BYTES }; // of the operands of a group

typedef struct {
    const char *options;
    prim_data_type_t dt;
    bool is_across; // weights
} mixture_t;

static double src_at(int i, int p)
{
    return (i * 5 + p * 3) % 7 - 3;
}

static double wei_at(int j, int p)
{
    return (j * 3 + p * 5) % 5 - 2;
}

static void fill(uint8_t *x, const mixture_t *t)
{
    const int bytes = (int)prim__dt_bytes(t->dt), depth = ROW_BYTES / bytes;
    uint8_t *const wei = x + ROWS * ROW_BYTES;
    for (int i = 0; i < ROWS; ++i) {
        for (int p = 0; p < depth; ++p) {
            prim__store(x, t->dt, i * depth + p, src_at(i, p));
            prim__store(wei, t->dt, t->is_across ? p * ACROSS_BYTES / bytes + i : i * depth + p,
                    wei_at(i, p));
        }
    }
}

static bool is_right(ocl_selftest_t *test, const void *got, const mixture_t *t)
{
    const bool is_int = prim__dt_bytes(t->dt) == 1;
    const int depth = ROW_BYTES / (int)prim__dt_bytes(t->dt);
    for (int e = 0; e < 2 * TILE * TILE; ++e) {
        const int i = e / TILE % TILE, j = e % TILE;
        double sum = 0;
        for (int p = 0; p < depth && i < ROWS && j < ROWS; ++p) sum += src_at(i, p) * wei_at(j, p);
        const double value = prim__load(got, is_int ? PRIM_S32 : PRIM_F32, e);
        if (value != sum) {
            return prim__ocl_selftest_say(test, "%s: element %d is %g instead of %g",
                    prim_data_type_name(t->dt), e, value, sum);
        }
    }
    return true;
}

static bool check(ocl_selftest_t *test, const mixture_t *mixture)
{
    uint8_t x[2 * GROUP_BYTES] = {0};
    float got[2 * TILE * TILE];
    fill(x, mixture);
    fill(x + GROUP_BYTES, mixture);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x),
            prim__ocl_selftest_buffer(test, NULL, 512)};
    return prim__ocl_selftest_build(test, mixture->options) &&
           prim__ocl_selftest_run(test, "wgmma_product", 256, 128, mems, 3) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got, mixture);
}

// clang-format off
/// f16, bf16, 8-bit integers. Of 16 bits one kind of copies brings weights along k, the other across.
static const mixture_t copied[] = {
        {"-cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DBN=64 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMAPS=0", PRIM_F16, false},
        {"-cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DBN=64 -DMMA_TYPE=2 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMAPS=0", PRIM_BF16, false},
        {"-cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DBN=64 -DMMA_TYPE=5 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMAPS=0", PRIM_S8, false},
};

static const mixture_t mapped[] = {
        {"-cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DBN=64 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=0 -DMAPS=1", PRIM_F16, true},
        {"-cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DBN=64 -DMMA_TYPE=2 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=0 -DMAPS=1", PRIM_BF16, true},
        {"-cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DBN=64 -DMMA_TYPE=5 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMAPS=1", PRIM_S8, false},
};
// clang-format on

bool prim__ocl_selftest_wgmma_f16(ocl_selftest_t *test)
{
    return check(test, &copied[0]);
}

bool prim__ocl_selftest_wgmma_bf16(ocl_selftest_t *test)
{
    return check(test, &copied[1]);
}

bool prim__ocl_selftest_wgmma_int8(ocl_selftest_t *test)
{
    return check(test, &copied[2]);
}

bool prim__ocl_selftest_tensor_maps_f16(ocl_selftest_t *test)
{
    return check(test, &mapped[0]);
}

bool prim__ocl_selftest_tensor_maps_bf16(ocl_selftest_t *test)
{
    return check(test, &mapped[1]);
}

bool prim__ocl_selftest_tensor_maps_int8(ocl_selftest_t *test)
{
    return check(test, &mapped[2]);
}
