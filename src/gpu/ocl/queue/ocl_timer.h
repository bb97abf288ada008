// SPDX-License-Identifier: Apache-2.0
// Device times of single executions, for the log.
#ifndef PRIM_OCL_TIMER_H
#define PRIM_OCL_TIMER_H

#include "common/impl.h"

/// See engine_ops_t.
prim_status_t prim__ocl_stream_run_timed(
        const prim_t *primitive, exec_ctx_t *ctx, double *ms, bool *is_host_time);

#endif
