// SPDX-License-Identifier: Apache-2.0
// Kernels built by the first execution that asks: once, for all threads, again after a failure.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "gpu/ocl/kit/ocl_on_demand.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_params_test_cl;

enum { NTHREADS = 8 };

static ocl_on_demand_t *keep(const ocl_rig_t *rig, const char *name)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    ocl_on_demand_t *on_demand = NULL;
    assert_int_equal(prim__ocl_on_demand_create(
                             &on_demand, rig->engine, &prim__ocl_params_test_cl, &options, name),
            PRIM_SUCCESS);
    return on_demand;
}

static void nothing_is_built_before_it_is_asked_for(void **state)
{
    ocl_on_demand_t *const on_demand = keep(*state, "every_kind");
    assert_null(prim__ocl_on_demand_peek(on_demand));
    const ocl_kernel_t *first = NULL, *second = NULL;
    assert_int_equal(prim__ocl_on_demand_get(&first, on_demand), PRIM_SUCCESS);
    assert_non_null(first);
    assert_string_equal(first->name, "every_kind");
    assert_int_equal(prim__ocl_on_demand_get(&second, on_demand), PRIM_SUCCESS);
    assert_ptr_equal(first, second);
    assert_ptr_equal(prim__ocl_on_demand_peek(on_demand), first);
    prim__ocl_on_demand_destroy(on_demand);
}

static void *ask(void *on_demand)
{
    const ocl_kernel_t *kernel = NULL;
    return prim__ocl_on_demand_get(&kernel, on_demand) == PRIM_SUCCESS ? (void *)(uintptr_t)kernel
                                                                       : NULL;
}

static void threads_get_one_kernel(void **state)
{
    ocl_on_demand_t *const on_demand = keep(*state, "every_kind");
    pthread_t threads[NTHREADS];
    for (int i = 0; i < NTHREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, on_demand), 0);
    for (int i = 0; i < NTHREADS; ++i) {
        void *kernel = NULL;
        assert_int_equal(pthread_join(threads[i], &kernel), 0);
        assert_non_null(kernel);
        assert_ptr_equal(kernel, prim__ocl_on_demand_peek(on_demand));
    }
    prim__ocl_on_demand_destroy(on_demand);
}

static void a_build_that_fails_is_told_each_time(void **state)
{
    ocl_on_demand_t *const on_demand = keep(*state, "no_such_kernel");
    for (int i = 0; i < 2; ++i) {
        const ocl_kernel_t *kernel = NULL;
        assert_int_equal(prim__ocl_on_demand_get(&kernel, on_demand), PRIM_RUNTIME_ERROR);
        assert_null(kernel);
        assert_non_null(strstr(prim_last_error(), "clCreateKernel"));
    }
    assert_null(prim__ocl_on_demand_peek(on_demand));
    prim__ocl_on_demand_destroy(on_demand);
    prim__ocl_on_demand_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(nothing_is_built_before_it_is_asked_for),
            cmocka_unit_test(threads_get_one_kernel),
            cmocka_unit_test(a_build_that_fails_is_told_each_time),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
