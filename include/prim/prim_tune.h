// SPDX-License-Identifier: Apache-2.0
/// @file prim_tune.h
/// Tuning: which of several configurations of a kernel (tiles, splits, vectors, groups) is the
/// fastest is measured on the device instead of estimated. Part of prim.h, which includes it.
/// doc/tuning.md says what is tuned, and the format of the results.
#ifndef PRIM_TUNE_H
#define PRIM_TUNE_H

#include "prim_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup tuning Tuning
/// Results are kept for each device, driver and library version: in the engine, and as a text file
/// in the cache folder (prim_set_cache_dir()). Every new descriptor uses known results, in every
/// mode, unless prim_attr_set_deterministic() is on. The mode only decides whether a problem
/// without a result is measured.
/// @{

/// The mode that new attributes start with: PRIM_TUNE (none, quick, full), else PRIM_TUNE_NONE.
PRIM_API prim_status_t prim_get_default_tune(prim_tune_mode_t *mode);
/// Attributes that exist already keep their mode.
PRIM_API prim_status_t prim_set_default_tune(prim_tune_mode_t mode);

/// The mode of the descriptors made with these attributes. A tuning run happens inside the
/// creation of the descriptor: it builds kernels and runs them on tensors of the library's own,
/// which takes seconds, and as much memory as the problem. Only a candidate whose result agrees
/// with that of the generic kernel can win. A failure of the run, for example too little memory,
/// writes a log line and leaves the choice that is made without tuning. Engines that have nothing
/// to tune ignore it.
PRIM_API prim_status_t prim_attr_set_tune(prim_attr_t *attr, prim_tune_mode_t mode);
/// What prim_attr_set_tune() set.
PRIM_API prim_status_t prim_attr_get_tune(const prim_attr_t *attr, prim_tune_mode_t *mode);

/// The engine's results as text, zero-terminated, those of its device's file included. `text` NULL
/// returns the size in `*bytes`; else `*bytes` is the capacity of `text`, and becomes the text's
/// size with its zero.
/// @retval PRIM_UNIMPLEMENTED the engine has nothing to tune (the CPU's)
/// @retval PRIM_INVALID_ARGUMENTS there is too little room
PRIM_API prim_status_t prim_tune_export(prim_engine_t *engine, size_t *bytes, char *text);

/// Adds results, one text or several concatenated, to the engine's and to its device's file.
/// Results of other devices, drivers and library versions are ignored. Of two results for one
/// problem that of a full run wins over that of a quick run, then the shorter time. Existing
/// descriptors keep their choice.
/// @retval PRIM_UNIMPLEMENTED the engine has nothing to tune
/// @retval PRIM_INVALID_ARGUMENTS a line is malformed: prim_last_error() says which one and why,
/// and nothing has changed
PRIM_API prim_status_t prim_tune_import(prim_engine_t *engine, const char *text);

/// Forgets all results of the engine's device, and removes their file.
/// @retval PRIM_UNIMPLEMENTED the engine has nothing to tune
PRIM_API prim_status_t prim_tune_clear(prim_engine_t *engine);

/// @}

#ifdef __cplusplus
}
#endif

#endif
