// SPDX-License-Identifier: Apache-2.0
// Log lines: the columns, the benchdnn command of every operation, and the exec and create events.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/verbose.h"
#include "common/verbose_repro.h"
#include "fake_problem.h"

/// Gives `any` tensors the layout of the channels-last kind that many implementations like.
static prim_status_t init_pd(prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i) TRY(prim__md_set_row_major_if_any(&pd->tensors[i].md));
    return PRIM_SUCCESS;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    (void)primitive;
    (void)ctx;
    return PRIM_SUCCESS;
}

static const impl_t impl = {.name = "t:verbose:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute};
static const impl_t *const list[] = {&impl, NULL};

static prim_engine_t *engine;
static prim_attr_t *attr;

static int set_up(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    prim_attr_destroy(attr);
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
    prim_engine_destroy(engine);
    return 0;
}

static tensor_t in(int arg, const char *text)
{
    return (tensor_t){.arg = arg, .md = fake_md(text)};
}

static tensor_t out(int arg, const char *text)
{
    return (tensor_t){.arg = arg, .is_output = true, .md = fake_md(text)};
}

/// The column of the attributes, between those of the tensors and of the parameters.
static void expect_attr(
        const op_desc_t *op, const tensor_t *tensors, int ntensors, const char *expected)
{
    prim_desc_t *pd = NULL;
    char text[1024];
    assert_false(prim__desc_create_from(&pd, list, engine, NULL, op, tensors, ntensors, attr));
    prim__verbose_describe(pd, text, sizeof text);
    if (!strstr(text, expected)) fail_msg("\"%s\" is not in \"%s\"", expected, text);
    prim_desc_destroy(pd);
}

static void expect_repro(
        const op_desc_t *op, const tensor_t *tensors, int ntensors, const char *expected)
{
    prim_desc_t *pd = NULL;
    char text[512];
    assert_false(prim__desc_create_from(&pd, list, engine, NULL, op, tensors, ntensors, attr));
    prim__verbose_repro(pd, text, sizeof text);
    assert_string_equal(text, expected);
    // Cut anywhere, it stays a text.
    for (size_t bytes = 1; bytes < sizeof text; bytes += 7) {
        char cut[512];
        memset(cut, '#', sizeof cut);
        prim__verbose_repro(pd, cut, bytes);
        assert_true(strlen(cut) < bytes);
        assert_memory_equal(cut, text, strlen(cut));
    }
    prim_desc_destroy(pd);
}

static void convolution(void **state)
{
    (void)state;
    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_CONVOLUTION;
    op.prop_kind = PRIM_FORWARD_INFERENCE;
    op.alg_kind = PRIM_CONVOLUTION_DIRECT;
    for (int i = 0; i < 2; ++i) {
        op.u.spatial.strides[i] = i + 1;
        op.u.spatial.dilates[i] = i;
        op.u.spatial.pad_l[i] = 1;
        op.u.spatial.pad_r[i] = 1;
    }
    const tensor_t grouped[] = {in(PRIM_ARG_SRC, "u8:acdb:2x8x9x10"),
            in(PRIM_ARG_WEIGHTS, "s8:any:4x3x2x3x3"), in(PRIM_ARG_BIAS, "f32:a:12"),
            out(PRIM_ARG_DST, "f32:any:2x12x9x4")};
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32), 0);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 3, 0, NULL, PRIM_F32), 0);
    assert_int_equal(prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32), 0);
    expect_repro(&op, grouped, 4,
            "--conv --engine=cpu --dir=FWD_B --dt=u8:s8:f32 --bia-dt=f32 --stag=acdb --wtag=any "
            "--dtag=any --alg=direct --attr-scales=src:common:0.5:f32+wei:per_oc:f32 "
            "--attr-zero-points=src:common:1:s32 "
            "g4mb2ic8oc12_ih9oh9kh3sh1dh0ph1_iw10ow4kw3sw2dw1pw1");
}

static void convolution_with_strides(void **state)
{
    (void)state;
    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_CONVOLUTION;
    op.prop_kind = PRIM_FORWARD_TRAINING;
    op.alg_kind = PRIM_CONVOLUTION_AUTO;
    op.u.spatial.strides[0] = 1;
    tensor_t tensors[] = {in(PRIM_ARG_SRC, "f32:abc:1x2x5"), in(PRIM_ARG_WEIGHTS, "f32:abc:3x2x1"),
            out(PRIM_ARG_DST, "f32:any:1x3x5")};
    const prim_dims_t strides = {20, 10, 1};
    assert_int_equal(prim_memory_desc_init_by_strides(
                             &tensors[0].md, 3, tensors[0].md.dims, PRIM_F32, strides),
            PRIM_SUCCESS);
    expect_repro(&op, tensors, 3,
            "--conv --engine=cpu --dir=FWD_D --dt=f32:f32:f32 --stag=any --wtag=abc --dtag=any "
            "--strides=20x10x1:: --alg=auto mb1ic2oc3_iw5ow5kw1sw1dw0pw0");
}

