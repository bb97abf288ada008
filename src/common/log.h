// SPDX-License-Identifier: Apache-2.0
// The logger behind PRIM_VERBOSE: levels, filter, one comma-separated line for each event.
#ifndef PRIM_COMMON_LOG_H
#define PRIM_COMMON_LOG_H

#include "status.h"

enum {
    LOG_ERROR = 1,    ///< failures of the device, of memory
    LOG_WARN = 2,     ///< something costs more than it should
    LOG_CHECK = 4,    ///< the caller's mistakes
    LOG_DISPATCH = 8, ///< why an implementation declined
    LOG_PROFILE_CREATE = 16,
    LOG_PROFILE_EXEC = 32,
    LOG_INFO = 64, ///< what takes long, while it does
};

/// Whether anything of `level` is wanted. Cheap: one atomic load after the first call.
bool prim__log_is_on(unsigned level);

/// Writes "prim_verbose,v1[,timestamp],<text>" if `level` is on. `kind` names the primitive kind
/// for the filter, or is NULL.
void prim__log(unsigned level, const char *kind, const char *format, ...) PRIM_PRINTF(3, 4);

/// Milliseconds of a monotonic clock.
double prim__now_ms(void);

#endif
