// SPDX-License-Identifier: Apache-2.0
// Tuning runs of an implementation of the test's own, whose candidates are slow, wrong, not to be
// built, leave something out, or good; and what happens when memory is short or threads come at
// once.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cache_rig.h"
#include "common/desc_key.h"
#include "common/dispatch.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "support/unit_test.h"

enum { N = 1500 };

typedef enum { SLOW, WRONG, BROKEN, FAST, PARTIAL, FASTEST, NVARIANTS } variant_t;

static const char text[] =
        "__kernel void relu(__global const float *src, long src_off, __global float *dst,\n"
        "        long dst_off, long n)\n"
        "{\n"
        "    const long i = get_global_id(0);\n"
        "#if VARIANT == 2\n"
        "    this does not compile\n"
        "#endif\n"
        "    float x = src[src_off + i], y = x;\n"
        "    for (int k = 0; k < LOOPS; ++k) y = sin(y) + x;\n" // takes time, and cannot be 1e9
        "    if (VARIANT == 1 && i == n / 2) x = fabs(x) + 1;\n"
        "    if (VARIANT == 4 && i == n - 1) return;\n"
        "    if (VARIANT == 5) x *= 1.00004f;\n" // as far off as a function may be
        "    if (i < n) dst[dst_off + i] = y == 1e9f ? 0 : fmax(x, 0.0f);\n"
        "}\n";
static const ocl_source_t source = {"tune_test", text, sizeof text - 1};

typedef struct {
    prim_desc_t base;
    variant_t variant;
} test_pd_t;

static prim_status_t init_pd(prim_desc_t *pd)
{
    test_pd_t *const p = (test_pd_t *)pd;
    ocl_tune_t tune;
    TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST)));
    prim__ocl_tune_start(&tune, pd, "variant");
    for (int i = 0; i < NVARIANTS; ++i)
        if (prim__ocl_tune_offer(&tune, i, (ocl_tune_params_t){{i}})) p->variant = (variant_t)i;
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    static const int loops[] = {
            [SLOW] = 400, [WRONG] = 0, [BROKEN] = 0, [FAST] = 40, [PARTIAL] = 0, [FASTEST] = 0};
    const variant_t variant = ((const test_pd_t *)primitive->pd)->variant;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "VARIANT", (int)variant);
    // Other processes may have a GPU in between: what they take must not decide.
    const int more = prim__ocl_device(primitive->pd->engine)->is_cpu ? 1 : 100;
    prim__ocl_options_int(&options, "LOOPS", loops[variant] * more);
    return prim__ocl_primitive_add_kernel((ocl_primitive_t *)primitive, &source, &options, "relu");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_dim_t n = prim__md_nelems(prim__pd_md(primitive->pd, PRIM_ARG_DST));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, n);
    const ocl_range_t range = prim__ocl_range_groups((n + 49) / 50, 50);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static const impl_t implementation = {
        .name = "ocl:eltwise:test",
        .pd_size = sizeof(test_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};

static const impl_t *const list[] = {&implementation, NULL};

/// What the log said.
static struct {
    pthread_mutex_t lock;
    int ntuned, ntried, nwrong, nbroken, nwarn, nerrors;
    char last_warning[512];
} said = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void listen(void *user, const char *line)
{
    (void)user;
    pthread_mutex_lock(&said.lock);
    said.ntuned += strstr(line, ",ocl,tuned,") != NULL;
    said.ntried += strstr(line, ",ocl,tune,") != NULL;
    said.nbroken += strstr(line, ",failed: ") != NULL;
    said.nerrors += strstr(line, ",error,") && !strstr(line, ",error,ocl_build");
    if (strstr(line, ",warn,ocl_tune,")) {
        ++said.nwarn;
        said.nwrong += strstr(line, "is never chosen") != NULL;
        (void)snprintf(said.last_warning, sizeof said.last_warning, "%s", line);
    }
    pthread_mutex_unlock(&said.lock);
}

static void forget(void)
{
    said.ntuned = said.ntried = said.nwrong = said.nbroken = said.nwarn = said.nerrors = 0;
    said.last_warning[0] = '\0';
}

static int open_test(void **state)
{
    if (cache_rig_open(state) != 0) return -1;
    prim_set_log_callback(listen, NULL);
    forget();
    return prim_set_verbose("error,warn,profile_create") == PRIM_SUCCESS ? 0 : -1;
}

static prim_engine_t *open_engine(void)
{
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    return engine;
}

/// A descriptor of relu on `n` elements.
static prim_desc_t *make(prim_engine_t *engine, prim_dim_t n, prim_tune_mode_t mode, bool is_fixed)
{
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    tensor_t tensors[2] = {{.arg = PRIM_ARG_SRC}, {.arg = PRIM_ARG_DST, .is_output = true}};
    const op_desc_t op = {.kind = PRIM_ELTWISE,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_ELTWISE_RELU};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(prim_memory_desc_init_by_strides(&tensors[i].md, 1, &n, PRIM_F32, NULL),
                PRIM_SUCCESS);
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_tune(attr, mode), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_deterministic(attr, is_fixed), PRIM_SUCCESS);
    assert_int_equal(
            prim__desc_create_from(&pd, list, engine, NULL, &op, tensors, 2, attr), PRIM_SUCCESS);
    prim_attr_destroy(attr);
    return pd;
}

