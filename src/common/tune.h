// SPDX-License-Identifier: Apache-2.0
// The part of tuning that is independent of backends: modes and the public functions. A backend
// measures (engine_ops_t.desc_tune) after init_pd has accepted, keeps the results, and lets init_pd
// find them.
#ifndef PRIM_COMMON_TUNE_H
#define PRIM_COMMON_TUNE_H

#include "prim/prim.h"

/// PRIM_TUNE, or what prim_set_default_tune() said.
prim_tune_mode_t prim__tune_default_mode(void);

/// "none", "quick", "full"; the mode of a word of `length` bytes, or -1.
const char *prim__tune_mode_name(prim_tune_mode_t mode);
int prim__tune_mode_find(const char *word, size_t length);

#endif
