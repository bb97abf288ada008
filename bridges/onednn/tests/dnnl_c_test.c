// SPDX-License-Identifier: Apache-2.0
// A C program on oneDNN's C functions: statuses, out-parameters that a failure leaves alone, what
// is optional, names, settings, and what Prim lacks, with its sentence in Prim's log.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DNNL_EXPERIMENTAL_PROFILING
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "prim/prim.h"

// Exported without standing in a header.
dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *md, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag);
dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t md, dnnl_data_type_t data_type);

static const dnnl_dims_t matrix = {3, 4};

static dnnl_memory_desc_t make_md(int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    assert_int_equal(
            dnnl_memory_desc_create_with_tag(&md, ndims, dims, dnnl_f32, tag), dnnl_success);
    return md;
}

static void version(void **state)
{
    (void)state;
    const dnnl_version_t *const version = dnnl_version();
    assert_int_equal(version->major, DNNL_VERSION_MAJOR);
    assert_int_equal(version->minor, DNNL_VERSION_MINOR);
    assert_int_equal(version->cpu_runtime, DNNL_CPU_RUNTIME);
    assert_int_equal(version->gpu_runtime, DNNL_GPU_RUNTIME);
    assert_memory_equal(version->hash, "prim-", 5);
}

static void settings(void **state)
{
    (void)state;
    int capacity = 0;
    assert_int_equal(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
    assert_int_equal(capacity, 1024);
    assert_int_equal(dnnl_set_primitive_cache_capacity(7), dnnl_success);
    assert_int_equal(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
    assert_int_equal(capacity, 7);
    assert_int_equal(dnnl_set_primitive_cache_capacity(-1), dnnl_invalid_arguments);
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_any;
    assert_int_equal(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_bf16), dnnl_success);
    assert_int_equal(dnnl_get_default_fpmath_mode(&mode), dnnl_success);
    assert_int_equal(mode, dnnl_fpmath_mode_bf16);
    assert_int_equal(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict), dnnl_success);
    assert_int_equal(dnnl_set_verbose(3), dnnl_invalid_arguments);
    assert_int_equal(dnnl_set_verbose(0), dnnl_success);

    assert_int_equal(dnnl_set_jit_dump(0), dnnl_success);
    assert_int_equal(dnnl_set_jit_dump(1), dnnl_unimplemented);
    assert_int_equal(dnnl_set_max_cpu_isa(dnnl_cpu_isa_default), dnnl_success);
    assert_int_equal(dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41), dnnl_unimplemented);
    assert_int_equal(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints), dnnl_success);
    assert_int_equal(dnnl_get_cpu_isa_hints(), dnnl_cpu_isa_no_hints);
    const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    assert_true(isa == dnnl_cpu_isa_default || isa == dnnl_cpu_isa_avx2 ||
                isa == dnnl_cpu_isa_avx512_core || isa == dnnl_cpu_isa_avx512_core_vnni ||
                isa == dnnl_cpu_isa_avx512_core_bf16 || isa == dnnl_cpu_isa_avx10_1_512_amx);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(dnnl_status2str(dnnl_unimplemented), "unimplemented");
    assert_string_equal(dnnl_dt2str(dnnl_bf16), "bf16");
    assert_string_equal(dnnl_fmt_tag2str(dnnl_nhwc), "acdb");
    assert_string_equal(dnnl_fmt_tag2str(dnnl_ABcd4b16a4b), "ABcd4b16a4b");
    assert_string_equal(dnnl_fmt_tag2str(dnnl_format_tag_any), "any");
    assert_string_equal(dnnl_fmt_tag2str(dnnl_format_tag_last), "undef");
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; ++tag)
        assert_string_not_equal(dnnl_fmt_tag2str((dnnl_format_tag_t)tag), "undef");
    assert_string_equal(dnnl_prop_kind2str(dnnl_forward_inference), "forward_inference");
    assert_string_equal(dnnl_prim_kind2str(dnnl_inner_product), "inner_product");
    assert_string_equal(dnnl_alg_kind2str(dnnl_eltwise_gelu_erf), "eltwise_gelu_erf");
    assert_string_equal(dnnl_engine_kind2str(dnnl_gpu), "gpu");
    assert_string_equal(dnnl_fmt_kind2str(dnnl_blocked), "blocked");
    assert_string_equal(dnnl_fpmath_mode2str(dnnl_fpmath_mode_tf32), "tf32");
    assert_string_equal(dnnl_accumulation_mode2str(dnnl_accumulation_mode_f16), "f16");
    assert_string_equal(dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_user), "user");
    assert_string_equal(dnnl_rounding_mode2str(dnnl_rounding_mode_stochastic), "stochastic");
    assert_string_equal(
            dnnl_quantization_mode2str(dnnl_quantization_mode_dynamic_mx), "dynamic_mx");
    assert_string_equal(dnnl_sparse_encoding2str(dnnl_coo), "coo");
    assert_string_equal(dnnl_rnn_direction2str(dnnl_bidirectional_sum), "bidirectional_sum");
    assert_string_equal(dnnl_rnn_flags2str(dnnl_rnn_flags_undef), "undef");
    assert_string_equal(dnnl_cpu_isa2str(dnnl_cpu_isa_avx2), "cpu_isa_avx2");
    assert_string_equal(dnnl_cpu_isa_hints2str(dnnl_cpu_isa_prefer_ymm), "cpu_isa_prefer_ymm");
    assert_string_equal(dnnl_runtime2str(DNNL_RUNTIME_OCL), "OpenCL");
    assert_string_equal(dnnl_runtime2str(77), "unknown");
}