static variant_t variant_of(prim_engine_t *engine, prim_dim_t n, prim_tune_mode_t mode)
{
    prim_desc_t *const pd = make(engine, n, mode, false);
    const variant_t variant = ((const test_pd_t *)pd)->variant;
    prim_desc_destroy(pd);
    return variant;
}

static void only_right_candidates_win(void **state)
{
    (void)state;
    prim_engine_t *const engine = open_engine();
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_NONE), SLOW);
    assert_int_equal(said.ntuned + said.ntried + said.nwarn, 0);
    // The first four: the wrong one and the one that cannot be built are faster.
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_QUICK), FAST);
    assert_int_equal(said.ntuned, 1);
    assert_int_equal(said.ntried, 3);
    assert_int_equal(said.nbroken, 1);
    assert_int_equal(said.nwrong, 1);
    assert_non_null(strstr(said.last_warning, "variant=1 is never chosen"));
    assert_int_equal(said.nerrors, 0);
    // All: also the one that leaves out the last element.
    forget();
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_FULL), FASTEST);
    assert_int_equal(said.ntuned, 1);
    assert_int_equal(said.nwrong, 2);
    assert_non_null(strstr(said.last_warning, "variant=4 is never chosen"));
    prim_engine_destroy(engine);
}

static void what_is_known_is_used_and_not_tuned(void **state)
{
    (void)state;
    prim_engine_t *engine = open_engine();
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_QUICK), FAST);
    for (int i = 0; i < 2; ++i) {
        forget();
        assert_int_equal(variant_of(engine, N, PRIM_TUNE_NONE), FAST);
        assert_int_equal(variant_of(engine, N, PRIM_TUNE_QUICK), FAST);
        assert_int_equal(variant_of(engine, N - 7, PRIM_TUNE_NONE), FAST); // the same bucket
        assert_int_equal(variant_of(engine, 2 * N, PRIM_TUNE_NONE), SLOW); // another
        prim_desc_t *const fixed = make(engine, N, PRIM_TUNE_FULL, true);
        assert_int_equal(((const test_pd_t *)fixed)->variant, SLOW);
        prim_desc_destroy(fixed);
        assert_int_equal(said.ntuned + said.ntried + said.nwarn, 0);
        // From the file, as another process would.
        prim_engine_destroy(engine);
        engine = open_engine();
    }
    assert_int_equal(prim_tune_clear(engine), PRIM_SUCCESS);
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_NONE), SLOW);
    assert_int_equal(cache_rig_count(".tune"), 0);
    prim_engine_destroy(engine);
}

