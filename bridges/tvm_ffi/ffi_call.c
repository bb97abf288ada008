// SPDX-License-Identifier: Apache-2.0
// From packed arguments to tensors, parameters and attributes. The order is: inputs as the
// operation lists them, words with their values, outputs as it lists them. A tensor may come with
// its name as well.
#include "ffi.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

prim_status_t ffi_fail(
        ffi_call_t *call, prim_status_t status, const char *kind, const char *format, ...)
{
    char sentence[500];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    call->error_kind = kind;
    return prim_report_failure(status, sentence);
}

prim_status_t ffi_call_bind(ffi_call_t *call, int arg, unsigned role, const DLTensor *tensor)
{
    if (!tensor) return PRIM_SUCCESS;
    for (int i = 0; i < call->ntensors && !(role & FFI_REPEATED); ++i) {
        if (call->tensors[i].arg == arg)
            return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                    "%s: a tensor is given twice", call->op->name);
    }
    if (call->ntensors == call->capacity) {
        const int capacity = call->capacity ? 2 * call->capacity : 8;
        ffi_bound_t *tensors = realloc(call->tensors, (size_t)capacity * sizeof *tensors);
        if (!tensors)
            return ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for a call's tensors");
        call->tensors = tensors;
        call->capacity = capacity;
    }
    call->tensors[call->ntensors++] = (ffi_bound_t){.arg = arg, .role = role, .tensor = tensor};
    return PRIM_SUCCESS;
}

void ffi_call_clear(ffi_call_t *call)
{
    free(call->tensors);
    call->tensors = NULL;
    call->ntensors = call->capacity = 0;
}

/// Binds a tensor to its rule; one of a repeated rule gets the next argument.
static prim_status_t bind(ffi_call_t *call, const ffi_tensor_t *rule, const TVMFFIAny *value)
{
    const DLTensor *tensor = ffi_as_tensor(value);
    if (!tensor && value->type_index != kTVMFFINone)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "%s: %s is not a tensor",
                call->op->name, rule->name);
    if (!tensor && !(rule->role & FFI_OPTIONAL))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "%s: %s is missing",
                call->op->name, rule->name);
    int arg = rule->arg;
    for (int i = 0; i < call->ntensors && rule->role & FFI_REPEATED; ++i)
        arg += call->tensors[i].role == rule->role;
    return ffi_call_bind(call, arg, rule->role, tensor);
}

static bool is_word(const TVMFFIAny *value)
{
    TVMFFIByteArray string;
    return ffi_as_string(&string, value);
}

/// The words that say where the call runs, and those of attributes and parameters.
static prim_status_t set_word(ffi_call_t *call, const TVMFFIByteArray *word,
        const TVMFFIAny *values, int nvalues, int *used)
{
    *used = 1;
    if (nvalues < 1)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "%s: '%.*s' has no value",
                call->op->name, (int)word->size, word->data);
    for (const ffi_tensor_t *rule = call->op->tensors; rule->arg; ++rule) {
        if (ffi_string_is(word, rule->name)) return bind(call, rule, values);
    }
    if (ffi_string_is(word, "engine") && ffi_as_string(&call->engine_name, values))
        return PRIM_SUCCESS;
    if (ffi_string_is(word, "query") && ffi_as_string(&call->query, values)) return PRIM_SUCCESS;
    if (ffi_string_is(word, "stream") && values->type_index == kTVMFFIOpaquePtr) {
        call->given_stream = values->v_ptr;
        return PRIM_SUCCESS;
    }
    if (ffi_string_is(word, "packed") && values->type_index == kTVMFFIOpaquePtr) {
        call->packed = values->v_ptr;
        return PRIM_SUCCESS;
    }
    prim_status_t status = ffi_attr_set(call, word, values, nvalues, used);
    if (status == PRIM_NOT_REQUIRED) status = ffi_param_set(call, word, values);
    if (status != PRIM_NOT_REQUIRED) return status;
    return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "%s takes no '%.*s'", call->op->name,
            (int)word->size, word->data);
}

/// The first rule from `rule` on of an input or output that has no tensor yet; NULL: there is none.
static const ffi_tensor_t *next_rule(
        const ffi_call_t *call, const ffi_tensor_t *rule, unsigned role)
{
    for (; rule->arg; ++rule) {
        if (!(rule->role & role)) continue;
        int i = 0;
        while (i < call->ntensors && call->tensors[i].arg != rule->arg) i++;
        if (i == call->ntensors || rule->role & FFI_REPEATED) return rule;
    }
    return NULL;
}

/// Tensors without a name, in the order of the rules.
static prim_status_t bind_in_order(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, unsigned role)
{
    const ffi_tensor_t *rule = call->op->tensors;
    for (int i = 0; i < nargs; ++i) {
        rule = next_rule(call, rule, role);
        if (!rule)
            return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "%s: more %s than it has",
                    call->op->name, role == FFI_INPUT ? "inputs" : "outputs");
        const prim_status_t status = bind(call, rule, &args[i]);
        if (status) return status;
        if (!(rule->role & FFI_REPEATED)) rule++;
    }
    return PRIM_SUCCESS;
}

