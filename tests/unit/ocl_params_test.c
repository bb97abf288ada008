// SPDX-License-Identifier: Apache-2.0
// Arguments that do not fit the kernel's parameters are failures with a sentence, in every build.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/ocl/kit/ocl_primitive.h"
#include "gpu/ocl/launch/ocl_params.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_params_test_cl;

typedef struct {
    int64_t a;
    int32_t b, c;
} pair_t;

typedef struct {
    ocl_rig_t *rig;
    ocl_kernel_t *kernel;
    cl_mem buffer;
    pair_t pair;
    ocl_args_t args; ///< of every_kind
} case_t;

static void open_case(case_t *c, void **state, const char *name)
{
    *c = (case_t){.rig = *state, .pair = {1000, 20000, 300000}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    assert_int_equal(prim__ocl_kernel_create(
                             &c->kernel, c->rig->engine, &prim__ocl_params_test_cl, &options, name),
            PRIM_SUCCESS);
    int64_t zeros[4] = {0};
    cl_int code = CL_SUCCESS;
    c->buffer = clCreateBuffer(prim__ocl_engine(c->rig->engine)->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &code);
    assert_int_equal(code, CL_SUCCESS);
    prim__ocl_args_init(&c->args);
    prim__ocl_args_buffer(&c->args, c->buffer);
    prim__ocl_args_i64(&c->args, 1);
    prim__ocl_args_i32(&c->args, 5);
    prim__ocl_args_f32(&c->args, 20.0f);
    prim__ocl_args_struct(&c->args, &c->pair, sizeof c->pair);
    prim__ocl_args_local(&c->args, 64);
    prim__ocl_args_buffer(&c->args, c->buffer);
}

static void close_case(case_t *c)
{
    prim__ocl_kernel_destroy(c->kernel);
    clReleaseMemObject(c->buffer);
}

static prim_status_t launch(const case_t *c, const ocl_args_t *args)
{
    const exec_ctx_t ctx = {.stream = c->rig->stream};
    const ocl_range_t range = {1, {1}, {1}};
    return prim__ocl_launch(&ctx, c->kernel, &range, args);
}

static void expect_sentence(const case_t *c, const ocl_args_t *args, const char *sentence)
{
    assert_int_equal(launch(c, args), PRIM_RUNTIME_ERROR);
    if (!strstr(prim_last_error(), sentence)) fail_msg("\"%s\"", prim_last_error());
}

static void expect_result(const case_t *c)
{
    assert_int_equal(launch(c, &c->args), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(c->rig->stream), PRIM_SUCCESS);
    int64_t y[4] = {0};
    assert_int_equal(clEnqueueReadBuffer(prim__ocl_engine(c->rig->engine)->service, c->buffer,
                             CL_TRUE, 0, sizeof y, y, 0, NULL, NULL),
            CL_SUCCESS);
    assert_int_equal(y[1], 321030);
    assert_true(y[0] == 0 && y[2] == 0);
}

static void the_number_is_checked(void **state)
{
    case_t c;
    open_case(&c, state, "every_kind");
    ocl_args_t args = c.args;
    --args.nargs;
    expect_sentence(&c, &args, "the kernel every_kind has 7 parameters, the host passes 6");
    args = c.args;
    prim__ocl_args_i32(&args, 0);
    expect_sentence(&c, &args, "the kernel every_kind has 7 parameters, the host passes 8");
    expect_result(&c);
    // Also once the right ones are set: nothing of a list may come from the launch before.
    --args.nargs;
    --args.nargs;
    expect_sentence(&c, &args, "the host passes 6");
    close_case(&c);
}

// Each parameter is given the argument of the next one; the sentence names both kinds, or with
// drivers that do not tell kinds the code of clSetKernelArg. Only what has the same size as the
// right one would get past such a driver.
static void kinds_are_checked(void **state)
{
    static const struct {
        int param, given;
        const char *sentence;
    } rows[] = {
            {0, 5,
                    "parameter 0 of the kernel every_kind is a buffer, the host passes local "
                    "memory"},
            {1, 2, "parameter 1 of the kernel every_kind is a long, the host passes an int"},
            {2, 3, "parameter 2 of the kernel every_kind is an int, the host passes a float"},
            {3, 2, "parameter 3 of the kernel every_kind is a float, the host passes an int"},
            {4, 0, "parameter 4 of the kernel every_kind is a struct, the host passes a buffer"},
            {5, 0,
                    "parameter 5 of the kernel every_kind is local memory, the host passes a "
                    "buffer"},
            {6, 1, "parameter 6 of the kernel every_kind is a buffer, the host passes a long"},
    };
    case_t c;
    open_case(&c, state, "every_kind");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        ocl_args_t args = c.args;
        args.entries[rows[r].param] = c.args.entries[rows[r].given];
        expect_sentence(&c, &args, rows[r].sentence);
    }
    expect_result(&c);
    close_case(&c);
}