static void descriptors(void **state)
{
    (void)state;
    dnnl_memory_desc_t md = make_md(2, matrix, dnnl_ba), named = NULL, other = NULL;
    assert_int_equal(dnnl_memory_desc_create_with_string_tag(&named, 2, matrix, dnnl_f32, "ba"),
            dnnl_success);
    assert_true(dnnl_memory_desc_equal(md, named));
    assert_int_equal(dnnl_memory_desc_set_data_type(named, dnnl_f16), dnnl_success);
    assert_false(dnnl_memory_desc_equal(md, named));
    assert_int_equal(dnnl_memory_desc_get_size(named), 24);
    assert_int_equal(dnnl_memory_desc_get_size_v2(named, 1), 0);

    const dnnl_dims_t *strides = NULL;
    int32_t number = -1;
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_strides, &strides), dnnl_success);
    assert_int_equal((*strides)[1], 3);
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &number), dnnl_success);
    assert_int_equal(number, 1);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_nnz_s64, &number), dnnl_unimplemented);
    assert_int_equal(
            dnnl_memory_desc_query(NULL, dnnl_query_ndims_s32, &number), dnnl_invalid_arguments);
    dnnl_memory_desc_t any = make_md(2, matrix, dnnl_format_tag_any);
    assert_int_equal(
            dnnl_memory_desc_query(any, dnnl_query_strides, &strides), dnnl_invalid_arguments);

    // Failures leave the out-parameter as it was.
    assert_int_equal(dnnl_memory_desc_create_with_tag(&other, 2, matrix, dnnl_f32, dnnl_abc),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_clone(&other, NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_with_packed_encoding(&other, 2, matrix, dnnl_f32, 3),
            dnnl_unimplemented);
    assert_null(other);
    assert_int_equal(dnnl_memory_desc_destroy(md), dnnl_success);
    assert_int_equal(dnnl_memory_desc_destroy(named), dnnl_success);
    assert_int_equal(dnnl_memory_desc_destroy(any), dnnl_success);
    assert_int_equal(dnnl_memory_desc_destroy(NULL), dnnl_success);
}

