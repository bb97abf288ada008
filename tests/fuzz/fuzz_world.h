// SPDX-License-Identifier: Apache-2.0
// The objects of fuzz_objects: on each engine a few tensors with what they must hold, streams,
// recordings with what they must do, and one primitive, dst = src / 2 + 1.
#ifndef PRIM_TESTS_FUZZ_WORLD_H
#define PRIM_TESTS_FUZZ_WORLD_H

#include <prim/prim.h>

#include "fuzz_md.h"

enum {
    FUZZ_SIDES = 2, ///< engines: the CPU's, and GPU 0 where there is one
    FUZZ_TENSORS = 5,
    FUZZ_STREAMS = 4,
    FUZZ_RECORDINGS = 2,
    FUZZ_RECORDED = 3, ///< most executions of a recording
    FUZZ_ELEMS = 24,
    FUZZ_GAP = 64, ///< elements in front of a tensor in the application's buffer
    FUZZ_BYTES = FUZZ_ELEMS * (int)sizeof(float)
};

/// A tensor of FUZZ_ELEMS f32.
typedef struct {
    prim_memory_t *memory;
    float values[FUZZ_ELEMS]; ///< what it must hold
    float *own;               ///< the application's host memory, FUZZ_GAP + FUZZ_ELEMS; else NULL
    void *buffer;             ///< the application's cl_mem; else NULL
} fuzz_tensor_t;

typedef struct {
    prim_stream_t *stream;
    bool is_out_of_order, has_profile;
    prim_runtime_t runtime; ///< of a CPU stream
    int nruns;              ///< in the profile
    int pool_threads;
} fuzz_stream_t;

typedef struct {
    prim_recording_t *recording;
    int n, from[FUZZ_RECORDED], to[FUZZ_RECORDED]; ///< indices of tensors
} fuzz_recording_t;

typedef struct {
    prim_engine_t *engine;
    prim_engine_kind_t kind;
    prim_desc_t *pd;
    prim_t *step;
    void *blob; ///< the primitive's; NULL on the CPU
    size_t blob_bytes;
    fuzz_tensor_t tensors[FUZZ_TENSORS];
    fuzz_stream_t streams[FUZZ_STREAMS];
    fuzz_recording_t recordings[FUZZ_RECORDINGS];
} fuzz_side_t;

/// Ends the program with a sentence unless the call returned `expected`, and a failure a sentence.
void fuzz_expect(const char *where, prim_status_t status, prim_status_t expected);

/// The engines; their objects live for one round.
void fuzz_world_open(void);
void fuzz_world_close(void);
void fuzz_round_begin(void);
void fuzz_round_end(void);
fuzz_side_t *fuzz_side(fuzz_input_t *in);

/// The descriptor of all tensors.
prim_memory_desc_t fuzz_tensor_md(void);
/// One of the side's; made if it was not there.
fuzz_tensor_t *fuzz_tensor(fuzz_side_t *side, fuzz_input_t *in);
void fuzz_tensor_destroy(fuzz_side_t *side, fuzz_tensor_t *tensor);
/// Another buffer of another kind, filled.
void fuzz_tensor_renew(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in);
/// Positive numbers whose halves are exact.
void fuzz_tensor_draw(float values[FUZZ_ELEMS], fuzz_input_t *in);
/// Other values, written.
void fuzz_tensor_fill(fuzz_tensor_t *tensor, fuzz_input_t *in);
/// Ends the program unless it holds what it must.
void fuzz_tensor_check(const fuzz_tensor_t *tensor);
/// dst = src / 2 + 1 of what they must hold.
void fuzz_tensor_step(fuzz_tensor_t *dst, const fuzz_tensor_t *src);

/// Calls of one sort; each takes what it needs from the input.
void fuzz_call_attr(fuzz_input_t *in);
void fuzz_call_chain(fuzz_input_t *in);
void fuzz_call_settings(fuzz_input_t *in);
void fuzz_call_names(fuzz_input_t *in);
void fuzz_call_engine(fuzz_input_t *in);
void fuzz_call_tensor(fuzz_input_t *in);
void fuzz_call_stream(fuzz_input_t *in);
void fuzz_call_execute(fuzz_input_t *in);
void fuzz_call_recording(fuzz_input_t *in);
void fuzz_call_blob(fuzz_input_t *in);
void fuzz_call_tune(fuzz_input_t *in);
void fuzz_call_nulls(fuzz_input_t *in);

/// fuzz_ocl.c, where the library has OpenCL; else fuzz_no_ocl.c.
void fuzz_call_ocl(fuzz_input_t *in);
/// The application's buffer in the tensor, right or wrong; whether a memory was made.
bool fuzz_ocl_tensor(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in);
void fuzz_ocl_tensor_free(fuzz_tensor_t *tensor);
/// Another place in the application's buffer, or none that is allowed.
void fuzz_ocl_tensor_move(fuzz_tensor_t *tensor, fuzz_input_t *in);
void fuzz_ocl_tensor_ask(const fuzz_tensor_t *tensor);
bool fuzz_ocl_stream(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in);
/// Executes between events.
prim_status_t fuzz_ocl_execute(
        const fuzz_side_t *side, prim_stream_t *stream, const prim_arg_t *args, fuzz_input_t *in);
void fuzz_ocl_close(void);

#endif