// No query tells the size of a struct, so the driver judges; PoCL 3.1 takes any.
static void a_struct_of_another_size_is_seen(void **state)
{
    case_t c;
    open_case(&c, state, "every_kind");
    ocl_args_t args = c.args;
    args.entries[4].bytes = 8;
    const bool is_taken = prim__ocl_kernel_set_args(c.kernel, &args) == PRIM_SUCCESS;
    if (!is_taken) {
        expect_sentence(&c, &args, "is a struct, the host passes a struct of 8 bytes (clSetKernel");
    }
    close_case(&c);
    if (is_taken) skip();
}

// The kernel of another signature, as many parameters of the same kinds.
static void another_order_is_seen(void **state)
{
    case_t c;
    open_case(&c, state, "swapped");
    expect_sentence(&c, &c.args,
            "parameter 1 of the kernel swapped is an int, the host passes a "
            "long of 8 bytes");
    close_case(&c);
}

static void images_and_buffers_are_told_apart(void **state)
{
    case_t c;
    open_case(&c, state, "with_image");
    ocl_args_t args = c.args;
    args.entries[1] = args.entries[0];
    args.nargs = 2;
    expect_sentence(&c, &args,
            "parameter 1 of the kernel with_image is an image, the host passes "
            "a buffer");
    args.entries[0].kind = OCL_ARG_IMAGE;
    expect_sentence(&c, &args,
            "parameter 0 of the kernel with_image is a buffer, the host passes "
            "an image");
    close_case(&c);
}

static void clones_are_checked_too(void **state)
{
    case_t c;
    open_case(&c, state, "every_kind");
    ocl_kernel_t *clone = NULL;
    assert_int_equal(prim__ocl_kernel_clone(&clone, c.kernel), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_kernel_set_args(clone, &c.args), PRIM_SUCCESS);
    c.args.entries[2] = c.args.entries[3];
    assert_int_equal(prim__ocl_kernel_set_args(clone, &c.args), PRIM_RUNTIME_ERROR);
    --c.args.nargs;
    assert_int_equal(prim__ocl_kernel_set_args(clone, &c.args), PRIM_RUNTIME_ERROR);
    prim__ocl_kernel_destroy(clone);
    close_case(&c);
}

// An implementation whose execute() passes what `wrong` says.
static struct {
    bool is_short, is_swapped;
    int nlaunches;
} wrong;

static prim_status_t init_wrong(prim_t *primitive)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_primitive_add_kernel(
            (ocl_primitive_t *)primitive, &prim__ocl_params_test_cl, &options, "scaled");
}

static prim_status_t execute_wrong(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_range_t range = {1, {1}, {1}};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    if (wrong.is_swapped) prim__ocl_args_i32(&args, 1);
    prim__ocl_args_f32(&args, 2.0f);
    if (!wrong.is_swapped && !wrong.is_short) prim__ocl_args_i32(&args, 1);
    ++wrong.nlaunches;
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static const impl_t wrong_impl = {.name = "ocl:eltwise:wrong",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init = init_wrong,
        .execute = execute_wrong,
        .fini = prim__ocl_primitive_fini};

// The sentence is there before the primitive is.
static void launches_are_checked_at_creation(void **state)
{
    const ocl_rig_t *const rig = *state;
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, 1, (prim_dim_t[]){3}, PRIM_F32, "a"), 0);
    assert_int_equal(prim_eltwise_forward_desc_create(&pd, rig->engine, PRIM_FORWARD_INFERENCE,
                             PRIM_ELTWISE_RELU, &md, &md, 0, 0, NULL),
            PRIM_SUCCESS);
    pd->impl = &wrong_impl;

    wrong.is_short = true;
    assert_int_equal(prim__primitive_create(&primitive, pd), PRIM_RUNTIME_ERROR);
    assert_string_equal(prim_last_error(), "the kernel scaled has 4 parameters, the host passes 3");
    wrong.is_short = false;
    wrong.is_swapped = true;
    assert_int_equal(prim__primitive_create(&primitive, pd), PRIM_RUNTIME_ERROR);
    if (!strstr(prim_last_error(), "parameter 2 of the kernel scaled is")) {
        fail_msg("\"%s\"", prim_last_error());
    }
    assert_null(primitive);

    wrong.is_swapped = false;
    wrong.nlaunches = 0;
    assert_int_equal(prim__primitive_create(&primitive, pd), PRIM_SUCCESS);
    assert_int_equal(wrong.nlaunches, 1);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_number_is_checked),
            cmocka_unit_test(kinds_are_checked),
            cmocka_unit_test(a_struct_of_another_size_is_seen),
            cmocka_unit_test(another_order_is_seen),
            cmocka_unit_test(images_and_buffers_are_told_apart),
            cmocka_unit_test(clones_are_checked_too),
            cmocka_unit_test(launches_are_checked_at_creation),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