static void post_op_parameters_may_be_left_out(void **state)
{
    (void)state;
    dnnl_post_ops_t chain = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_memory_desc_t md = make_md(2, matrix, dnnl_ab);
    const_dnnl_memory_desc_t src1 = NULL, src2 = NULL;
    assert_int_equal(dnnl_post_ops_create(&chain), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_sum(chain, 1.f, 0, dnnl_data_type_undef), dnnl_success);
    assert_int_equal(
            dnnl_post_ops_append_binary_v2(chain, dnnl_binary_mul, md, NULL), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_binary_v2(chain, dnnl_binary_select, md, md),
            dnnl_invalid_arguments); // a condition is s8
    assert_int_equal(dnnl_post_ops_get_params_sum(chain, 0, NULL, NULL, NULL), dnnl_success);
    assert_int_equal(
            dnnl_post_ops_get_params_binary_v2(chain, 1, NULL, &src1, &src2), dnnl_success);
    assert_true(dnnl_memory_desc_equal(src1, md));
    assert_int_equal(dnnl_memory_desc_get_size(src2), 0);
    dnnl_data_type_t bias_type = dnnl_f32;
    dnnl_dim_t stride = 0;
    assert_int_equal(
            dnnl_post_ops_append_dw(chain, dnnl_f32, dnnl_bf16, dnnl_f32, 3, 2, 1), dnnl_success);
    assert_int_equal(
            dnnl_post_ops_get_params_dw(chain, 2, NULL, &bias_type, NULL, NULL, &stride, NULL),
            dnnl_success);
    assert_true(bias_type == dnnl_bf16 && stride == 2);
    assert_int_equal(dnnl_post_ops_len(chain), 3);
    dnnl_memory_desc_t condition = NULL;
    assert_int_equal(dnnl_memory_desc_create_with_tag(&condition, 2, matrix, dnnl_s8, dnnl_ab),
            dnnl_success);
    assert_int_equal(
            dnnl_post_ops_append_binary_v2(chain, dnnl_binary_select, md, condition), dnnl_success);
    assert_int_equal(
            dnnl_post_ops_get_params_binary_v2(chain, 3, NULL, &src1, &src2), dnnl_success);
    assert_true(dnnl_memory_desc_equal(src1, md) && dnnl_memory_desc_equal(src2, condition));
    dnnl_memory_desc_destroy(condition);

    const float one = 1.f, two = 2.f;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, 0, &one), dnnl_success);
    assert_int_equal(
            dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, 0, &two), dnnl_unimplemented);
    assert_int_equal(dnnl_primitive_attr_set_dropout(attr, NULL), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_dropout(attr, md), dnnl_unimplemented);
    assert_int_equal(dnnl_primitive_attr_get_dropout(attr, &src2), dnnl_success);
    assert_int_equal(dnnl_memory_desc_get_size(src2), 0);
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(chain);
    dnnl_memory_desc_destroy(md);
}

