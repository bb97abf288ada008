// SPDX-License-Identifier: Apache-2.0
// Layouts that few users choose: a 1-D tensor padded by blocks beside a plain dst, a bias in blocks
// or with gaps. Every implementation, on every kind of engine, has the right values and writes
// nothing behind dst.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { ROOM = 1024, GUARD = 777 };

// A tensor at the start of a memory of ROOM elements.
typedef struct {
    prim_memory_desc_t md;
    prim_memory_t *room, *memory;
} tensor_t;

static tensor_t tensor(prim_engine_t *engine, const prim_memory_desc_t *md, float fill)
{
    const prim_memory_desc_t all = api_vector(ROOM);
    tensor_t t = {.md = *md, .room = api_memory(&all, engine)};
    void *p = NULL;
    api_expect(prim_memory_map_data(t.room, &p), PRIM_SUCCESS);
    for (int i = 0; i < ROOM; ++i) ((float *)p)[i] = fill;
    api_expect(prim_memory_unmap_data(t.room, p), PRIM_SUCCESS);
    void *handle = NULL;
    api_expect(prim_memory_get_data_handle(t.room, &handle), PRIM_SUCCESS);
    api_expect(prim_memory_create(&t.memory, md, engine, handle), PRIM_SUCCESS);
    return t;
}

static void destroy(tensor_t *t)
{
    prim_memory_destroy(t->memory);
    prim_memory_destroy(t->room);
}

// Element i of a vector is place[i] elements behind its start.
static void write_at(const tensor_t *t, int n, const int *place, const float *values)
{
    void *p = NULL;
    api_expect(prim_memory_map_data(t->room, &p), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i) ((float *)p)[place ? place[i] : i] = values[i];
    api_expect(prim_memory_unmap_data(t->room, p), PRIM_SUCCESS);
}

static void expect_values(const tensor_t *t, int n, const float *expected, const char *impl)
{
    void *p = NULL;
    api_expect(prim_memory_map_data(t->room, &p), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i) {
        const float found = ((const float *)p)[i];
        // Logarithms of softmax are good to a few roundings, all else is exact.
        if (fabsf(found - expected[i]) > 4e-7f * fabsf(expected[i]))
            fail_msg("%s: dst[%d] is %g, not %g", impl, i, (double)found, (double)expected[i]);
    }
    for (int i = n; i < ROOM; ++i) {
        if (((const float *)p)[i] != (float)GUARD) fail_msg("%s: wrote behind dst at %d", impl, i);
    }
    api_expect(prim_memory_unmap_data(t->room, p), PRIM_SUCCESS);
}

