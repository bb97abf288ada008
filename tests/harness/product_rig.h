// SPDX-License-Identifier: Apache-2.0
// Problems whose tensors lie where a test wants them, with results that are exact: small whole
// numbers, told from the index of an element alone. What surrounds a tensor holds a pattern that no
// implementation may change, and that spoils results which it gets into.
#ifndef PRODUCT_RIG_H
#define PRODUCT_RIG_H

#include <prim/prim.h>
#include <stdbool.h>

enum { RIG_TENSORS = 3 }; ///< src, weights (not of all), dst

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    bool is_gpu;
} rig_t;

/// A plain tensor somewhere in a buffer of the engine.
typedef struct {
    prim_memory_desc_t md;
    int low, high;         ///< its values
    prim_memory_t *buffer; ///< of `bytes` bytes; NULL: not there
    prim_memory_t *memory; ///< the tensor in it
    size_t bytes, start_bytes;
} tensor_t;

typedef struct problem problem_t;
struct problem {
    const char *name;
    prim_memory_desc_t src, wei, dst;
    bool has_wei;
    int low, high; ///< values of src; of weights: −high to high
    prim_status_t (*create)(prim_desc_t **pd, prim_engine_t *engine, const problem_t *problem);
    /// Element `index` (row-major) of dst.
    double (*want)(const problem_t *problem, prim_dim_t index);
};

/// Prints and leaves the program where a call fails.
void rig_must(prim_status_t status, const char *what);
#define MUST(call) rig_must((call), #call)

/// The engine of the kind, of its first device; false without one.
bool rig_open(rig_t *rig, prim_engine_kind_t kind);
void rig_close(rig_t *rig);

/// A plain descriptor; `strides` in elements, NULL: dense.
prim_memory_desc_t rig_md(
        int ndims, const prim_dim_t *dims, prim_data_type_t dt, const prim_dim_t *strides);
prim_dim_t rig_nelems(const prim_memory_desc_t *md);
/// Where element `index` (row-major) stands, in elements from the tensor's start.
prim_dim_t rig_place(const prim_memory_desc_t *md, prim_dim_t index);
/// The value of element `index` of a tensor: between low and high.
double rig_value(int seed, prim_dim_t index, int low, int high);

/// The matmul of `problem`'s descriptors, and a convolution of stride 1 whose padding keeps the
/// size; weights of five dimensions have groups.
prim_status_t rig_create_matmul(prim_desc_t **pd, prim_engine_t *engine, const problem_t *problem);
double rig_want_matmul(const problem_t *problem, prim_dim_t index);
prim_status_t rig_create_conv(prim_desc_t **pd, prim_engine_t *engine, const problem_t *problem);
double rig_want_conv(const problem_t *problem, prim_dim_t index);
/// relu, and a copy.
prim_status_t rig_create_relu(prim_desc_t **pd, prim_engine_t *engine, const problem_t *problem);
double rig_want_relu(const problem_t *problem, prim_dim_t index);
prim_status_t rig_create_reorder(prim_desc_t **pd, prim_engine_t *engine, const problem_t *problem);
double rig_want_reorder(const problem_t *problem, prim_dim_t index);

/// Room for the tensor at any of the first `nstarts` elements. False, with a sentence printed,
/// where the device does not have so much memory.
bool rig_make(tensor_t *tensor, const rig_t *rig, const prim_memory_desc_t *md, int nstarts);
/// Lets the tensor start at element `start`.
void rig_put(tensor_t *tensor, const rig_t *rig, int start);
void rig_free(tensor_t *tensor);

/// All of the buffer: the pattern, and the values of `seed` unless it is 0.
void rig_fill(tensor_t *tensor, int seed);
/// Whether all of the buffer holds `want`, row-major, and the pattern elsewhere; tells what does
/// not.
bool rig_check(tensor_t *tensor, const double *want);
/// The same for buffers that are too large to be looked at as a whole: slices of the first
/// dimension, one after the other, and `margin` elements (at most 64) on either side.
void rig_fill_slices(tensor_t *tensor, const rig_t *rig, int seed, int margin);
bool rig_check_slices(tensor_t *tensor, const rig_t *rig, const double *want, int margin);

#endif
