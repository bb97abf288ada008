// SPDX-License-Identifier: Apache-2.0
// The part of fuzz_ocl.c in builds without OpenCL: there is nothing to call.
#include "fuzz_world.h"

void fuzz_call_ocl(fuzz_input_t *in)
{
    (void)in;
}

bool fuzz_ocl_tensor(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    (void)side;
    (void)tensor;
    (void)in;
    return false;
}

void fuzz_ocl_tensor_free(fuzz_tensor_t *tensor)
{
    (void)tensor;
}

void fuzz_ocl_tensor_move(fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    (void)tensor;
    (void)in;
}

void fuzz_ocl_tensor_ask(const fuzz_tensor_t *tensor)
{
    (void)tensor;
}

bool fuzz_ocl_stream(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    (void)side;
    (void)stream;
    (void)in;
    return false;
}

prim_status_t fuzz_ocl_execute(
        const fuzz_side_t *side, prim_stream_t *stream, const prim_arg_t *args, fuzz_input_t *in)
{
    (void)in;
    return prim_execute(side->step, stream, 2, args);
}

void fuzz_ocl_close(void)
{
}
