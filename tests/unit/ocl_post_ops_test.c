// SPDX-License-Identifier: Apache-2.0
// Post-op chains on the device, run-time, unrolled and on vectors, against chains in double: every
// kind of step, operands of several types, layouts and broadcasts, every size of their bucket.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/data_type.h"
#include "common/dispatch.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_post_ops_test_cl;

typedef struct {
    ocl_md_t src, dst;
} chain_data_t;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    return prim__ocl_require_layouts(pd, false);
}

// BESIDE: what lies so is read by the kernel; STEPS: strides along vectors are known, if possible.
typedef enum { STATIC, RUN_TIME, BESIDE, VECTOR, STEPS_OF_2, STEPS_OF_4, NWAYS } way_t;

static void add_options(ocl_options_t *options, const prim_desc_t *pd, way_t way)
{
    if (way >= STEPS_OF_2 && prim__ocl_post_ops_take_vectors(pd)) {
        prim__ocl_post_ops_options_vectors(options, pd, way == STEPS_OF_4 ? 4 : 2, 1);
        return;
    }
    if (way == BESIDE)
        prim__ocl_post_ops_options_beside(options, pd, prim__ocl_post_ops_beside_dst(pd));
    else
        prim__ocl_post_ops_options(options, pd, way == STATIC);
    prim__ocl_options_int(options, "REAL_WIDTH", way >= VECTOR ? 2 : 1);
    prim__ocl_options_int(options, "PO_VECTOR_DIM", 1);
    prim__ocl_options_int(options, "FAST_EXP2", 0);
    prim__ocl_options_int(options, "SLOPES", 0);
}

static const char *const names[] = {"t:chain:static", "t:chain:run_time", "t:chain:beside",
        "t:chain:vector", "t:chain:steps_2", "t:chain:steps_4"};

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    int way = 0;
    while (strcmp(names[way], pd->impl->name) != 0) ++way;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    add_options(&options, pd, (way_t)way);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_post_ops_test_cl, &options, "chain"));
    const chain_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST))};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(
            p->kernels[0], prim__md_nelems(prim__pd_md(primitive->pd, PRIM_ARG_DST)));
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static uint32_t seed = 9;

static double random_value(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)((int)((seed >> 8) % 33) - 16) / 4;
}

