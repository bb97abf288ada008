// SPDX-License-Identifier: Apache-2.0
// Words in device memory by which the work-groups of a kernel count themselves: 0 before each
// kernel that uses them and after it. They belong to an in-order stream, whose kernels run one
// after the other.
#ifndef PRIM_OCL_COUNTERS_H
#define PRIM_OCL_COUNTERS_H

#include <pthread.h>

#include "gpu/ocl/device/ocl_engine.h"

enum { OCL_NCOUNTERS = 1 << 14 };

typedef struct {
    pthread_mutex_t lock;
    cl_mem buffer; ///< OCL_NCOUNTERS words, owned; NULL: nobody asked for them yet
} ocl_counters_t;

prim_status_t prim__ocl_counters_init(ocl_counters_t *counters);
void prim__ocl_counters_fini(ocl_counters_t *counters, const prim_engine_t *engine);

/// The buffer, borrowed; made at the first call.
prim_status_t prim__ocl_counters_get(
        cl_mem *buffer, ocl_counters_t *counters, const prim_engine_t *engine);

#endif