// Runs every implementation of `pd`, which this destroys; dst is the last argument.
static void check(prim_desc_t *pd, prim_engine_t *engine, int nargs, prim_arg_t *args,
        const prim_memory_desc_t *dst_md, int n, const float *expected)
{
    prim_stream_t *const stream = api_stream(engine);
    prim_status_t status = PRIM_SUCCESS;
    for (; status == PRIM_SUCCESS; status = prim_desc_next_impl(pd)) {
        const char *name = NULL;
        prim_t *primitive = NULL;
        tensor_t dst = tensor(engine, dst_md, GUARD);
        args[nargs - 1] = (prim_arg_t){PRIM_ARG_DST, dst.memory};
        api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
        api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
        api_expect(prim_execute(primitive, stream, nargs, args), PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        expect_values(&dst, n, expected, name);
        prim_destroy(primitive);
        destroy(&dst);
    }
    api_expect(status, PRIM_LAST_IMPL_REACHED);
    prim_stream_destroy(stream);
    prim_desc_destroy(pd);
}

static prim_memory_desc_t vector(prim_dim_t n, const char *tag)
{
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_string_tag(&md, 1, &n, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

typedef enum { PRELU, BINARY, SUM, ELTWISE, REORDER, CONCAT, SOFTMAX, NOPS } op_t;

// Values of x and y, and what becomes of them.
static const float x_values[] = {-1, -2, -3}, y_values[] = {0.5f, 2, 4};
static const struct {
    int inputs[2]; // arguments of x and y; 0: y is not used
    float expected[6];
    int n;
} ops[NOPS] = {
        [PRELU] = {{PRIM_ARG_SRC, PRIM_ARG_WEIGHTS}, {-0.5f, -4, -12}, 3},
        [BINARY] = {{PRIM_ARG_SRC_0, PRIM_ARG_SRC_1}, {-0.5f, 0, 1}, 3},
        [SUM] = {{PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_MULTIPLE_SRC + 1}, {-0.5f, 0, 1}, 3},
        [ELTWISE] = {{PRIM_ARG_SRC}, {1, 2, 3}, 3},
        [REORDER] = {{PRIM_ARG_FROM}, {-1, -2, -3}, 3},
        [CONCAT] = {{PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_MULTIPLE_SRC + 1}, {-1, -2, -3, 0.5f, 2, 4},
                6},
        [SOFTMAX] = {{PRIM_ARG_SRC}, {-0.40760597f, -1.40760597f, -2.40760597f}, 3},
};

static prim_status_t create(prim_desc_t **pd, op_t op, prim_engine_t *engine,
        const prim_memory_desc_t *x, const prim_memory_desc_t *y, const prim_memory_desc_t *dst)
{
    const prim_memory_desc_t *const both[] = {x, y};
    const float ones[] = {1, 1};
    const prim_prop_kind_t forward = PRIM_FORWARD_INFERENCE;
    switch (op) {
    case PRELU: return prim_prelu_forward_desc_create(pd, engine, forward, x, y, dst, NULL);
    case BINARY: return prim_binary_desc_create(pd, engine, PRIM_BINARY_ADD, x, y, NULL, dst, NULL);
    case SUM: return prim_sum_desc_create(pd, engine, dst, 2, ones, both, NULL);
    case ELTWISE:
        return prim_eltwise_forward_desc_create(
                pd, engine, forward, PRIM_ELTWISE_ABS, x, dst, 0, 0, NULL);
    case REORDER: return prim_reorder_desc_create(pd, x, engine, dst, engine, NULL);
    case CONCAT: return prim_concat_desc_create(pd, engine, dst, 2, 0, both, NULL);
    default:
        return prim_softmax_forward_desc_create(
                pd, engine, forward, PRIM_SOFTMAX_LOG, x, dst, 0, NULL);
    }
}

static void check_vectors(prim_engine_t *engine, op_t op, const char *x_tag, const char *y_tag)
{
    const prim_memory_desc_t x_md = vector(3, x_tag), y_md = vector(3, y_tag);
    const prim_memory_desc_t dst_md = vector(ops[op].n, "a");
    tensor_t x = tensor(engine, &x_md, 0), y = tensor(engine, &y_md, 0);
    write_at(&x, 3, NULL, x_values);
    write_at(&y, 3, NULL, y_values);
    prim_desc_t *pd = NULL;
    api_expect(create(&pd, op, engine, &x_md, &y_md, &dst_md), PRIM_SUCCESS);
    const int ninputs = ops[op].inputs[1] ? 2 : 1;
    prim_arg_t args[3] = {{ops[op].inputs[0], x.memory}, {ops[op].inputs[1], y.memory}};
    check(pd, engine, ninputs + 1, args, &dst_md, ops[op].n, ops[op].expected);
    destroy(&x);
    destroy(&y);
}

// x and y are padded to blocks, dst is not.
static void padded_vectors(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (op_t op = PRELU; op < NOPS; ++op) {
            check_vectors(api_engine(e), op, "A16a", "a");
            check_vectors(api_engine(e), op, "a", "A16a");
            check_vectors(api_engine(e), op, "A8a", "A16a");
            check_vectors(api_engine(e), op, "A2a8a16a", "A2a8a16a");
        }
    }
}

enum { OC = 20, NBIAS = 3 };

static const float bias_values[OC] = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

// The bias of 20 channels in a vector or, if `ndims` is 2, a row: in blocks, in blocks that lie 16
// apart, in steps of 3. Blocks of 8 by a distance of 8 would be the plain vector again.
static prim_memory_desc_t bias(int which, int ndims, int *place)
{
    static const char *const tags[2][2] = {{"A8a", "a"}, {"aB8b", "ab"}};
    const prim_dim_t dims[2] = {ndims == 1 ? OC : 1, OC};
    prim_memory_desc_t md;
    if (which < 2) {
        api_expect(
                prim_memory_desc_init_by_string_tag(&md, ndims, dims, PRIM_F32, tags[ndims - 1][0]),
                PRIM_SUCCESS);
        if (which == 1) md.strides[ndims - 1] = 16;
        if (which == 1 && ndims == 2) md.strides[0] = 48;
    } else {
        const prim_dim_t strides[2] = {ndims == 1 ? 3 : 60, 3};
        api_expect(prim_memory_desc_init_by_strides(&md, ndims, dims, PRIM_F32, strides),
                PRIM_SUCCESS);
    }
    for (int i = 0; i < OC; ++i)
        place[i] = which == 0 ? i : which == 1 ? i / 8 * 16 + i % 8 : 3 * i;
    return md;
}

static void expect_per_channel(float *expected, int space)
{
    for (int i = 0; i < OC * space; ++i) expected[i] = bias_values[i / space];
}

// A convolution of zeros: dst is the bias. With zero points only the general variant is left.
static void check_conv(prim_engine_t *engine, int which, bool with_zero_point)
{
    int place[OC];
    float expected[OC * 9];
    const prim_data_type_t src_dt = with_zero_point ? PRIM_U8 : PRIM_F32;
    const prim_data_type_t wei_dt = with_zero_point ? PRIM_S8 : PRIM_F32;
    prim_memory_desc_t src_md, wei_md;
    api_expect(prim_memory_desc_init_by_tag(
                       &src_md, 4, (const prim_dim_t[]){1, 2, 3, 3}, src_dt, PRIM_NCHW),
            PRIM_SUCCESS);
    api_expect(prim_memory_desc_init_by_tag(
                       &wei_md, 4, (const prim_dim_t[]){OC, 2, 1, 1}, wei_dt, PRIM_OIHW),
            PRIM_SUCCESS);
    const prim_memory_desc_t bia_md = bias(which, 1, place);
    const prim_memory_desc_t dst_md = api_md(4, (const prim_dim_t[]){1, OC, 3, 3}, PRIM_NCHW);
    prim_memory_desc_t one = vector(1, "a");
    one.data_type = PRIM_S32;
    tensor_t src = tensor(engine, &src_md, 0), wei = tensor(engine, &wei_md, 0);
    tensor_t bia = tensor(engine, &bia_md, 0), zero_point = tensor(engine, &one, 0);
    write_at(&bia, OC, place, bias_values);
    prim_attr_t *attr = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    if (with_zero_point) {
        api_expect(
                prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32), PRIM_SUCCESS);
    }
    const prim_dim_t ones[] = {1, 1}, zeros[] = {0, 0};
    prim_desc_t *pd = NULL;
    api_expect(prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                       PRIM_CONVOLUTION_DIRECT, &src_md, &wei_md, &bia_md, &dst_md, ones, NULL,
                       zeros, NULL, attr),
            PRIM_SUCCESS);
    prim_arg_t args[5] = {{PRIM_ARG_SRC, src.memory}, {PRIM_ARG_WEIGHTS, wei.memory},
            {PRIM_ARG_BIAS, bia.memory},
            {PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_SRC, zero_point.memory}};
    expect_per_channel(expected, 9);
    check(pd, engine, with_zero_point ? 5 : 4, args, &dst_md, OC * 9, expected);
    tensor_t *const all[] = {&src, &wei, &bia, &zero_point};
    for (int i = 0; i < 4; ++i) destroy(all[i]);
    prim_attr_destroy(attr);
}