// A memory with random multiples of 1/4 in −4..4, which every float type holds.
static prim_memory_t *random_memory(const ocl_rig_t *rig, const prim_memory_desc_t *md)
{
    prim_memory_t *memory = NULL;
    assert_int_equal(
            prim_memory_create(&memory, md, rig->engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    void *data = NULL;
    assert_int_equal(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < prim__md_nelems(md); ++i) {
        prim_dims_t position;
        prim__position(position, md->ndims, md->dims, i);
        prim__store(data, md->data_type, prim__md_offset(md, position), random_value());
    }
    assert_int_equal(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return memory;
}

// Host copy of a memory's bytes.
static void *copy_of(const prim_memory_t *memory)
{
    void *data = NULL, *copy = malloc(memory->bytes);
    assert_non_null(copy);
    assert_int_equal(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    memcpy(copy, data, memory->bytes);
    assert_int_equal(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return copy;
}

typedef struct {
    const ocl_rig_t *rig;
    prim_memory_desc_t md; ///< of src and dst, but for the type
    prim_data_type_t dst_dt;
    prim_attr_t *attr;
    int beside; ///< the step whose operand lies as dst does, once the chain has run
    int nargs;
    prim_arg_t args[2 + PRIM_MAX_POST_OPS];
    void *operands[PRIM_MAX_POST_OPS][STEP_OPERANDS]; ///< host copies
    void *src, *old_dst;
} problem_t;

static double eltwise(const post_op_t *op, double x)
{
    if (op->alg == PRIM_ELTWISE_RELU) return x > 0 ? x : (double)op->alpha * x;
    if (op->alg == PRIM_ELTWISE_LINEAR) return (double)op->alpha * x + (double)op->beta;
    assert_int_equal(op->alg, PRIM_ELTWISE_TANH);
    return tanh(x);
}

static double binary(prim_alg_kind_t alg, double a, double b)
{
    switch ((int)alg) {
    case PRIM_BINARY_ADD: return a + b;
    case PRIM_BINARY_SUB: return a - b;
    case PRIM_BINARY_MUL: return a * b;
    case PRIM_BINARY_MAX: return a > b ? a : b;
    case PRIM_BINARY_MIN: return a < b ? a : b;
    case PRIM_BINARY_GT: return a > b;
    default: fail_msg("no formula"); return 0;
    }
}

static double operand_at(
        const problem_t *p, int i, int k, const post_op_t *op, const prim_dim_t *position)
{
    const prim_memory_desc_t *const md = prim__post_op_operand_md(op, k);
    prim_dims_t at;
    for (int d = 0; d < p->md.ndims; ++d) at[d] = md->dims[d] == 1 ? 0 : position[d];
    return prim__load(p->operands[i][k], md->data_type, prim__md_offset(md, at));
}

static double chain_at(const problem_t *p, const prim_desc_t *pd, const prim_dim_t *position)
{
    const prim_dim_t offset = prim__md_offset(&p->md, position);
    double x = prim__load(p->src, PRIM_F32, offset);
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        const post_op_t *const op = &pd->attr.post_ops.entries[i];
        if (op->kind == PRIM_ELTWISE) {
            x = eltwise(op, x);
        } else if (op->kind == PRIM_SUM) {
            const prim_data_type_t dt = op->data_type ? op->data_type : p->dst_dt;
            x += (double)op->scale * (prim__load(p->old_dst, dt, offset) - op->zero_point);
        } else if (op->kind == PRIM_BINARY && op->alg == PRIM_BINARY_SELECT) {
            if (operand_at(p, i, 1, op, position) == 0) x = operand_at(p, i, 0, op, position);
        } else if (op->kind == PRIM_BINARY) {
            x = binary(op->alg, x, operand_at(p, i, 0, op, position));
        } else if (x <= 0) {
            x *= operand_at(p, i, 0, op, position);
        }
    }
    return x;
}

static void compare(const problem_t *p, const prim_desc_t *pd, const prim_memory_t *dst)
{
    void *const got = copy_of(dst);
    for (prim_dim_t i = 0; i < prim__md_nelems(&p->md); ++i) {
        prim_dims_t position;
        prim__position(position, p->md.ndims, p->md.dims, i);
        const double want = chain_at(p, pd, position);
        const double y = prim__load(got, p->dst_dt, prim__md_offset(&p->md, position));
        char rounded[8];
        prim__store(rounded, p->dst_dt, 0, want);
        // f32 rounds each step: half an ulp of intermediate values, which stay below 2¹⁰ here.
        const double slack = prim__dt_is_integer(p->dst_dt) ? 0 : 0x1p-13;
        if (fabs(y - prim__load(rounded, p->dst_dt, 0)) > slack) {
            fail_msg("%s: element %lld is %.9g, not %.9g", pd->impl->name, (long long)i, y, want);
        }
    }
    free(got);
}

static void run(problem_t *p, way_t way)
{
    const impl_t impl = {.name = names[way],
            .pd_size = sizeof(prim_desc_t),
            .primitive_size = sizeof(ocl_primitive_t),
            .init_pd = init_pd,
            .init = init,
            .execute = execute,
            .fini = prim__ocl_primitive_fini};
    const impl_t *const list[] = {&impl, NULL};
    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_ELTWISE;
    op.alg_kind = PRIM_ELTWISE_LINEAR;
    prim_memory_desc_t dst_md = p->md;
    dst_md.data_type = p->dst_dt;
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = p->md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = dst_md},
    };
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    prim_memory_t *const dst = random_memory(p->rig, &dst_md);
    p->old_dst = copy_of(dst);
    p->args[1] = (prim_arg_t){PRIM_ARG_DST, dst};
    if (prim__desc_create_from(&pd, list, p->rig->engine, NULL, &op, tensors, 2, p->attr) !=
                    PRIM_SUCCESS ||
            prim__primitive_create(&primitive, pd) != PRIM_SUCCESS ||
            prim_execute(primitive, p->rig->stream, p->nargs, p->args) != PRIM_SUCCESS ||
            prim_stream_wait(p->rig->stream) != PRIM_SUCCESS) {
        fail_msg("%s", prim_last_error());
    }
    compare(p, pd, dst);
    p->beside = prim__ocl_post_ops_beside_dst(pd);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_memory_destroy(dst);
    free(p->old_dst);
}

static problem_t begin(const ocl_rig_t *rig, const char *tag, prim_data_type_t dst_dt)
{
    problem_t p = {.rig = rig, .dst_dt = dst_dt, .nargs = 2};
    const prim_dims_t dims = {2, 18, 3, 5};
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&p.md, 4, dims, PRIM_F32, tag), PRIM_SUCCESS);
    assert_int_equal(prim_attr_create(&p.attr), PRIM_SUCCESS);
    p.args[0] = (prim_arg_t){PRIM_ARG_SRC, random_memory(rig, &p.md)};
    p.src = copy_of(p.args[0].memory);
    return p;
}

