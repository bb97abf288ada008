// SPDX-License-Identifier: Apache-2.0
// How init_pd says no.
#include "decline.h"

#include <stdarg.h>
#include <stdio.h>

#include "desc.h"

prim_status_t prim__decline(prim_desc_t *pd, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(pd->reason, sizeof pd->reason, format, args);
    va_end(args);
    return PRIM_UNIMPLEMENTED;
}

bool prim__may_be_slower(prim_desc_t *pd)
{
    pd->is_slower = true;
    return pd->may_be_slower;
}
