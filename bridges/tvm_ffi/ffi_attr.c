// SPDX-License-Identifier: Apache-2.0
// Attributes: scales, zero points and post-ops with their tensors, modes of arithmetic.
#include "ffi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// `value` in a list of words; -1: it is none of them.
static int word_index(const char *const *words, const TVMFFIAny *value)
{
    TVMFFIByteArray word;
    if (!ffi_as_string(&word, value)) return -1;
    for (int i = 0; words[i]; ++i) {
        if (ffi_string_is(&word, words[i])) return i;
    }
    return -1;
}

static prim_status_t set_mode(ffi_call_t *call, const char *name, const char *const *words,
        int64_t *mode, const TVMFFIAny *value)
{
    *mode = word_index(words, value);
    if (*mode >= 0) return PRIM_SUCCESS;
    return ffi_fail(
            call, PRIM_INVALID_ARGUMENTS, NULL, "%s: that is no mode of %s", call->op->name, name);
}

/// "scale_of", "weights", tensor; "zero_point_of", "src", tensor.
static prim_status_t set_quant(
        ffi_call_t *call, int attribute, const TVMFFIAny *values, int nvalues, int *used)
{
    TVMFFIByteArray name;
    *used = 2;
    if (nvalues < 2 || !ffi_as_string(&name, &values[0]) || !ffi_as_tensor(&values[1]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "%s: a scale or zero point is the name of a tensor and a tensor", call->op->name);
    int arg = 0;
    for (const ffi_tensor_t *rule = call->op->tensors; rule->arg && !arg; ++rule) {
        if (ffi_string_is(&name, rule->name)) arg = rule->arg;
    }
    if (!arg)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s has no tensor '%.*s' to scale",
                call->op->name, (int)name.size, name.data);
    if (call->nquants == FFI_MAX_OPERANDS)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s: too many scales", call->op->name);
    call->quants[call->nquants++].arg = attribute | arg;
    return ffi_call_bind(call, attribute | arg, FFI_INPUT, ffi_as_tensor(&values[1]));
}

/// A word and up to two numbers: "linear:2:1".
static bool parse_entry(ffi_post_op_t *entry, TVMFFIByteArray *word)
{
    char text[80];
    if (word->size >= sizeof text) return false;
    memcpy(text, word->data, word->size);
    text[word->size] = '\0';
    char *colon = strchr(text, ':');
    if (!colon) return true;
    word->size = (size_t)(colon - text);
    char *end;
    entry->alpha = strtof(colon + 1, &end);
    if (end == colon + 1) return false;
    if (*end == ':') entry->beta = strtof(end + 1, &end);
    return *end == '\0';
}

static bool find_entry(ffi_post_op_t *entry, const TVMFFIByteArray *word)
{
    if (ffi_string_is(word, "sum")) {
        entry->kind = FFI_POST_SUM;
        return true;
    }
    if (ffi_string_is(word, "prelu")) {
        entry->kind = FFI_POST_PRELU;
        return true;
    }
    entry->kind = FFI_POST_ELTWISE;
    entry->alg = ffi_alg("eltwise_", word);
    if (entry->alg != PRIM_ALG_UNDEF) return true;
    entry->kind = FFI_POST_BINARY;
    entry->alg = ffi_alg("binary_", word);
    return entry->alg != PRIM_ALG_UNDEF;
}

