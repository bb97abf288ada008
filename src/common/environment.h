// SPDX-License-Identifier: Apache-2.0
// The environment variables of the library: their names, what each takes, and how values are read.
// Nothing else in src/ calls getenv().
#ifndef PRIM_COMMON_ENVIRONMENT_H
#define PRIM_COMMON_ENVIRONMENT_H

#include "status.h"

typedef enum {
    ENV_VERBOSE,
    ENV_VERBOSE_TIMESTAMP,
    ENV_OCL_DEVICE,
    ENV_PRIMITIVE_CACHE_CAPACITY,
    ENV_CACHE_DIR,
    ENV_CACHE_MAX_BYTES,
    ENV_MEMORY_MAX_BYTES,
    ENV_TUNE,
    ENV_DEFAULT_FPMATH_MODE,
    ENV_MAX_CPU_ISA,
    ENV_CPU_RUNTIME,
    ENV_XDG_CACHE_HOME, ///< this and the next: the system's, not Prim's own
    ENV_HOME,
    ENV_NVARIABLES
} env_variable_t;

/// "PRIM_TUNE".
const char *prim__env_name(env_variable_t variable);

/// The value as it is; NULL when it is not set.
const char *prim__env_text(env_variable_t variable);

// Each of these returns whether the variable is set, not empty and valid, and writes the value
// only then. One that is set and not understood is noted for prim__log_environment() (log.h), which
// is to be called after reading.

/// A decimal integer from 0 to `max`.
bool prim__env_int(int *value, env_variable_t variable, int max);
/// 0 or 1.
bool prim__env_bool(bool *value, env_variable_t variable);
/// Bytes: a decimal integer, then nothing or K, M, G or T (Ki, KiB and so on; any case) for powers
/// of 1024.
bool prim__env_bytes(uint64_t *value, env_variable_t variable);
/// The position in `words` of the word that the value is.
bool prim__env_word(int *value, env_variable_t variable, const char *const *words, int nwords);

/// Takes one value that was noted, each value once, and writes what is wrong with it: "PRIM_TUNE=x
/// is ignored: it takes none, quick or full". False when there is none; that costs an atomic load.
bool prim__env_take_fault(char *sentence, size_t sentence_bytes);

#endif
