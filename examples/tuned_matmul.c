// SPDX-License-Identifier: Apache-2.0
// A matrix product whose kernel is tuned on the device first; the result, as the text that the
// library keeps, and that an application may ship instead.
// Usage: tuned_matmul [gpu[:index]]
#include <stdlib.h>

#include "example.h"

enum { M = 64, N = 256, K = 512, NRUNS = 20 };

static prim_memory_t *tensor(prim_engine_t *engine, const prim_memory_desc_t *md)
{
    prim_memory_t *memory = NULL;
    float *values = NULL;
    DO(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE));
    DO(prim_memory_map_data(memory, (void **)&values));
    for (size_t i = 0; i < prim_memory_desc_get_size(md) / sizeof(float); ++i)
        values[i] = (float)(i * 7 % 13) - 6;
    DO(prim_memory_unmap_data(memory, values));
    return memory;
}

/// The shortest of some executions on the device, in microseconds.
static double time_of(prim_engine_t *engine, const prim_desc_t *pd)
{
    static const struct {
        prim_query_t query;
        int arg;
    } tensors[] = {{PRIM_QUERY_SRC_MD, PRIM_ARG_SRC}, {PRIM_QUERY_WEIGHTS_MD, PRIM_ARG_WEIGHTS},
            {PRIM_QUERY_DST_MD, PRIM_ARG_DST}};
    prim_stream_t *stream = NULL;
    prim_t *matmul = NULL;
    prim_arg_t args[3];
    uint64_t ns[NRUNS], shortest = UINT64_MAX;
    int count = NRUNS;
    DO(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING));
    DO(prim_create(&matmul, pd));
    for (int i = 0; i < 3; ++i)
        args[i] = (prim_arg_t){
                tensors[i].arg, tensor(engine, prim_desc_query_md(pd, tensors[i].query, 0))};
    for (int i = 0; i < NRUNS; ++i) DO(prim_execute(matmul, stream, 3, args));
    DO(prim_stream_get_profile(stream, &count, ns));
    for (int i = 0; i < count; ++i) shortest = ns[i] < shortest ? ns[i] : shortest;
    for (int i = 0; i < 3; ++i) prim_memory_destroy(args[i].memory);
    prim_destroy(matmul);
    prim_stream_destroy(stream);
    return (double)shortest / 1000;
}

/// dst[M, N] = src[M, K] · wei[K, N], with weights in the layout the implementation likes.
static prim_desc_t *describe(prim_engine_t *engine, prim_tune_mode_t mode)
{
    prim_memory_desc_t src, wei, dst;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    DO(prim_memory_desc_init_by_tag(&src, 2, (const prim_dim_t[]){M, K}, PRIM_F32, PRIM_ab));
    DO(prim_memory_desc_init_by_tag(
            &wei, 2, (const prim_dim_t[]){K, N}, PRIM_F32, PRIM_FORMAT_ANY));
    DO(prim_memory_desc_init_by_tag(&dst, 2, (const prim_dim_t[]){M, N}, PRIM_F32, PRIM_ab));
    DO(prim_attr_create(&attr));
    DO(prim_attr_set_tune(attr, mode));
    DO(prim_matmul_desc_create(&pd, engine, &src, &wei, NULL, &dst, attr));
    prim_attr_destroy(attr);
    return pd;
}

int main(int argc, char **argv)
{
    prim_engine_t *const engine = example_engine(argc, argv);
    prim_desc_t *const estimated = describe(engine, PRIM_TUNE_NONE);
    printf("as estimated: %.1f us\n", time_of(engine, estimated));
    // The tuning run happens here. Later descriptors of such problems, of this process and others,
    // have the result without one.
    prim_desc_t *const tuned = describe(engine, PRIM_TUNE_FULL);
    printf("tuned: %.1f us\n", time_of(engine, tuned));

    size_t bytes = 0;
    DO(prim_tune_export(engine, &bytes, NULL));
    char *const text = malloc(bytes);
    if (!text) return 1;
    DO(prim_tune_export(engine, &bytes, text));
    fputs(text, stdout);
    DO(prim_tune_import(engine, text)); // what an application does that brings such a text
    free(text);
    prim_desc_destroy(tuned);
    prim_desc_destroy(estimated);
    prim_engine_destroy(engine);
    return 0;
}
