// SPDX-License-Identifier: Apache-2.0
// The public setters of the allocator and the log. In a file of their own, because a failure is
// logged, and the log allocates: the include order stays free of circles.
#include "alloc.h"
#include "log.h"
#include "prim/prim.h"
#include "status.h"

prim_status_t prim_set_allocator(const prim_allocator_t *allocator)
{
    CHECK(!allocator || (allocator->allocate && allocator->release),
            "an allocator needs both functions");
    const size_t noutstanding = prim__alloc_set_hook(allocator);
    CHECK(noutstanding == 0, "%zu blocks of library memory are outstanding", noutstanding);
    return PRIM_SUCCESS;
}

prim_status_t prim_set_verbose(const char *levels)
{
    CHECK_NOT_NULL(levels);
    CHECK(!prim__log_is_in_callback(), "the log callback may not change what is logged");
    char why[512];
    CHECK(prim__log_set_levels(levels, why, sizeof why), "%s", why);
    return PRIM_SUCCESS;
}

prim_status_t prim_set_log_callback(prim_log_callback_t callback, void *user)
{
    CHECK(!prim__log_is_in_callback(), "the log callback may not replace itself");
    prim__log_set_callback(callback, user);
    return PRIM_SUCCESS;
}