// Sets the chain, makes the operands' memories, and runs the chain in all ways.
static void finish(problem_t *p, prim_post_ops_t *chain)
{
    assert_int_equal(prim_attr_set_post_ops(p->attr, chain), PRIM_SUCCESS);
    prim_memory_desc_t dst_md = p->md;
    dst_md.data_type = p->dst_dt;
    assert_int_equal(prim__post_ops_resolve(chain, &dst_md), PRIM_SUCCESS); // prelu's operands
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const op = &chain->entries[i];
        static const int binary_args[] = {PRIM_ARG_SRC_1, PRIM_ARG_SRC_2};
        for (int k = 0; k < prim__post_op_noperands(op); ++k) {
            const int arg = op->kind == PRIM_BINARY ? binary_args[k] : PRIM_ARG_WEIGHTS;
            prim_memory_t *const memory = random_memory(p->rig, prim__post_op_operand_md(op, k));
            p->operands[i][k] = copy_of(memory);
            p->args[p->nargs++] = (prim_arg_t){PRIM_ARG_ATTR_MULTIPLE_POST_OP(i) | arg, memory};
        }
    }
    const bool has_vectors =
            p->md.strides[1] == 1 && p->dst_dt == PRIM_F32 && p->md.inner_nblks == 0;
    for (int way = 0; way < (has_vectors ? NWAYS : VECTOR); ++way) run(p, (way_t)way);
    for (int i = 0; i < p->nargs; ++i) {
        if (p->args[i].arg != PRIM_ARG_DST) prim_memory_destroy(p->args[i].memory);
    }
    for (int i = 0; i < PRIM_MAX_POST_OPS; ++i) {
        for (int k = 0; k < STEP_OPERANDS; ++k) free(p->operands[i][k]);
    }
    free(p->src);
    prim_attr_destroy(p->attr);
    prim_post_ops_destroy(chain);
}

static prim_post_ops_t *new_chain(void)
{
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    return chain;
}

static void add_binary(prim_post_ops_t *chain, prim_alg_kind_t alg, const char *tag, prim_dim_t n,
        prim_dim_t c, prim_dim_t h, prim_dim_t w, prim_data_type_t dt)
{
    prim_memory_desc_t md;
    const prim_dims_t dims = {n, c, h, w};
    assert_int_equal(prim_memory_desc_init_by_string_tag(&md, 4, dims, dt, tag), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_binary(chain, alg, &md), PRIM_SUCCESS);
}

// src1 is 1×18×1×1 of type `dt`, the condition n×c×h×w.
static void add_select(prim_post_ops_t *chain, prim_data_type_t dt, const char *tag, prim_dim_t n,
        prim_dim_t c, prim_dim_t h, prim_dim_t w)
{
    prim_memory_desc_t src1, condition;
    const prim_dims_t channels = {1, 18, 1, 1}, dims = {n, c, h, w};
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&src1, 4, channels, dt, "abcd"), PRIM_SUCCESS);
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&condition, 4, dims, PRIM_S8, tag), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_binary_v2(chain, PRIM_BINARY_SELECT, &src1, &condition),
            PRIM_SUCCESS);
}

static void add_eltwise(prim_post_ops_t *chain, prim_alg_kind_t alg, float alpha, float beta)
{
    assert_int_equal(prim_post_ops_append_eltwise(chain, alg, alpha, beta), PRIM_SUCCESS);
}

static void without_chain(void **state)
{
    problem_t p = begin(*state, "abcd", PRIM_F32);
    finish(&p, new_chain());
}

static void without_operands(void **state)
{
    problem_t p = begin(*state, "acdb", PRIM_F32);
    prim_post_ops_t *const chain = new_chain();
    add_eltwise(chain, PRIM_ELTWISE_RELU, 0.5f, 0.0f);
    assert_int_equal(prim_post_ops_append_sum(chain, 0.5f, 3, PRIM_DATA_TYPE_UNDEF), PRIM_SUCCESS);
    add_eltwise(chain, PRIM_ELTWISE_LINEAR, -1.5f, 0.25f);
    finish(&p, chain);
}