/// relu of 3×4 in `memory` seen as 4×3 and 12×1: oneDNN takes any memory that holds the bytes.
static void memories_of_other_shapes(void **state)
{
    (void)state;
    dnnl_engine_t cpu = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t relu = NULL;
    dnnl_memory_t src = NULL, dst = NULL;
    float in[12], out[12] = {0};
    for (int i = 0; i < 12; ++i) in[i] = (float)(i - 6);
    dnnl_memory_desc_t md = make_md(2, matrix, dnnl_ab);
    dnnl_memory_desc_t turned = make_md(2, (const dnnl_dims_t){4, 3}, dnnl_ab);
    dnnl_memory_desc_t column = make_md(2, (const dnnl_dims_t){12, 1}, dnnl_ab);
    assert_int_equal(dnnl_engine_create(&cpu, dnnl_cpu, 0), dnnl_success);
    assert_int_equal(dnnl_stream_create(&stream, cpu, dnnl_stream_in_order), dnnl_success);
    assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(&pd, cpu, dnnl_forward_inference,
                             dnnl_eltwise_relu, md, md, 0.f, 0.f, NULL),
            dnnl_success);
    assert_int_equal(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 1);
    assert_int_equal(dnnl_primitive_create(&relu, pd), dnnl_success);
    assert_int_equal(dnnl_memory_create(&src, turned, cpu, in), dnnl_success);
    assert_int_equal(dnnl_memory_create_v2(&dst, column, cpu, 1, (void *[]){out}), dnnl_success);
    // An argument without a memory is as if it were not there.
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_BIAS, NULL}};
    assert_int_equal(dnnl_primitive_execute(relu, stream, 3, args), dnnl_success);
    assert_int_equal(dnnl_stream_wait(stream), dnnl_success);
    for (int i = 0; i < 12; ++i)
        assert_true(out[i] >= (i < 6 ? 0.f : in[i]) && out[i] <= (i < 6 ? 0.f : in[i]));
    assert_int_equal(dnnl_primitive_execute(relu, stream, 1, args), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(relu, stream, 2, NULL), dnnl_invalid_arguments);

    dnnl_memory_destroy(src);
    dnnl_memory_destroy(dst);
    dnnl_primitive_destroy(relu);
    dnnl_primitive_desc_destroy(pd);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(cpu);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(turned);
    dnnl_memory_desc_destroy(column);
}

static void profiles(void **state)
{
    (void)state;
    dnnl_engine_t cpu = NULL;
    dnnl_stream_t stream = NULL;
    int count = -1;
    assert_int_equal(dnnl_engine_create(&cpu, dnnl_cpu, 0), dnnl_success);
    assert_int_equal(dnnl_stream_create(&stream, cpu, dnnl_stream_in_order | dnnl_stream_profiling),
            dnnl_success);
    assert_int_equal(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, NULL),
            dnnl_success);
    assert_int_equal(count, 0);
    assert_int_equal(
            dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_undef, &count, NULL),
            dnnl_unimplemented);
    assert_int_equal(dnnl_reset_profiling(stream), dnnl_success);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(cpu);
}

static char last_line[512];

static void keep_line(void *user, const char *line)
{
    (void)user;
    (void)snprintf(last_line, sizeof last_line, "%s", line);
}

static void what_prim_lacks_is_in_its_log(void **state)
{
    (void)state;
    assert_int_equal(prim_set_log_callback(keep_line, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("check"), PRIM_SUCCESS);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_engine_t cpu = NULL;
    assert_int_equal(dnnl_engine_create(&cpu, dnnl_cpu, 0), dnnl_success);
    assert_int_equal(dnnl_lstm_backward_primitive_desc_create(&pd, cpu, dnnl_backward,
                             dnnl_unidirectional_left2right, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL, 0, NULL, NULL),
            dnnl_unimplemented);
    assert_null(pd);
    assert_non_null(
            strstr(last_line, "check,unimplemented,dnnl_lstm_backward_primitive_desc_create:"
                              " Prim has no recurrent primitives"));
    assert_string_equal(prim_last_error(), strstr(last_line, "dnnl_lstm"));
    dnnl_memory_desc_t md = make_md(2, matrix, dnnl_ab);
    assert_int_equal(dnnl_layer_normalization_forward_primitive_desc_create(&pd, cpu,
                             dnnl_forward_inference, md, md, NULL, 1e-5f, dnnl_rms_norm, NULL),
            dnnl_unimplemented);
    assert_non_null(strstr(last_line, "RMS normalisation"));
    dnnl_memory_desc_destroy(md);
    dnnl_engine_destroy(cpu);
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(version),
            cmocka_unit_test(settings),
            cmocka_unit_test(names),
            cmocka_unit_test(descriptors),
            cmocka_unit_test(post_op_parameters_may_be_left_out),
            cmocka_unit_test(memories_of_other_shapes),
            cmocka_unit_test(profiles),
            cmocka_unit_test(what_prim_lacks_is_in_its_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
