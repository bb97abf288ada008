// SPDX-License-Identifier: Apache-2.0
// The logger behind PRIM_VERBOSE: levels, filter, one comma-separated line for each event.
#ifndef PRIM_COMMON_LOG_H
#define PRIM_COMMON_LOG_H

#include "compiler.h"
#include "prim/prim_types.h"

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

/// Writes one line (level `error`, which is on by default) for each environment variable whose
/// value was not understood since the last call, once for each value. Call it after reading
/// variables, where no lock is held: the log callback may call Prim. Costs one atomic load when
/// there is nothing to log.
void prim__log_environment(void);

/// The thread is inside the log callback, where neither of the next two may be called.
bool prim__log_is_in_callback(void);
/// As prim_set_verbose(). An unknown word changes nothing and is named in `why`.
bool prim__log_set_levels(const char *levels, char *why, size_t why_bytes);
/// As prim_set_log_callback().
void prim__log_set_callback(prim_log_callback_t callback, void *user);

/// Milliseconds of a monotonic clock.
double prim__now_ms(void);

#endif