static void matmul(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_MATMUL};
    const tensor_t tensors[] = {in(PRIM_ARG_SRC, "f16:abc:3xrx5"),
            in(PRIM_ARG_WEIGHTS, "s8:acb:1x5x7"), in(PRIM_ARG_BIAS, "f32:abc:1x1x7"),
            out(PRIM_ARG_DST, "f16:abc:3xrx7")};
    const prim_dim_t groups[] = {5, 1};
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 6, 2, groups, PRIM_F16), 0);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_DST, 4, 0, NULL, PRIM_F32), 0);
    assert_int_equal(prim_attr_set_fpmath_mode(attr, PRIM_FPMATH_F16, true), PRIM_SUCCESS);
    expect_repro(&op, tensors, 4,
            "--matmul --engine=cpu --dt=f16:s8:f16 --bia-dt=f32 --stag=abc --wtag=acb --dtag=abc "
            "--runtime_dims_masks=2:0 --bia_mask=4 "
            "--attr-scales=dst:per_oc:f32+wei:per_ocic:f16:5x1 --attr-fpmath=f16:true "
            "3x1x5:1x5x7");
}

static void inner_product(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = PRIM_FORWARD_INFERENCE};
    const tensor_t tensors[] = {in(PRIM_ARG_SRC, "f32:abcd:2x3x4x5"),
            in(PRIM_ARG_WEIGHTS, "f32:any:6x3x4x5"), out(PRIM_ARG_DST, "f32:ab:2x6")};
    expect_repro(&op, tensors, 3,
            "--ip --engine=cpu --dir=FWD_I --dt=f32:f32:f32 --stag=abcd --wtag=any --dtag=ab "
            "mb2ic3oc6ih4iw5");
}

static void pooling(void **state)
{
    (void)state;
    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_POOLING;
    op.prop_kind = PRIM_FORWARD_TRAINING;
    op.alg_kind = PRIM_POOLING_AVG_EXCLUDE_PADDING;
    for (int i = 0; i < 3; ++i) {
        op.u.spatial.strides[i] = 2;
        op.u.spatial.kernel[i] = i + 1;
    }
    const tensor_t tensors[] = {
            in(PRIM_ARG_SRC, "s8:aBcde16b:1x16x4x4x5"), out(PRIM_ARG_DST, "f32:any:1x16x2x2x2")};
    expect_repro(&op, tensors, 2,
            "--pool --engine=cpu --dir=FWD_D --dt=s8:f32 --tag=aBcde16b --alg=avg_np "
            "mb1ic16_id4od2kd1sd2dd0pd0_ih4oh2kh2sh2dh0ph0_iw5ow2kw3sw2dw0pw0");
}

static void eltwise(void **state)
{
    (void)state;
    op_desc_t op = {.kind = PRIM_ELTWISE,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD};
    op.u.eltwise.alpha = 0.1F;
    op.u.eltwise.beta = -2;
    const tensor_t tensors[] = {in(PRIM_ARG_SRC, "bf16:ba:3x4"), out(PRIM_ARG_DST, "bf16:any:3x4")};
    expect_repro(&op, tensors, 2,
            "--eltwise --engine=cpu --dir=FWD_I --dt=bf16 --tag=ba --alg=logistic_dst "
            "--alpha=0.100000001 --beta=-2 3x4");
}

