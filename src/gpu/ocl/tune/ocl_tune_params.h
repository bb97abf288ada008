// SPDX-License-Identifier: Apache-2.0
// What identifies a configuration of an implementation, as numbers and as text.
#ifndef PRIM_OCL_TUNE_PARAMS_H
#define PRIM_OCL_TUNE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

enum { OCL_TUNE_PARAMS = 6 };

/// The parameters that identify a configuration; unused ones are 0.
typedef struct {
    int values[OCL_TUNE_PARAMS];
} ocl_tune_params_t;

/// "bm=128 bn=256 splits=1"
void prim__ocl_tune_params_text(
        char *text, size_t bytes, const char *names, const ocl_tune_params_t *params);
/// And back; false when the text has other names.
bool prim__ocl_tune_params_parse(ocl_tune_params_t *params, const char *names, const char *text);

#endif