// dst is s8; the sum reads the same bytes as u8.
static void sum_with_its_own_type(void **state)
{
    problem_t p = begin(*state, "abcd", PRIM_S8);
    prim_post_ops_t *const chain = new_chain();
    assert_int_equal(prim_post_ops_append_sum(chain, 0.25f, -7, PRIM_U8), PRIM_SUCCESS);
    finish(&p, chain);
}

static void one_operand(void **state)
{
    static const prim_data_type_t dts[] = {
            PRIM_F32, PRIM_F16, PRIM_BF16, PRIM_S32, PRIM_S8, PRIM_U8};
    for (size_t i = 0; i < sizeof dts / sizeof dts[0]; ++i) {
        problem_t p = begin(*state, "abcd", PRIM_F32);
        prim_post_ops_t *const chain = new_chain();
        add_binary(chain, PRIM_BINARY_MUL, "abcd", 1, 18, 1, 1, dts[i]);
        finish(&p, chain);
    }
}

static void layouts_and_broadcasts(void **state)
{
    problem_t p = begin(*state, "aBcd16b", PRIM_F32);
    prim_post_ops_t *const chain = new_chain();
    add_binary(chain, PRIM_BINARY_ADD, "aBcd8b", 2, 18, 3, 5, PRIM_F32);
    add_binary(chain, PRIM_BINARY_SUB, "aBcd8b", 2, 1, 3, 5, PRIM_F16);
    add_binary(chain, PRIM_BINARY_MAX, "dcba", 1, 18, 1, 5, PRIM_BF16);
    assert_int_equal(prim_post_ops_append_prelu(chain, 2), PRIM_SUCCESS);
    finish(&p, chain);
}

static void vectors(void **state)
{
    problem_t p = begin(*state, "acdb", PRIM_F32);
    prim_post_ops_t *const chain = new_chain();
    add_binary(chain, PRIM_BINARY_ADD, "abcd", 1, 18, 1, 1, PRIM_F32);
    assert_int_equal(prim_post_ops_append_sum(chain, 0.5f, 1, PRIM_DATA_TYPE_UNDEF), PRIM_SUCCESS);
    add_binary(chain, PRIM_BINARY_GT, "abcd", 2, 1, 3, 5, PRIM_F16);
    add_eltwise(chain, PRIM_ELTWISE_TANH, 0.0f, 0.0f);
    assert_int_equal(prim_post_ops_append_prelu(chain, 15), PRIM_SUCCESS);
    finish(&p, chain);
}

static void vectors_with_steps(void **state)
{
    problem_t p = begin(*state, "acdb", PRIM_F32);
    prim_post_ops_t *const chain = new_chain();
    add_binary(chain, PRIM_BINARY_SUB, "acdb", 2, 18, 3, 5, PRIM_F16);
    assert_int_equal(prim_post_ops_append_sum(chain, 0.5f, 1, PRIM_DATA_TYPE_UNDEF), PRIM_SUCCESS);
    add_binary(chain, PRIM_BINARY_MUL, "acdb", 2, 1, 3, 5, PRIM_S8);
    add_binary(chain, PRIM_BINARY_MAX, "abcd", 1, 18, 3, 5, PRIM_F32);
    finish(&p, chain);
}

// Unrolled, and in a chain longer than that; conditions of several broadcasts and layouts.
static void selects(void **state)
{
    static const char *const tags[] = {"acdb", "aBcd16b"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        problem_t p = begin(*state, tags[i], PRIM_F32);
        prim_post_ops_t *chain = new_chain();
        add_binary(chain, PRIM_BINARY_ADD, "abcd", 2, 1, 3, 5, PRIM_F16);
        add_select(chain, PRIM_BF16, i == 1 ? "aBcd8b" : "abcd", 1, 18, 3, 1);
        add_binary(chain, PRIM_BINARY_MUL, "abcd", 1, 18, 1, 1, PRIM_F32);
        finish(&p, chain);
        p = begin(*state, tags[i], PRIM_F32);
        chain = new_chain();
        add_select(chain, PRIM_U8, "dcba", 2, 1, 1, 5);
        add_eltwise(chain, PRIM_ELTWISE_LINEAR, 2.0f, 1.0f);
        add_select(chain, PRIM_F32, "abcd", 2, 18, 3, 5);
        assert_int_equal(prim_post_ops_append_prelu(chain, 2), PRIM_SUCCESS);
        finish(&p, chain);
    }
}