static void binary(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_BINARY, .alg_kind = PRIM_BINARY_GE};
    const tensor_t tensors[] = {in(PRIM_ARG_SRC_0, "u8:acb:2x5x7"),
            in(PRIM_ARG_SRC_1, "f32:abc:1x5x1"), out(PRIM_ARG_DST, "s8:any:2x5x7")};
    const prim_memory_desc_t operand = fake_md("f32:acb:1x5x7"), flags = fake_md("s8:bac:2x5x1");
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_sum(chain, 0.25F, 3, PRIM_U8), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_CLIP, 0, 6), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_binary(chain, PRIM_BINARY_MUL, &operand), 0);
    assert_int_equal(prim_post_ops_append_prelu(chain, 2), PRIM_SUCCESS);
    assert_false(prim_post_ops_append_binary_v2(chain, PRIM_BINARY_SELECT, &operand, &flags));
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    prim_post_ops_destroy(chain);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC_0, 0, 0, NULL, PRIM_F32), 0);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_deterministic(attr, true), PRIM_SUCCESS);
    expect_repro(&op, tensors, 3,
            "--binary --engine=cpu --sdt=u8:f32 --ddt=s8 --stag=acb:abc --dtag=any --alg=ge "
            "--attr-scales=src0:common:0.5:f32 "
            "--attr-post-ops=sum:0.25:3:u8+clip:0:6+mul:f32:6:acb+prelu:per_dim_1+"
            "select:f32:6:acb:3:bac --attr-scratchpad=user --attr-deterministic=true 2x5x7:1x5x1");
    expect_attr(&op, tensors, 3,
            ",attr-scratchpad:user attr-deterministic:true attr-scales:src0:0:f32 "
            "attr-post-ops:sum:0.25:3:u8+eltwise_clip:0:6+binary_mul:f32:1x5x7:acb+prelu:2+"
            "binary_select:f32:1x5x7:acb:2x5x1:bac,");
}

static void softmax(void **state)
{
    (void)state;
    op_desc_t op = {.kind = PRIM_SOFTMAX,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_SOFTMAX_LOG};
    op.u.axis.axis = 1;
    tensor_t tensors[] = {in(PRIM_ARG_SRC, "f32:ab:5x30"), out(PRIM_ARG_DST, "u8:ab:5x30")};
    assert_int_equal(prim_attr_set_accumulation_mode(attr, PRIM_ACCUMULATION_RELAXED), 0);
    expect_repro(&op, tensors, 2,
            "--softmax --engine=cpu --dir=FWD_I --sdt=f32 --ddt=u8 --stag=ab --dtag=ab "
            "--alg=LOGSOFTMAX --axis=1 --attr-acc-mode=relaxed 5x30");
    // benchdnn has no strides here: the dense layout in the same order is the nearest.
    const prim_dims_t strides = {1, 9};
    assert_int_equal(prim_memory_desc_init_by_strides(
                             &tensors[0].md, 2, tensors[0].md.dims, PRIM_F32, strides),
            PRIM_SUCCESS);
    expect_repro(&op, tensors, 2,
            "--softmax --engine=cpu --dir=FWD_I --sdt=f32 --ddt=u8 --stag=ba --dtag=ab "
            "--alg=LOGSOFTMAX --axis=1 --attr-acc-mode=relaxed 5x30");
}

static void batch_normalization(void **state)
{
    (void)state;
    op_desc_t op = {.kind = PRIM_BATCH_NORMALIZATION, .prop_kind = PRIM_FORWARD_TRAINING};
    op.u.norm.epsilon = 0.0625F;
    op.u.norm.flags = PRIM_USE_GLOBAL_STATS | PRIM_USE_SHIFT | PRIM_FUSE_NORM_RELU;
    tensor_t tensors[] = {in(PRIM_ARG_SRC, "f32:abcd:2x3x4x5"), in(PRIM_ARG_MEAN, "f32:a:3"),
            in(PRIM_ARG_VARIANCE, "f32:a:3"), in(PRIM_ARG_SHIFT, "f32:a:3"),
            out(PRIM_ARG_DST, "f32:any:2x3x4x5")};
    expect_repro(&op, tensors, 5,
            "--bnorm --engine=cpu --dir=FWD_D --dt=f32 --tag=abcd --flags=GHR "
            "mb2ic3ih4iw5eps0.0625");
    const prim_dims_t strides = {100, 25, 6, 1};
    assert_int_equal(prim_memory_desc_init_by_strides(
                             &tensors[0].md, 4, tensors[0].md.dims, PRIM_F32, strides),
            PRIM_SUCCESS);
    expect_repro(&op, tensors, 5,
            "--bnorm --engine=cpu --dir=FWD_D --dt=f32 --tag=abcd --strides=100x25x6x1: "
            "--flags=GHR mb2ic3ih4iw5eps0.0625");
}

static void resampling(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_RESAMPLING,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_RESAMPLING_LINEAR};
    const tensor_t tensors[] = {
            in(PRIM_ARG_SRC, "f32:acdb:1x3x4x5"), out(PRIM_ARG_DST, "s8:any:1x3x8x15")};
    expect_repro(&op, tensors, 2,
            "--resampling --engine=cpu --dir=FWD_I --sdt=f32 --ddt=s8 --tag=acdb --alg=linear "
            "mb1ic3_ih4oh8_iw5ow15");
}

