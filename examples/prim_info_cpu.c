// SPDX-License-Identifier: Apache-2.0
// What the CPU engine reaches through its own primitives: a copying reorder and a product.
#include <time.h>

#include "example.h"
#include "prim_info.h"

enum { NRUNS = 9, MATRIX = 1024 };
#define COPY_ELEMS ((prim_dim_t)32 << 20)

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

static double now_s(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A tensor full of numbers that are not zero.
static prim_memory_t *filled(prim_engine_t *engine, const prim_memory_desc_t *md)
{
    prim_memory_t *memory = NULL;
    float *data = NULL;
    DO(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE));
    DO(prim_memory_map_data(memory, (void **)&data));
    const size_t n = prim_memory_desc_get_size(md) / sizeof *data;
    for (size_t i = 0; i < n; ++i) data[i] = 1.0f + (float)(i % 251) * 0.001f;
    DO(prim_memory_unmap_data(memory, data));
    return memory;
}

// Seconds of an execution, the median after two that warm up.
static double time_of(
        prim_engine_t *engine, const prim_desc_t *pd, int nargs, const prim_arg_t *args)
{
    double seconds[NRUNS];
    prim_t *primitive = NULL;
    prim_stream_t *stream = NULL;
    DO(prim_create(&primitive, pd));
    DO(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT));
    for (int i = -2; i < NRUNS; ++i) {
        const double start = now_s();
        DO(prim_execute(primitive, stream, nargs, args));
        DO(prim_stream_wait(stream));
        if (i >= 0) seconds[i] = now_s() - start;
    }
    prim_stream_destroy(stream);
    prim_destroy(primitive);
    return median(seconds, NRUNS);
}

static void measure_copy(prim_engine_t *engine)
{
    const prim_dim_t n = COPY_ELEMS;
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    DO(prim_memory_desc_init_by_tag(&md, 1, &n, PRIM_F32, PRIM_a));
    DO(prim_reorder_desc_create(&pd, &md, engine, &md, engine, NULL));
    prim_memory_t *const src = filled(engine, &md), *const dst = filled(engine, &md);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, src}, {PRIM_ARG_TO, dst}};
    const double seconds = time_of(engine, pd, 2, args);
    printf("    %-28s  %.1f GB/s\n", "copy, by reorder", 8e-9 * (double)n / seconds);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_desc_destroy(pd);
}

static void measure_product(prim_engine_t *engine)
{
    const prim_dim_t dims[] = {MATRIX, MATRIX};
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    DO(prim_memory_desc_init_by_tag(&md, 2, dims, PRIM_F32, PRIM_ab));
    DO(prim_matmul_desc_create(&pd, engine, &md, &md, NULL, &md, NULL));
    prim_memory_t *const a = filled(engine, &md), *const b = filled(engine, &md);
    prim_memory_t *const c = filled(engine, &md);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, a}, {PRIM_ARG_WEIGHTS, b}, {PRIM_ARG_DST, c}};
    const double seconds = time_of(engine, pd, 3, args);
    printf("    %-28s  %.1f GFLOP/s\n", "f32, by matmul 1024x1024x1024",
            2e-9 * MATRIX * MATRIX * MATRIX / seconds);
    prim_memory_destroy(a);
    prim_memory_destroy(b);
    prim_memory_destroy(c);
    prim_desc_destroy(pd);
}

int measure_cpu(prim_engine_t *engine)
{
    measure_copy(engine);
    measure_product(engine);
    return 0;
}
