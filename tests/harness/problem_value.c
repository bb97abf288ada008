// SPDX-License-Identifier: Apache-2.0
// Problems of eltwise, binary, softmax, layer normalisation and prelu.
#include "problem_gen.h"

#include <stdio.h>
#include <string.h>

static const char *const gpu_types[] = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};
static const char *const cpu_types[] = {
        "f32", "f32", "bf16", "f16", "s32", "s8", "u8", "f64", "f8_e5m2", "f8_e4m3"};

static const char *type_of(draw_t *d)
{
    return d->is_gpu ? PICK(d, gpu_types) : PICK(d, cpu_types);
}

void family_eltwise(draw_t *d)
{
    static const char *const algs[] = {"relu", "tanh", "elu", "square", "abs", "sqrt", "linear",
            "soft_relu", "hardsigmoid", "logistic", "exp", "gelu_tanh", "swish", "log", "clip",
            "clip_v2", "pow", "gelu_erf", "mish", "hardswish", "round", "relu_dst", "tanh_dst",
            "elu_dst", "sqrt_dst", "logistic_dst", "exp_dst", "clip_v2_dst"};
    static const char *const integer_algs[] = {"relu", "linear", "clip"};
    const char *const type = type_of(d);
    const char *alg = is_integer_type(type) ? PICK(d, integer_algs) : PICK(d, algs);
    if (strcmp(alg, "round") == 0 && strcmp(type, "f32") != 0) alg = "abs";
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "dt", type);
    set(d, "alg", alg);
    put(d, " --alpha=%s", once_in(d, 3) ? "0.5" : "0.25");
    put(d, " --beta=%s", once_in(d, 3) ? "2" : "1");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    set(d, "tag", layout(d, ndims));
    set(d, "inplace", once_in(d, 2) ? "true" : "false");
    draw_chain(d, CHAIN_BINARY | CHAIN_ORDER, type, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_binary(draw_t *d)
{
    static const char *const algs[] = {
            "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne", "select"};
    static const quant_choice_t scales[] = {
            {"src0", {"common"}}, {"src1", {"common"}}, {NULL, {NULL}}};
    const char *const first = type_of(d), *const alg = PICK(d, algs);
    const char *const second = once_in(d, 2) ? first : type_of(d);
    const char *const ddt = once_in(d, 2) ? first : type_of(d);
    put(d, " --sdt=%s:%s", first, second);
    note(d, "src0=%s", first);
    note(d, "src1=%s", second);
    set(d, "ddt", ddt);
    set(d, "alg", alg);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims), *const other = once_in(d, 2) ? tag : layout(d, ndims);
    put(d, " --stag=%s:%s", tag, other);
    note(d, "src0-tag=%s", tag);
    note(d, "src1-tag=%s", other);
    if (once_in(d, 3)) set(d, "dtag", layout(d, ndims));
    const bool is_inplace = strcmp(ddt, first) == 0 && !strstr(d->line, "dtag") && once_in(d, 3);
    if (is_inplace) set(d, "inplace", "true");
    if (once_in(d, 3)) draw_scales(d, scales);
    // In place, dst is src0 before the operation: there are not two values to draw.
    const unsigned sum = is_inplace ? 0 : CHAIN_SUM;
    draw_chain(d, CHAIN_ELTWISE | CHAIN_BINARY | CHAIN_ORDER | sum, ddt, ndims);
    int full[PRIM_MAX_NDIMS];
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

void family_softmax(draw_t *d)
{
    static const quant_choice_t scales[] = {
            {"src", {"common"}}, {"dst", {"common"}}, {NULL, {NULL}}};
    const char *const type = type_of(d), *const ddt = once_in(d, 2) ? type : type_of(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "sdt", type);
    set(d, "ddt", ddt);
    const bool is_log = once_in(d, 3);
    set(d, "alg", is_log ? "LOGSOFTMAX" : "SOFTMAX");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    set(d, "stag", tag);
    const bool has_dtag = once_in(d, 3);
    if (has_dtag) set(d, "dtag", layout(d, ndims));
    const int axis = once_in(d, 2) ? ndims - 1 : (int)pick(d, (uint32_t)ndims);
    put(d, " --axis=%d", axis);
    note(d, "axis=%s", axis == ndims - 1 ? "last" : axis == 0 ? "first" : "inner");
    if (!has_dtag && strcmp(type, ddt) == 0 && once_in(d, 2)) set(d, "inplace", "true");
    if (is_integer_type(ddt))
        put(d, " --attr-scales=dst:common:0.0078125");
    else if (once_in(d, 3))
        draw_scales(d, scales);
    // A logarithm next to 0 may round to 0: comparisons and functions with a border there would
    // jump.
    const unsigned order = is_log ? 0 : CHAIN_ORDER;
    draw_chain(d, CHAIN_BINARY | order | (once_in(d, 2) ? CHAIN_ELTWISE : 0), ddt, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_softmax_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "bf16", "f16", "f64", "f8_e5m2", "f8_e4m3"};
    const uint32_t ntypes = d->is_gpu ? 3 : 6;
    const char *const type = types[pick(d, ntypes)];
    const char *const ddt = once_in(d, 2) ? type : types[pick(d, ntypes)];
    set(d, "dir", "BWD_D");
    set(d, "sdt", type);
    set(d, "ddt", ddt);
    set(d, "alg", once_in(d, 2) ? "LOGSOFTMAX" : "SOFTMAX");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    set(d, "stag", layout(d, ndims));
    const bool has_dtag = once_in(d, 3);
    if (has_dtag) set(d, "dtag", layout(d, ndims));
    const int axis = once_in(d, 2) ? ndims - 1 : (int)pick(d, (uint32_t)ndims);
    put(d, " --axis=%d", axis);
    note(d, "axis=%s", axis == ndims - 1 ? "last" : axis == 0 ? "first" : "inner");
    if (!has_dtag && strcmp(type, ddt) == 0 && once_in(d, 2)) set(d, "inplace", "true");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_lnorm(draw_t *d)
{
    static const quant_choice_t scales[] = {
            {"src", {"common"}}, {"dst", {"common"}}, {NULL, {NULL}}};
    static const char *const parameter_types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const flags[] = {"", "C", "H", "CH", "G", "GC", "GH", "GCH"};
    const char *const type = type_of(d), *const ddt = once_in(d, 2) ? type : type_of(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    put(d, " --dt=%s:%s", type, ddt);
    note(d, "sdt=%s", type);
    note(d, "ddt=%s", ddt);
    const int ndims = rank(d, 2, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    const char *const dtag = once_in(d, 3) ? layout(d, ndims) : "any";
    put(d, " --tag=%s:%s", tag, dtag);
    note(d, "src-tag=%s", tag);
    note(d, "dst-tag=%s", dtag);
    set(d, "stat_tag", once_in(d, 2) ? "any" : layout(d, ndims - 1));
    set(d, "ss_dt", PICK(d, parameter_types));
    set(d, "flags", PICK(d, flags));
    const bool is_alike = strcmp(type, ddt) == 0 && strcmp(dtag, "any") == 0;
    if (is_alike && once_in(d, 2)) set(d, "inplace", "true");
    if (once_in(d, 3)) draw_scales(d, scales);
    draw_chain(d, CHAIN_BINARY | (once_in(d, 2) ? CHAIN_ELTWISE : 0), ddt, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_lnorm_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const flags[] = {"", "C", "H", "CH", "CH", "G", "GCH"};
    const char *const type = PICK(d, types), *const ddt = once_in(d, 2) ? type : PICK(d, types);
    set(d, "dir", once_in(d, 2) ? "BWD_D" : "BWD_DW");
    put(d, " --dt=%s:%s", type, ddt);
    note(d, "sdt=%s", type);
    note(d, "ddt=%s", ddt);
    const int ndims = rank(d, 2, PRIM_MAX_NDIMS);
    const char *const dtag = once_in(d, 3) ? layout(d, ndims) : "any";
    put(d, " --tag=%s:%s", layout(d, ndims), dtag);
    set(d, "stat_tag", once_in(d, 2) ? "any" : layout(d, ndims - 1));
    set(d, "ss_dt", PICK(d, types));
    set(d, "flags", PICK(d, flags));
    const bool is_alike = strcmp(type, ddt) == 0 && strcmp(dtag, "any") == 0;
    if (is_alike && once_in(d, 2)) set(d, "inplace", "true");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

/// Contiguous rows, as networks have them.
void family_lnorm_rows(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "f32:bf16", "f16:s8"};
    static const char *const flags[] = {"", "CH", "CH", "C", "GCH"};
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    const char *const type = PICK(d, types);
    put(d, " --dt=%s", type);
    set(d, "flags", PICK(d, flags));
    if (once_in(d, 3)) draw_chain(d, CHAIN_ELTWISE, last_type(type), 2);
    put(d, " %dx%d", 1 + (int)pick_size(d, 20), size_of(d, "row", 9000));
}

void family_prelu(draw_t *d)
{
    const char *const type = type_of(d), *const slopes = once_in(d, 2) ? type : type_of(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    put(d, " --sdt=%s:%s", type, slopes);
    note(d, "src=%s", type);
    note(d, "wei=%s", slopes);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    const char *const other = once_in(d, 2) ? "any" : layout(d, ndims);
    put(d, " --stag=%s:%s", tag, other);
    note(d, "src-tag=%s", tag);
    note(d, "wei-tag=%s", other);
    int full[PRIM_MAX_NDIMS];
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}