static void prelu(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_PRELU, .prop_kind = PRIM_FORWARD_TRAINING};
    const tensor_t tensors[] = {in(PRIM_ARG_SRC, "f32:acb:2x3x4"),
            in(PRIM_ARG_WEIGHTS, "bf16:any:1x3x1"), out(PRIM_ARG_DST, "f32:any:2x3x4")};
    expect_repro(&op, tensors, 3,
            "--prelu --engine=cpu --dir=FWD_D --sdt=f32:bf16 --stag=acb:any 2x3x4:1x3x1");
}

static void concat(void **state)
{
    (void)state;
    op_desc_t op = {.kind = PRIM_CONCAT};
    op.u.axis.axis = 1;
    const tensor_t tensors[] = {in(PRIM_ARG_MULTIPLE_SRC, "s8:ab:2x3"),
            in(PRIM_ARG_MULTIPLE_SRC + 1, "s8:ba:2x4"), out(PRIM_ARG_DST, "u8:ab:2x7")};
    assert_int_equal(
            prim_attr_set_scales(attr, PRIM_ARG_MULTIPLE_SRC + 1, 0, 0, NULL, PRIM_F32), 0);
    expect_repro(&op, tensors, 3,
            "--concat --engine=cpu --sdt=s8 --ddt=u8 --stag=ab:ba --dtag=ab --axis=1 "
            "--attr-scales=msrc1:common:0.5:f32 2x3:2x4");
    expect_attr(&op, tensors, 3, ",attr-scales:src1:0:f32,");
}

static void sum(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_SUM};
    tensor_t tensors[] = {in(PRIM_ARG_MULTIPLE_SRC, "f32:abc:2x3x4"),
            in(PRIM_ARG_MULTIPLE_SRC + 1, "bf16:acb:2x3x4"), out(PRIM_ARG_DST, "f32:abc:2x3x4")};
    tensors[0].scale = 0.5F, tensors[1].scale = -2;
    tensors[1].md.strides[0] = 0; // a broadcast
    expect_repro(&op, tensors, 3,
            "--sum --engine=cpu --sdt=f32:bf16 --ddt=f32 --stag=abc:acb-a --dtag=abc "
            "--scales=0.5:-2 2x3x4");
}

static void reorder(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_REORDER};
    const tensor_t tensors[] = {
            in(PRIM_ARG_FROM, "f32:abcd:2x13xrx5"), out(PRIM_ARG_TO, "s8:acdb:2x13xrx5")};
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 2, 0, NULL, PRIM_F32), 0);
    expect_repro(&op, tensors, 2,
            "--reorder --engine=cpu --sdt=f32 --ddt=s8 --stag=abcd --dtag=acdb "
            "--attr-scales=src:per_dim_1:f32 --runtime-dim-mask=4 2x13x1x5");
}

static void reorder_between_engines(void **state)
{
    (void)state;
    prim_engine_t peer;
    fake_foreign_engine(&peer);
    const op_desc_t op = {.kind = PRIM_REORDER};
    tensor_t tensors[] = {in(PRIM_ARG_FROM, "f32:ab:2x3"), out(PRIM_ARG_TO, "f32:ba:2x3")};
    tensors[0].is_on_peer = true;
    prim_desc_t *pd = NULL;
    char text[256];
    assert_int_equal(
            prim__desc_create_from(&pd, list, engine, &peer, &op, tensors, 2, NULL), PRIM_SUCCESS);
    prim__verbose_repro(pd, text, sizeof text);
    assert_string_equal(text, "--reorder --engine=cpu --sdt=f32 --ddt=f32 --stag=ab --dtag=ba "
                              "--cross-engine=cpu2gpu 2x3");
    prim_desc_destroy(pd);
}

static void columns(void **state)
{
    (void)state;
    op_desc_t op = {.kind = PRIM_SOFTMAX,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_SOFTMAX_ACCURATE};
    op.u.axis.axis = 1;
    const tensor_t tensors[] = {
            in(PRIM_ARG_SRC, "f32:aBc8b:2x5x3"), out(PRIM_ARG_DST, "f32:any:2x5x3")};
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32), 0);
    prim_desc_t *pd = NULL;
    char text[512];
    assert_int_equal(
            prim__desc_create_from(&pd, list, engine, NULL, &op, tensors, 2, attr), PRIM_SUCCESS);
    prim__verbose_describe(pd, text, sizeof text);
    assert_string_equal(text,
            "cpu,softmax,t:verbose:any,forward_inference,"
            "src_f32:p:blocked:aBc8b::f0 dst_f32:a:blocked:abc::f0,"
            "attr-scales:dst:0:f32,alg:softmax_accurate axis:1,"
            "--softmax --engine=cpu --dir=FWD_I --sdt=f32 --ddt=f32 --stag=aBc8b --dtag=any "
            "--alg=SOFTMAX --axis=1 --attr-scales=dst:common:0.5:f32 2x5x3");
    prim_desc_destroy(pd);
}

