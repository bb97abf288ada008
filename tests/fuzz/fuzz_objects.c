// SPDX-License-Identifier: Apache-2.0
// Random calls of the functions of objects: attributes, chains of post-ops, settings, engines,
// tensors, streams, executions, recordings, blobs, tuning results and what OpenCL shares.
//     fuzz_objects [CALLS [SEED]]    so many calls; 20000 and 1
// What a call must return and leave behind is kept beside the library's objects and compared:
// getters return what was set, tensors hold the results of all executions, refusals change nothing.
// A failure tells its round: `fuzz_objects 1 SEED` repeats it.
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_rounds.h"
#include "fuzz_world.h"

enum { ROUND_BYTES = 8192 };

typedef void call_t(fuzz_input_t *in);

/// Calls that cost microseconds stand more often than those that build or open something.
static call_t *const calls[] = {fuzz_call_attr, fuzz_call_chain, fuzz_call_settings,
        fuzz_call_names, fuzz_call_engine, fuzz_call_tensor, fuzz_call_stream, fuzz_call_execute,
        fuzz_call_recording, fuzz_call_attr, fuzz_call_chain, fuzz_call_tensor, fuzz_call_tensor,
        fuzz_call_stream, fuzz_call_execute, fuzz_call_execute, fuzz_call_recording};
static call_t *const costly[] = {fuzz_call_blob, fuzz_call_tune, fuzz_call_ocl, fuzz_call_nulls};

static long run_round(const uint8_t *bytes, size_t nbytes)
{
    fuzz_input_t in = {.at = bytes, .end = bytes + nbytes};
    long ncalls = 0;
    fuzz_round_begin();
    for (; !fuzz_is_over(&in); ++ncalls) {
        if (fuzz_seldom(&in, 30))
            costly[fuzz_below(&in, (int)(sizeof costly / sizeof *costly))](&in);
        else
            calls[fuzz_below(&in, (int)(sizeof calls / sizeof *calls))](&in);
    }
    fuzz_round_end();
    return ncalls;
}

int main(int argc, char **argv)
{
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long nrounds = 0;
    fuzz_world_open();
    const long ncalls =
            fuzz_rounds("fuzz_objects", wanted, seed, ROUND_BYTES, NULL, run_round, &nrounds);
    fuzz_world_close();
    printf("fuzz_objects: %ld calls in %ld rounds\n", ncalls, nrounds);
    return 0;
}
