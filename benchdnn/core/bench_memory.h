// SPDX-License-Identifier: Apache-2.0
// Device memory of an argument with a guard band behind it. The CPU engine gets host memory of the
// core's; the GPU engine a buffer that is larger than the tensor.
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <prim/prim.h>

#define GUARD_BYTES 4096
#define POISON 0xff    ///< a NaN in every float type
#define PERF_FILL 0x3f ///< 0.747 in f32: no denormals, no NaN

typedef struct arg_memory {
    prim_memory_t *memory; ///< what the primitive gets
    prim_memory_t *store;  ///< GPU: the same buffer with its guard, as bytes; NULL for an image
    void *host;            ///< CPU: the same
    size_t bytes;          ///< of the tensor
} arg_memory_t;

/// Allocates and presets every byte, guard included, to `preset`.
prim_status_t arg_memory_create(
        arg_memory_t **memory, const prim_memory_desc_t *md, prim_engine_t *engine, int preset);
void arg_memory_destroy(arg_memory_t *memory);
/// The bytes of tensor and guard on the host (an image has no guard); NULL when mapping fails.
void *arg_memory_map(const arg_memory_t *memory);
prim_status_t arg_memory_unmap(const arg_memory_t *memory, void *pointer);
/// Whether nobody wrote behind the tensor.
bool arg_memory_guard_holds(const arg_memory_t *memory, const void *mapped, int preset);

#endif
