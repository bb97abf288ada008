// SPDX-License-Identifier: Apache-2.0
// Lists the engines of this machine: what prim_engine_create() can open.
#include <stdio.h>

#include <prim/prim.h>

static int list(prim_engine_kind_t kind)
{
    const size_t n = prim_engine_get_count(kind);
    for (size_t i = 0; i < n; ++i) {
        prim_engine_t *engine = NULL;
        if (prim_engine_create(&engine, kind, i) != PRIM_SUCCESS) {
            fprintf(stderr, "%s:%zu: %s\n", prim_engine_kind_name(kind), i, prim_last_error());
            return 1;
        }
        size_t total_bytes = 0, max_allocation_bytes = 0;
        prim_engine_get_memory_limits(engine, &total_bytes, &max_allocation_bytes);
        printf("%s:%zu  %s, %.1f GiB (largest allocation %.1f GiB)\n", prim_engine_kind_name(kind),
                i, prim_engine_name(engine), (double)total_bytes / 0x1p30,
                (double)max_allocation_bytes / 0x1p30);
        prim_engine_destroy(engine);
    }
    if (n == 0) printf("no %s engine\n", prim_engine_kind_name(kind));
    return 0;
}

int main(void)
{
    return list(PRIM_GPU) | list(PRIM_CPU);
}
