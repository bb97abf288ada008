// SPDX-License-Identifier: Apache-2.0
// Which devices claim a feature: without it, its self-test is not run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <prim/prim.h>

#include "gpu/ocl/feature/ocl_feature.h"

// Nothing would use them, and the compiler of such a device may not survive the test.
static void nontemporal_stores_need_caches(void **state)
{
    (void)state;
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    ((ocl_engine_t *)engine)->device.cache_bytes = 0;
    assert_false(prim__ocl_feature_verdict(engine, OCL_FEATURE_NONTEMPORAL).is_claimed);
    prim_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nontemporal_stores_need_caches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