// Steps and conditions together are as many as the table holds; with one more kernels decline.
static void many_selects(void **state)
{
    problem_t p = begin(*state, "abcd", PRIM_F32);
    prim_post_ops_t *chain = new_chain();
    for (int i = 0; i < PO_MAX_LEN / 2; ++i)
        add_select(chain, PRIM_F32, "abcd", 2, i % 2 ? 18 : 1, 3, 5);
    finish(&p, chain);

    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    chain = new_chain();
    for (int i = 0; i <= PO_MAX_LEN / 2; ++i) add_select(chain, PRIM_F32, "abcd", 2, 18, 3, 5);
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    prim_memory_desc_t md;
    const prim_dims_t dims = {2, 18, 3, 5};
    assert_int_equal(prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_F32, PRIM_abcd), PRIM_SUCCESS);
    const ocl_rig_t *const rig = *state;
    assert_int_equal(prim_eltwise_forward_desc_create(&pd, rig->engine, PRIM_FORWARD_INFERENCE,
                             PRIM_ELTWISE_RELU, &md, &md, 0, 0, attr),
            PRIM_UNIMPLEMENTED);
    assert_non_null(strstr(prim_last_error(), "conditions of their selects are 34"));
    prim_attr_destroy(attr);
    prim_post_ops_destroy(chain);
}

// Where an operand lies as dst does, and where it only seems so.
static void operands_beside_dst(void **state)
{
    static const struct {
        const char *tag; ///< of the operands; NULL: a sum
        int noperands;
        prim_data_type_t dt, dst_dt;
        int step;
    } cases[] = {
            {"acdb", 1, PRIM_BF16, PRIM_F16, 1},
            {NULL, 1, PRIM_DATA_TYPE_UNDEF, PRIM_F16, 1},
            {"abcd", 1, PRIM_F32, PRIM_F32, -1}, // another layout
            {"acdb", 1, PRIM_F16, PRIM_F32, -1}, // elements of another size
            {"acdb", 1, PRIM_S32, PRIM_F32, -1}, // no floats
            {"acdb", 2, PRIM_F32, PRIM_F32, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        problem_t p = begin(*state, "acdb", cases[i].dst_dt);
        prim_post_ops_t *const chain = new_chain();
        add_eltwise(chain, PRIM_ELTWISE_LINEAR, 0.5f, 1.0f);
        for (int k = 0; k < cases[i].noperands && cases[i].tag; ++k)
            add_binary(chain, PRIM_BINARY_SUB, cases[i].tag, 2, 18, 3, 5, cases[i].dt);
        if (!cases[i].tag)
            assert_int_equal(prim_post_ops_append_sum(chain, 0.5f, 0, cases[i].dt), PRIM_SUCCESS);
        finish(&p, chain);
        assert_int_equal(p.beside, cases[i].step);
    }
}

// Longer than what is unrolled, with more than four operands.
static void long_chain(void **state)
{
    problem_t p = begin(*state, "abcd", PRIM_F32);
    prim_post_ops_t *const chain = new_chain();
    for (int i = 0; i < PRIM_MAX_POST_OPS; ++i) {
        switch (i % 5) {
        case 0: add_binary(chain, PRIM_BINARY_ADD, "abcd", 1, 18, 3, 1, PRIM_F32); break;
        case 1: add_eltwise(chain, PRIM_ELTWISE_LINEAR, 0.5f, (float)i); break;
        case 2: add_binary(chain, PRIM_BINARY_MIN, "abcd", 2, 18, 3, 5, PRIM_S8); break;
        case 3: add_binary(chain, PRIM_BINARY_GT, "abcd", 1, 1, 1, 1, PRIM_F32); break;
        default: assert_int_equal(prim_post_ops_append_prelu(chain, 15), PRIM_SUCCESS);
        }
    }
    finish(&p, chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(without_chain),
            cmocka_unit_test(without_operands),
            cmocka_unit_test(sum_with_its_own_type),
            cmocka_unit_test(one_operand),
            cmocka_unit_test(layouts_and_broadcasts),
            cmocka_unit_test(vectors),
            cmocka_unit_test(vectors_with_steps),
            cmocka_unit_test(selects),
            cmocka_unit_test(many_selects),
            cmocka_unit_test(operands_beside_dst),
            cmocka_unit_test(long_chain),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
