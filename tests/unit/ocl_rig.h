// SPDX-License-Identifier: Apache-2.0
// An OpenCL engine with a stream, and kernels of a test run on arrays of the host.
#ifndef OCL_RIG_H
#define OCL_RIG_H

#include "gpu/ocl/launch/ocl_launch.h"

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
} ocl_rig_t;

/// cmocka group setup and teardown: *state becomes an ocl_rig_t on the first device. Without any
/// device the setup fails: an OpenCL build is tested where there is one.
int ocl_rig_open(void **state);
int ocl_rig_close(void **state);

/// One array that a kernel reads or writes; `host` is copied to the device before and back after.
typedef struct {
    void *host;
    size_t bytes;
} ocl_array_t;

/// Runs `name` of `source` over `nitems` work-items: its parameters are the arrays as pointers,
/// then `args` (NULL: none). Fails the test when anything fails.
void ocl_rig_run(const ocl_rig_t *rig, const ocl_source_t *source, const ocl_options_t *options,
        const char *name, int64_t nitems, const ocl_array_t *arrays, int narrays,
        const ocl_args_t *args);
/// The same in one work-group of `nitems`.
void ocl_rig_run_group(const ocl_rig_t *rig, const ocl_source_t *source,
        const ocl_options_t *options, const char *name, int64_t nitems, const ocl_array_t *arrays,
        int narrays, const ocl_args_t *args);

#endif