enum { MAX_LINES = 8, LINE_BYTES = 512 };
static char lines[MAX_LINES][LINE_BYTES];
static int nlines;

static void keep_line(void *user, const char *line)
{
    (void)user;
    if (nlines < MAX_LINES) (void)snprintf(lines[nlines++], LINE_BYTES, "%s", line);
}

static void expect_line(int i, const char *start)
{
    assert_true(i < nlines);
    assert_memory_equal(lines[i], start, strlen(start));
    // The time stands last.
    double ms = -1;
    assert_int_equal(sscanf(strrchr(lines[i], ',') + 1, "%lf", &ms), 1);
    assert_true(ms >= 0 && ms < 60e3);
}

static void creation_and_execution_are_logged(void **state)
{
    (void)state;
    const fake_problem_t problem = fake_problem(4);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, NULL);
    prim_memory_t *const memory = fake_memory(prim__pd_md(pd, PRIM_ARG_SRC), engine);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    prim_stream_t *stream = NULL;
    prim_t *first = NULL, *second = NULL;
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);

    nlines = 0;
    assert_int_equal(prim_set_log_callback(keep_line, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("profile"), PRIM_SUCCESS);
    assert_int_equal(prim_create(&first, pd), PRIM_SUCCESS);
    assert_int_equal(prim_create(&second, pd), PRIM_SUCCESS);
    assert_int_equal(prim_execute(first, stream, 2, args), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("none"), PRIM_SUCCESS);
    assert_int_equal(prim_execute(first, stream, 2, args), PRIM_SUCCESS);
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);

    assert_int_equal(nlines, 3);
    expect_line(0, "prim_verbose,v1,primitive,create:cache_miss,cpu,eltwise,t:verbose:any,");
    expect_line(1, "prim_verbose,v1,primitive,create:cache_hit,cpu,eltwise,t:verbose:any,");
    expect_line(2,
            "prim_verbose,v1,primitive,exec,cpu,eltwise,t:verbose:any,forward_inference,"
            "src_f32::blocked:a::f0 dst_f32:a:blocked:a::f0,,alg:eltwise_relu alpha:0 beta:0,"
            "--eltwise --engine=cpu --dir=FWD_I --dt=f32 --tag=a --alg=relu --alpha=0 --beta=0 4,");
    prim_destroy(first);
    prim_destroy(second);
    prim_stream_destroy(stream);
    prim_memory_destroy(memory);
    prim_desc_destroy(pd);
}

static void executions_log_the_shapes_they_had(void **state)
{
    (void)state;
    const op_desc_t op = {.kind = PRIM_MATMUL};
    const tensor_t tensors[] = {in(PRIM_ARG_SRC, "f32:ab:rxr"), in(PRIM_ARG_WEIGHTS, "f32:ba:rx7"),
            out(PRIM_ARG_DST, "f32:ab:rx7")};
    const prim_memory_desc_t mds[] = {
            fake_md("f32:ab:3x5"), fake_md("f32:ba:5x7"), fake_md("f32:ab:3x7")};
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    prim_stream_t *stream = NULL;
    prim_arg_t args[3];
    assert_int_equal(
            prim__desc_create_from(&pd, list, engine, NULL, &op, tensors, 3, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    for (int i = 0; i < 3; ++i)
        args[i] = (prim_arg_t){tensors[i].arg, fake_memory(&mds[i], engine)};

    nlines = 0;
    assert_int_equal(prim_set_log_callback(keep_line, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("profile_exec"), PRIM_SUCCESS);
    assert_int_equal(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("none"), PRIM_SUCCESS);
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
    assert_int_equal(nlines, 1);
    assert_non_null(
            strstr(lines[0], "--matmul --engine=cpu --dt=f32:f32:f32 --stag=ab --wtag=ba --dtag=ab "
                             "--runtime_dims_masks=3:1 3x5:5x7,"));

    for (int i = 0; i < 3; ++i) prim_memory_destroy(args[i].memory);
    prim_stream_destroy(stream);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(convolution),
            TEST(convolution_with_strides),
            TEST(matmul),
            TEST(inner_product),
            TEST(pooling),
            TEST(eltwise),
            TEST(binary),
            TEST(softmax),
            TEST(batch_normalization),
            TEST(resampling),
            TEST(prelu),
            TEST(concat),
            TEST(sum),
            TEST(reorder),
            TEST(reorder_between_engines),
            TEST(columns),
            TEST(creation_and_execution_are_logged),
            TEST(executions_log_the_shapes_they_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