/// "post_op", "relu:0.1"; "post_op", "sum:0.5"; "post_op", "add", tensor; "post_op", "prelu",
/// tensor.
static prim_status_t add_post_op(ffi_call_t *call, const TVMFFIAny *values, int nvalues, int *used)
{
    TVMFFIByteArray word;
    ffi_post_op_t entry = {.kind = FFI_POST_SUM, .alpha = 0};
    if (call->npost_ops == PRIM_MAX_POST_OPS)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s: more than %d post-ops",
                call->op->name, PRIM_MAX_POST_OPS);
    if (!ffi_as_string(&word, &values[0]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "%s: a post-op begins with its name", call->op->name);
    const TVMFFIByteArray given = word;
    if (ffi_string_is(&word, "sum")) entry.alpha = 1;
    if (!parse_entry(&entry, &word) || !find_entry(&entry, &word))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s: there is no post-op '%.*s'",
                call->op->name, (int)given.size, given.data);
    const bool is_binary = entry.kind == FFI_POST_BINARY;
    const bool has_operand = is_binary || entry.kind == FFI_POST_PRELU;
    *used = has_operand ? 2 : 1;
    if (has_operand && (nvalues < 2 || !ffi_as_tensor(&values[1])))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "%s: post-op '%.*s' needs a tensor", call->op->name, (int)given.size, given.data);
    const int arg = PRIM_ARG_ATTR_MULTIPLE_POST_OP(call->npost_ops) |
                    (is_binary ? PRIM_ARG_SRC_1 : PRIM_ARG_WEIGHTS);
    call->post_ops[call->npost_ops++] = entry;
    return has_operand ? ffi_call_bind(call, arg, FFI_INPUT, ffi_as_tensor(&values[1]))
                       : PRIM_SUCCESS;
}

prim_status_t ffi_attr_set(ffi_call_t *call, const TVMFFIByteArray *word, const TVMFFIAny *values,
        int nvalues, int *used)
{
    static const char *const fpmath[] = {"strict", "bf16", "f16", "any", "tf32", NULL};
    static const char *const accumulation[] = {
            "strict", "relaxed", "any", "s32", "f32", "f16", NULL};
    ffi_params_t *p = &call->params;
    *used = 1;
    if (ffi_string_is(word, "scale_of"))
        return set_quant(call, PRIM_ARG_ATTR_SCALES, values, nvalues, used);
    if (ffi_string_is(word, "zero_point_of"))
        return set_quant(call, PRIM_ARG_ATTR_ZERO_POINTS, values, nvalues, used);
    if (ffi_string_is(word, "post_op")) return add_post_op(call, values, nvalues, used);
    if (ffi_string_is(word, "fpmath")) return set_mode(call, "fpmath", fpmath, &p->fpmath, values);
    if (ffi_string_is(word, "accumulation"))
        return set_mode(call, "accumulation", accumulation, &p->accumulation, values);
    if (ffi_string_is(word, "fpmath_int") && ffi_as_int(&p->fpmath_int, values))
        return PRIM_SUCCESS;
    if (ffi_string_is(word, "deterministic") && ffi_as_int(&p->deterministic, values))
        return PRIM_SUCCESS;
    return PRIM_NOT_REQUIRED;
}

/// The dimensions that one value for each of `n` channels goes along: output channels of weights,
/// else the channels of images [N, C, …] and the columns of matrices.
static int channel_mask(const ffi_call_t *call, int arg, const prim_memory_desc_t *md)
{
    if (arg == PRIM_ARG_WEIGHTS && call->op->params & 1u << FFI_GROUPS)
        return call->params.groups > 1 ? 3 : 1;
    const bool is_last =
            call->op->tensors->role & FFI_ALIGNED; // a product or an element-wise operation
    if (arg == PRIM_ARG_WEIGHTS && !is_last) return 1;
    return is_last || md->ndims < 2 ? 1 << (md->ndims - 1) : 2;
}

/// Mask and groups from the shape of the values: one for all, one for each channel, or as NumPy
/// broadcasts, where a dimension may also hold one value for each of equal blocks.
static prim_status_t describe_quant(ffi_call_t *call, ffi_quant_t *quant)
{
    const int arg = quant->arg & ~(PRIM_ARG_ATTR_SCALES | PRIM_ARG_ATTR_ZERO_POINTS);
    const prim_memory_desc_t *md = ffi_md(call, arg), *values = ffi_md(call, quant->arg);
    if (!md || !values)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s: a scale's tensor is not there",
                call->op->name);
    if (values->ndims == 1) {
        quant->mask = values->dims[0] == 1 ? 0 : channel_mask(call, arg, md);
        return PRIM_SUCCESS;
    }
    bool fits = values->ndims == md->ndims;
    for (int d = 0; fits && d < md->ndims; ++d) {
        const prim_dim_t n = values->dims[d];
        if (n == 1 && d < md->ndims - 2) continue;
        if (n != 1) quant->mask |= 1 << d;
        fits = n > 0 && md->dims[d] % n == 0;
        const prim_dim_t block = fits ? md->dims[d] / n : 1;
        if (n != 1 && block != 1) {
            fits = fits && d >= md->ndims - 2;
            quant->ngroup_dims = 2;
        }
        if (d >= md->ndims - 2) quant->group_dims[d - (md->ndims - 2)] = n == 1 ? 1 : block;
    }
    if (quant->ngroup_dims) {
        // With blocks in one of the last two dimensions the other one has blocks, too: of one
        // element, or whole.
        for (int d = 0; d < 2; ++d) {
            const int dim = md->ndims - 2 + d;
            if (values->dims[dim] != 1) continue;
            quant->mask |= 1 << dim;
            quant->group_dims[d] = md->dims[dim];
        }
    }
    if (fits) return PRIM_SUCCESS;
    return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
            "%s: the shape of a scale or zero point does not divide its tensor's", call->op->name);
}

