// SPDX-License-Identifier: Apache-2.0
// The thread's last error: formatted once, kept for prim_last_error(), and logged.
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "prim/prim.h"

/// Long enough for the build log that comes with a kernel that does not compile.
enum { LAST_ERROR_BYTES = 8192 };

static _Thread_local char last_error[LAST_ERROR_BYTES];

static _Thread_local bool is_attempt;
static _Thread_local char attempt_error[512];

void prim__attempt_begin(void)
{
    is_attempt = true;
    attempt_error[0] = '\0';
}

void prim__attempt_end(void)
{
    is_attempt = false;
}

bool prim__is_attempt(void)
{
    return is_attempt;
}

static prim_status_t keep(prim_status_t status, const char *format, va_list args)
{
    // The arguments may point into the last error itself: format aside, then copy.
    char text[LAST_ERROR_BYTES];
    if (vsnprintf(text, sizeof text, format, args) < 0) text[0] = '\0';
    if (is_attempt) {
        (void)snprintf(
                attempt_error, sizeof attempt_error, "%.*s", (int)sizeof attempt_error - 1, text);
        return status;
    }
    memcpy(last_error, text, strlen(text) + 1);

    const bool is_fault = status == PRIM_OUT_OF_MEMORY || status == PRIM_RUNTIME_ERROR;
    prim__log(is_fault ? LOG_ERROR : LOG_CHECK, NULL, "%s,%s,%s", is_fault ? "error" : "check",
            prim_status_name(status), text);
    return status;
}

prim_status_t prim__fail(prim_status_t status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const prim_status_t result = keep(status, format, args);
    va_end(args);
    return result;
}

prim_status_t prim__fail_memory(size_t bytes)
{
    return prim__fail(PRIM_OUT_OF_MEMORY, "no memory for %zu bytes", bytes);
}

prim_status_t prim_report_failure(prim_status_t status, const char *sentence)
{
    CHECK_NOT_NULL(sentence);
    return prim__fail(status, "%.1000s", sentence);
}

const char *prim_last_error(void)
{
    return is_attempt ? attempt_error : last_error;
}
