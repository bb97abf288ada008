// SPDX-License-Identifier: Apache-2.0
// Names of values, as oneDNN's log spells them.
#include "dnnl_bridge.h"

#include "dnnl_tags.h"
#include "oneapi/dnnl/dnnl_debug.h"

typedef struct {
    int value;
    const char *name;
} name_t;

/// The tables end with the name of all other values.
static const char *find(const name_t *names, int value)
{
    while (names->value != value && names->value != -1) ++names;
    return names->name;
}

const char *dnnl_status2str(dnnl_status_t v)
{
    return prim_status_name(v);
}

const char *dnnl_dt2str(dnnl_data_type_t v)
{
    return prim_data_type_name(v);
}

const char *dnnl_fmt_tag2str(dnnl_format_tag_t v)
{
    return bridge_tag_name(v);
}

const char *dnnl_prop_kind2str(dnnl_prop_kind_t v)
{
    return prim_prop_kind_name(v);
}

const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v)
{
    return prim_primitive_kind_name(v);
}

const char *dnnl_alg_kind2str(dnnl_alg_kind_t v)
{
    return prim_alg_kind_name(v);
}

const char *dnnl_engine_kind2str(dnnl_engine_kind_t v)
{
    return prim_engine_kind_name(v);
}

const char *dnnl_fmt_kind2str(dnnl_format_kind_t v)
{
    static const name_t names[] = {{dnnl_format_kind_undef, "undef"}, {dnnl_format_kind_any, "any"},
            {dnnl_blocked, "blocked"}, {dnnl_format_kind_opaque, "opaque"},
            {dnnl_format_kind_sparse, "sparse"}, {dnnl_format_kind_host_scalar, "host_scalar"},
            {-1, "unknown fmt_kind"}};
    return find(names, (int)v);
}

const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v)
{
    static const name_t names[] = {{dnnl_fpmath_mode_strict, "strict"},
            {dnnl_fpmath_mode_bf16, "bf16"}, {dnnl_fpmath_mode_f16, "f16"},
            {dnnl_fpmath_mode_any, "any"}, {dnnl_fpmath_mode_tf32, "tf32"},
            {-1, "unknown fpmath_mode"}};
    return find(names, (int)v);
}

const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v)
{
    static const name_t names[] = {{dnnl_accumulation_mode_strict, "strict"},
            {dnnl_accumulation_mode_relaxed, "relaxed"}, {dnnl_accumulation_mode_any, "any"},
            {dnnl_accumulation_mode_s32, "s32"}, {dnnl_accumulation_mode_f32, "f32"},
            {dnnl_accumulation_mode_f16, "f16"}, {-1, "unknown accumulation_mode"}};
    return find(names, (int)v);
}

const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v)
{
    static const name_t names[] = {{dnnl_scratchpad_mode_library, "library"},
            {dnnl_scratchpad_mode_user, "user"}, {-1, "unknown scratchpad_mode"}};
    return find(names, (int)v);
}

const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v)
{
    static const name_t names[] = {{dnnl_rounding_mode_environment, "environment"},
            {dnnl_rounding_mode_stochastic, "stochastic"}, {-1, "unknown rounding_mode"}};
    return find(names, (int)v);
}

const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v)
{
    static const name_t names[] = {{dnnl_quantization_mode_undef, "undef"},
            {dnnl_quantization_mode_static_sazp, "static_sazp"},
            {dnnl_quantization_mode_dynamic_mx, "dynamic_mx"},
            {dnnl_quantization_mode_dynamic_fp, "dynamic_fp"}, {-1, "unknown quantization_mode"}};
    return find(names, (int)v);
}

const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v)
{
    static const name_t names[] = {{dnnl_sparse_encoding_undef, "undef"}, {dnnl_csr, "csr"},
            {dnnl_packed, "packed"}, {dnnl_coo, "coo"}, {-1, "unknown sparse_encoding"}};
    return find(names, (int)v);
}

const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v)
{
    static const name_t names[] = {{dnnl_rnn_flags_undef, "undef"},
            {dnnl_rnn_flags_diff_weights_overwrite, "rnn_flags_diff_weights_overwrite"},
            {-1, "unknown rnn_flags"}};
    return find(names, (int)v);
}

const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v)
{
    static const name_t names[] = {{dnnl_rnn_direction_undef, "undef"},
            {dnnl_unidirectional_left2right, "unidirectional_left2right"},
            {dnnl_unidirectional_right2left, "unidirectional_right2left"},
            {dnnl_bidirectional_concat, "bidirectional_concat"},
            {dnnl_bidirectional_sum, "bidirectional_sum"}, {-1, "unknown rnn_direction"}};
    return find(names, (int)v);
}

const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v)
{
    static const name_t names[] = {{dnnl_cpu_isa_default, "cpu_isa_default"},
            {dnnl_cpu_isa_sse41, "cpu_isa_sse41"}, {dnnl_cpu_isa_avx, "cpu_isa_avx"},
            {dnnl_cpu_isa_avx2, "cpu_isa_avx2"}, {dnnl_cpu_isa_avx2_vnni, "cpu_isa_avx2_vnni"},
            {dnnl_cpu_isa_avx2_vnni_2, "cpu_isa_avx2_vnni_2"},
            {dnnl_cpu_isa_avx512_core, "cpu_isa_avx512_core"},
            {dnnl_cpu_isa_avx512_core_vnni, "cpu_isa_avx512_core_vnni"},
            {dnnl_cpu_isa_avx512_core_bf16, "cpu_isa_avx512_core_bf16"},
            {dnnl_cpu_isa_avx10_1_512, "cpu_isa_avx10_1_512"},
            {dnnl_cpu_isa_avx10_1_512_amx, "cpu_isa_avx10_1_512_amx"},
            {dnnl_cpu_isa_avx10_1_512_amx_fp16, "cpu_isa_avx10_1_512_amx_fp16"},
            {dnnl_cpu_isa_avx10_2, "cpu_isa_avx10_2"},
            {dnnl_cpu_isa_avx10_2_amx_2, "cpu_isa_avx10_2_amx_2"}, {-1, "unknown cpu_isa"}};
    return find(names, (int)v);
}

const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v)
{
    static const name_t names[] = {{dnnl_cpu_isa_no_hints, "cpu_isa_no_hints"},
            {dnnl_cpu_isa_prefer_ymm, "cpu_isa_prefer_ymm"}, {-1, "unknown cpu_isa_hints"}};
    return find(names, (int)v);
}

const char *dnnl_runtime2str(unsigned v)
{
    static const name_t names[] = {{DNNL_RUNTIME_NONE, "none"}, {DNNL_RUNTIME_SEQ, "sequential"},
            {DNNL_RUNTIME_OMP, "OpenMP"}, {DNNL_RUNTIME_TBB, "TBB"},
            {DNNL_RUNTIME_THREADPOOL, "threadpool"}, {DNNL_RUNTIME_OCL, "OpenCL"},
            {DNNL_RUNTIME_SYCL, "SYCL"}, {-1, "unknown"}};
    return find(names, (int)v);
}