prim_status_t ffi_attr_describe(ffi_call_t *call)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; !status && i < call->nquants; ++i)
        status = describe_quant(call, &call->quants[i]);
    return status;
}

static prim_status_t append(prim_post_ops_t *chain, const ffi_call_t *call, int index)
{
    const ffi_post_op_t *entry = &call->post_ops[index];
    const int base = PRIM_ARG_ATTR_MULTIPLE_POST_OP(index);
    switch (entry->kind) {
    case FFI_POST_SUM:
        return prim_post_ops_append_sum(
                chain, entry->alpha, (int32_t)entry->beta, PRIM_DATA_TYPE_UNDEF);
    case FFI_POST_ELTWISE:
        return prim_post_ops_append_eltwise(chain, entry->alg, entry->alpha, entry->beta);
    case FFI_POST_BINARY:
        return prim_post_ops_append_binary(chain, entry->alg, ffi_md(call, base | PRIM_ARG_SRC_1));
    case FFI_POST_PRELU: break;
    }
    const prim_memory_desc_t *slope = ffi_md(call, base | PRIM_ARG_WEIGHTS);
    int mask = 0;
    for (int d = 0; d < slope->ndims; ++d) mask |= (slope->dims[d] != 1) << d;
    return prim_post_ops_append_prelu(chain, mask);
}

static prim_status_t set_post_ops(prim_attr_t *attr, const ffi_call_t *call)
{
    prim_post_ops_t *chain = NULL;
    prim_status_t status = prim_post_ops_create(&chain);
    for (int i = 0; !status && i < call->npost_ops; ++i) status = append(chain, call, i);
    if (!status) status = prim_attr_set_post_ops(attr, chain);
    prim_post_ops_destroy(chain);
    return status;
}

static prim_status_t set_quants(prim_attr_t *attr, const ffi_call_t *call)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; !status && i < call->nquants; ++i) {
        const ffi_quant_t *q = &call->quants[i];
        const prim_data_type_t type = ffi_md(call, q->arg)->data_type;
        if (q->arg & PRIM_ARG_ATTR_SCALES)
            status = prim_attr_set_scales(attr, q->arg & ~PRIM_ARG_ATTR_SCALES, q->mask,
                    q->ngroup_dims, q->group_dims, type);
        else
            status = prim_attr_set_zero_points(attr, q->arg & ~PRIM_ARG_ATTR_ZERO_POINTS, q->mask,
                    q->ngroup_dims, q->group_dims, type);
    }
    return status;
}

prim_status_t ffi_attr_create(prim_attr_t **attr, const ffi_call_t *call)
{
    const ffi_params_t *p = &call->params;
    prim_attr_t *made = NULL;
    prim_status_t status = prim_attr_create(&made);
    if (!status && p->fpmath >= 0)
        status = prim_attr_set_fpmath_mode(made, (prim_fpmath_mode_t)p->fpmath, p->fpmath_int != 0);
    if (!status)
        status = prim_attr_set_accumulation_mode(made, (prim_accumulation_mode_t)p->accumulation);
    if (!status) status = prim_attr_set_deterministic(made, p->deterministic != 0);
    if (!status) status = set_quants(made, call);
    if (!status && call->npost_ops) status = set_post_ops(made, call);
    if (status) {
        prim_attr_destroy(made);
        return status;
    }
    *attr = made;
    return PRIM_SUCCESS;
}
