// SPDX-License-Identifier: Apache-2.0
// Parameters of configurations as text.
#include "ocl_tune_params.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_buffer.h"

/// The next word of `names`; its length, 0 at the end.
static size_t next_name(const char **names)
{
    *names += strspn(*names, " ");
    return strcspn(*names, " ");
}

void prim__ocl_tune_params_text(
        char *text, size_t bytes, const char *names, const ocl_tune_params_t *params)
{
    text_buffer_t out = prim__text_buffer(text, bytes);
    size_t length = 0;
    for (int i = 0; i < OCL_TUNE_PARAMS && (length = next_name(&names)) > 0; ++i) {
        prim__text_add(&out, "%s%.*s=%d", i ? " " : "", (int)length, names, params->values[i]);
        names += length;
    }
}

bool prim__ocl_tune_params_parse(ocl_tune_params_t *params, const char *names, const char *text)
{
    *params = (ocl_tune_params_t){{0}};
    size_t length = 0;
    for (int i = 0; i < OCL_TUNE_PARAMS && (length = next_name(&names)) > 0; ++i) {
        if (strncmp(text, names, length) != 0 || text[length] != '=') return false;
        char *end = NULL;
        const long value = strtol(text + length + 1, &end, 10);
        if (end == text + length + 1 || value < INT_MIN || value > INT_MAX) return false;
        params->values[i] = (int)value;
        text = *end == ' ' ? end + 1 : end;
        names += length;
    }
    return *text == '\0' && next_name(&names) == 0;
}