/// How many outputs stand at the end of a call without words.
static int nmandatory_outputs(const ffi_op_t *op)
{
    int n = 0;
    for (const ffi_tensor_t *rule = op->tensors; rule->arg; ++rule)
        n += (rule->role & FFI_OUTPUT) && !(rule->role & FFI_OPTIONAL);
    return n;
}

static prim_status_t check_presence(ffi_call_t *call)
{
    for (const ffi_tensor_t *rule = call->op->tensors; rule->arg; ++rule) {
        if (rule->role & FFI_OPTIONAL) continue;
        int i = 0;
        while (i < call->ntensors && call->tensors[i].arg != rule->arg) i++;
        if (i == call->ntensors)
            return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "%s: %s is missing",
                    call->op->name, rule->name);
    }
    return PRIM_SUCCESS;
}

prim_status_t ffi_call_parse(ffi_call_t *call, const TVMFFIAny *args, int nargs)
{
    int first = 0;
    while (first < nargs && !is_word(&args[first])) first++;
    const int noutputs = nmandatory_outputs(call->op);
    const bool has_words = first < nargs;
    int ninputs = has_words ? first : first > noutputs ? first - noutputs : 0;
    prim_status_t status = bind_in_order(call, args, ninputs, FFI_INPUT);
    int i = ninputs;
    while (!status && i < nargs && is_word(&args[i])) {
        TVMFFIByteArray word;
        ffi_as_string(&word, &args[i++]);
        int used = 0;
        status = set_word(call, &word, &args[i], nargs - i, &used);
        i += used;
    }
    if (!status)
        status = bind_in_order(
                call, &args[i < nargs ? i : nargs], i < nargs ? nargs - i : 0, FFI_OUTPUT);
    return status ? status : check_presence(call);
}

/// [OC, IC/groups, …] as [groups, OC/groups, IC/groups, …].
static prim_status_t split_groups(ffi_call_t *call, prim_memory_desc_t *md)
{
    const int64_t groups = call->params.groups;
    if (groups == 1 || md->ndims == PRIM_MAX_NDIMS) return PRIM_SUCCESS;
    if (groups < 1 || md->dims[0] % groups != 0)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
                "%s: groups (%lld) do not divide the %lld output channels", call->op->name,
                (long long)groups, (long long)md->dims[0]);
    prim_dims_t dims = {groups, md->dims[0] / groups};
    for (int d = 1; d < md->ndims; ++d) dims[d + 1] = md->dims[d];
    const prim_memory_desc_t whole = *md;
    return prim_memory_desc_reshape(md, &whole, whole.ndims + 1, dims);
}

static prim_status_t align(prim_memory_desc_t *md, int ndims)
{
    if (md->ndims >= ndims) return PRIM_SUCCESS;
    prim_dims_t dims;
    for (int d = 0; d < ndims; ++d)
        dims[d] = d < ndims - md->ndims ? 1 : md->dims[d - (ndims - md->ndims)];
    const prim_memory_desc_t short_one = *md;
    return prim_memory_desc_reshape(md, &short_one, ndims, dims);
}

prim_status_t ffi_call_describe(ffi_call_t *call)
{
    int ndims = 0;
    for (int i = 0; i < call->ntensors; ++i) {
        ffi_bound_t *bound = &call->tensors[i];
        const bool is_packed = call->packed && bound->arg == PRIM_ARG_WEIGHTS;
        prim_status_t status = is_packed ? ffi_packed_describe(call, bound)
                                         : ffi_describe(call, &bound->md, bound->tensor);
        if (bound->role & FFI_CONDITION && bound->md.data_type == PRIM_BOOLEAN)
            bound->md.data_type = PRIM_S8;
        if (!status && !is_packed && bound->role & FFI_WEIGHTS)
            status = split_groups(call, &bound->md);
        if (status) return status;
        if (bound->role & FFI_ALIGNED && bound->md.ndims > ndims) ndims = bound->md.ndims;
    }
    // Operands of post-ops are as long as dst.
    const prim_memory_desc_t *dst = ffi_md(call, PRIM_ARG_DST);
    for (int i = 0; i < call->ntensors; ++i) {
        ffi_bound_t *bound = &call->tensors[i];
        const bool is_operand = bound->arg >= PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE;
        const prim_status_t status =
                is_operand && dst ? align(&bound->md, dst->ndims > ndims ? dst->ndims : ndims)
                : bound->role & FFI_ALIGNED ? align(&bound->md, ndims)
                                            : PRIM_SUCCESS;
        if (status) return status;
    }
    return ffi_attr_describe(call);
}

const prim_memory_desc_t *ffi_md(const ffi_call_t *call, int arg)
{
    for (int i = 0; i < call->ntensors; ++i) {
        if (call->tensors[i].arg == arg) return &call->tensors[i].md;
    }
    return NULL;
}