static void choices_make_different_primitives(void **state)
{
    (void)state;
    prim_engine_t *const engine = open_engine();
    prim_desc_t *const slow = make(engine, N, PRIM_TUNE_NONE, false);
    prim_desc_t *const fast = make(engine, N, PRIM_TUNE_QUICK, false);
    prim_desc_t *const also_fast = make(engine, N, PRIM_TUNE_NONE, false);
    assert_false(prim__desc_equal(slow, fast));
    assert_true(prim__desc_equal(fast, also_fast));
    assert_memory_not_equal(slow->blob_id, fast->blob_id, sizeof slow->blob_id);
    prim_desc_destroy(slow);
    prim_desc_destroy(fast);
    prim_desc_destroy(also_fast);
    prim_engine_destroy(engine);
}

// A result that was written for other code, or made up, is not among the offers.
static void foreign_parameters_are_not_used(void **state)
{
    (void)state;
    static const char *const lines[] = {"variant=77", "variant=-1", "tile=3", "variant=3 x=1"};
    prim_engine_t *const engine = open_engine();
    size_t bytes = 0;
    char head[2048], all[4096];
    assert_int_equal(prim_tune_export(engine, &bytes, NULL), PRIM_SUCCESS);
    assert_true(bytes <= sizeof head);
    assert_int_equal(prim_tune_export(engine, &bytes, head), PRIM_SUCCESS);
    for (int i = 0; i < 4; ++i) {
        (void)snprintf(all, sizeof all,
                "%socl:eltwise:test | src:f32:a:1536 dst:f32:a:1536 eltwise_relu | %s | %d ns | "
                "model 9 ns | full\n",
                head, lines[i], 9 - i);
        assert_int_equal(prim_tune_import(engine, all), PRIM_SUCCESS);
        assert_int_equal(variant_of(engine, N, PRIM_TUNE_NONE), SLOW);
    }
    (void)snprintf(all, sizeof all,
            "%socl:eltwise:test | src:f32:a:1536 dst:f32:a:1536 eltwise_relu | variant=3 | 1 ns | "
            "model 9 ns | full\n",
            head);
    assert_int_equal(prim_tune_import(engine, all), PRIM_SUCCESS);
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_NONE), FAST);
    prim_engine_destroy(engine);
}

static void short_memory_leaves_the_model(void **state)
{
    (void)state;
    prim_engine_t *const engine = open_engine();
    assert_int_equal(prim_engine_set_memory_limit(engine, 4096), PRIM_SUCCESS);
    assert_int_not_equal(prim_set_verbose(NULL), PRIM_SUCCESS);
    char before[256];
    (void)snprintf(before, sizeof before, "%s", prim_last_error());
    assert_true(before[0] != '\0');
    forget();
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_QUICK), SLOW);
    assert_int_equal(said.nwarn, 1);
    assert_int_equal(said.nerrors, 0);
    assert_non_null(strstr(said.last_warning, "not tuned: "));
    assert_string_equal(prim_last_error(), before); // the creation has not failed
    assert_int_equal(prim_engine_set_memory_limit(engine, 0), PRIM_SUCCESS);
    assert_int_equal(variant_of(engine, N, PRIM_TUNE_QUICK), FAST);
    prim_engine_destroy(engine);
}

static void *tune_one(void *engine)
{
    prim_desc_t *const pd = make(engine, N, PRIM_TUNE_QUICK, false);
    const bool is_fast = ((const test_pd_t *)pd)->variant == FAST;
    prim_desc_destroy(pd);
    return is_fast ? engine : NULL;
}

static void threads_share_one_run(void **state)
{
    (void)state;
    enum { NTHREADS = 4 };
    pthread_t threads[NTHREADS];
    prim_engine_t *const engine = open_engine();
    for (int i = 0; i < NTHREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, tune_one, engine), 0);
    for (int i = 0; i < NTHREADS; ++i) {
        void *is_fast = NULL;
        assert_int_equal(pthread_join(threads[i], &is_fast), 0);
        assert_non_null(is_fast);
    }
    assert_int_equal(said.ntuned, 1);
    prim_engine_destroy(engine);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_test, cache_rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(only_right_candidates_win),
            IN_FOLDER(what_is_known_is_used_and_not_tuned),
            IN_FOLDER(choices_make_different_primitives),
            IN_FOLDER(foreign_parameters_are_not_used),
            IN_FOLDER(short_memory_leaves_the_model),
            IN_FOLDER(threads_share_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