static void bias_of_convolutions(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (int which = 0; which < NBIAS; ++which) {
            check_conv(api_engine(e), which, false);
            check_conv(api_engine(e), which, true);
        }
    }
}

// dst = 0 · 0 + bias, as a matmul or as an inner product.
static void check_product(prim_engine_t *engine, int which, bool is_inner_product)
{
    int place[OC];
    float expected[OC];
    const prim_dim_t wei_dims[] = {is_inner_product ? OC : 2, is_inner_product ? 2 : OC};
    const prim_memory_desc_t src_md = api_md(2, (const prim_dim_t[]){1, 2}, PRIM_ab);
    const prim_memory_desc_t wei_md = api_md(2, wei_dims, PRIM_ab);
    const prim_memory_desc_t dst_md = api_md(2, (const prim_dim_t[]){1, OC}, PRIM_ab);
    const prim_memory_desc_t bia_md = bias(which, is_inner_product ? 1 : 2, place);
    tensor_t src = tensor(engine, &src_md, 0), wei = tensor(engine, &wei_md, 0);
    tensor_t bia = tensor(engine, &bia_md, 0);
    write_at(&bia, OC, place, bias_values);
    prim_desc_t *pd = NULL;
    const prim_status_t status = is_inner_product ? prim_inner_product_forward_desc_create(&pd,
                                                            engine, PRIM_FORWARD_INFERENCE, &src_md,
                                                            &wei_md, &bia_md, &dst_md, NULL)
                                                  : prim_matmul_desc_create(&pd, engine, &src_md,
                                                            &wei_md, &bia_md, &dst_md, NULL);
    api_expect(status, PRIM_SUCCESS);
    prim_arg_t args[4] = {{PRIM_ARG_SRC, src.memory}, {PRIM_ARG_WEIGHTS, wei.memory},
            {PRIM_ARG_BIAS, bia.memory}};
    expect_per_channel(expected, 1);
    check(pd, engine, 4, args, &dst_md, OC, expected);
    tensor_t *const all[] = {&src, &wei, &bia};
    for (int i = 0; i < 3; ++i) destroy(all[i]);
}

static void bias_of_products(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (int which = 0; which < NBIAS; ++which) {
            check_product(api_engine(e), which, false);
            check_product(api_engine(e), which, true);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(padded_vectors),
            cmocka_unit_test(bias_of_convolutions),
            cmocka_unit_test(bias_of_products),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
