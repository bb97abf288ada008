// SPDX-License-Identifier: Apache-2.0
// A program outside the tree, built against an installed Prim: one ReLU on the CPU engine.
#include <stdio.h>

#include <prim/prim.h>

int main(void)
{
    float values[] = {-1, 2, -3, 4};
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    prim_desc_t *pd = NULL;
    prim_t *relu = NULL;
    const prim_dim_t n = 4;
    int status = prim_engine_create(&engine, PRIM_CPU, 0) ||
                 prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER) ||
                 prim_memory_desc_init_by_tag(&md, 1, &n, PRIM_F32, PRIM_a) ||
                 prim_memory_create(&memory, &md, engine, values) ||
                 prim_eltwise_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                         PRIM_ELTWISE_RELU, &md, &md, 0, 0, NULL) ||
                 prim_create(&relu, pd);
    if (status == 0) {
        const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
        status = prim_execute(relu, stream, 2, args) || prim_stream_wait(stream);
    }
    if (status) fprintf(stderr, "%s\n", prim_last_error());
    status |= values[0] != 0 || values[1] != 2 || values[2] != 0 || values[3] != 4;
    printf("Prim %d.%d.%d: %s\n", prim_version()->major, prim_version()->minor,
            prim_version()->patch, status ? "wrong" : "right");
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_memory_destroy(memory);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return status;
}
