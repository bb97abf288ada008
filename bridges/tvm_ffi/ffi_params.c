// SPDX-License-Identifier: Apache-2.0
// Parameters by name, and what the operations make of them.
#include "ffi.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef enum { DIMS, INT, DOUBLE, FLOATS, BOOLEAN, ALGORITHM } kind_t;

static const struct {
    const char *name;
    kind_t kind;
    size_t offset;
} params[FFI_NPARAMS] = {
        [FFI_STRIDES] = {"strides", DIMS, offsetof(ffi_params_t, strides)},
        [FFI_PADDING] = {"padding", DIMS, offsetof(ffi_params_t, padding)},
        [FFI_PADDING_END] = {"padding_end", DIMS, offsetof(ffi_params_t, padding_end)},
        [FFI_DILATION] = {"dilation", DIMS, offsetof(ffi_params_t, dilation)},
        [FFI_KERNEL] = {"kernel", DIMS, offsetof(ffi_params_t, kernel)},
        [FFI_GROUPS] = {"groups", INT, offsetof(ffi_params_t, groups)},
        [FFI_AXIS] = {"axis", INT, offsetof(ffi_params_t, axis)},
        [FFI_GROUP_SIZE] = {"group_size", INT, offsetof(ffi_params_t, group_size)},
        [FFI_LOCAL_SIZE] = {"local_size", INT, offsetof(ffi_params_t, local_size)},
        [FFI_ALPHA] = {"alpha", DOUBLE, offsetof(ffi_params_t, alpha)},
        [FFI_BETA] = {"beta", DOUBLE, offsetof(ffi_params_t, beta)},
        [FFI_K] = {"k", DOUBLE, offsetof(ffi_params_t, k)},
        [FFI_P] = {"p", DOUBLE, offsetof(ffi_params_t, p)},
        [FFI_EPSILON] = {"epsilon", DOUBLE, offsetof(ffi_params_t, epsilon)},
        [FFI_FACTORS] = {"factors", FLOATS, offsetof(ffi_params_t, factors)},
        [FFI_SCALES] = {"scales", FLOATS, offsetof(ffi_params_t, scales)},
        [FFI_ALGORITHM] = {"algorithm", ALGORITHM, offsetof(ffi_params_t, alg)},
        [FFI_TRAINING] = {"training", BOOLEAN, offsetof(ffi_params_t, training)},
        [FFI_GLOBAL_STATS] = {"use_global_stats", BOOLEAN, offsetof(ffi_params_t, global_stats)},
        [FFI_RELU] = {"relu", BOOLEAN, offsetof(ffi_params_t, relu)},
};

/// Every algorithm that a caller may name.
static const prim_alg_kind_t algs[] = {PRIM_CONVOLUTION_DIRECT, PRIM_CONVOLUTION_WINOGRAD,
        PRIM_CONVOLUTION_AUTO, PRIM_DECONVOLUTION_DIRECT, PRIM_DECONVOLUTION_WINOGRAD,
        PRIM_ELTWISE_RELU, PRIM_ELTWISE_TANH, PRIM_ELTWISE_ELU, PRIM_ELTWISE_SQUARE,
        PRIM_ELTWISE_ABS, PRIM_ELTWISE_SQRT, PRIM_ELTWISE_LINEAR, PRIM_ELTWISE_SOFT_RELU,
        PRIM_ELTWISE_HARDSIGMOID, PRIM_ELTWISE_LOGISTIC, PRIM_ELTWISE_EXP, PRIM_ELTWISE_GELU_TANH,
        PRIM_ELTWISE_SWISH, PRIM_ELTWISE_LOG, PRIM_ELTWISE_CLIP, PRIM_ELTWISE_CLIP_V2,
        PRIM_ELTWISE_POW, PRIM_ELTWISE_GELU_ERF, PRIM_ELTWISE_ROUND, PRIM_ELTWISE_MISH,
        PRIM_ELTWISE_HARDSWISH, PRIM_ELTWISE_RELU_USE_DST_FOR_BWD,
        PRIM_ELTWISE_TANH_USE_DST_FOR_BWD, PRIM_ELTWISE_ELU_USE_DST_FOR_BWD,
        PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD, PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD,
        PRIM_ELTWISE_EXP_USE_DST_FOR_BWD, PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, PRIM_POOLING_MAX,
        PRIM_POOLING_AVG_INCLUDE_PADDING, PRIM_POOLING_AVG_EXCLUDE_PADDING,
        PRIM_LRN_ACROSS_CHANNELS, PRIM_LRN_WITHIN_CHANNEL, PRIM_BINARY_ADD, PRIM_BINARY_MUL,
        PRIM_BINARY_MAX, PRIM_BINARY_MIN, PRIM_BINARY_DIV, PRIM_BINARY_SUB, PRIM_BINARY_GE,
        PRIM_BINARY_GT, PRIM_BINARY_LE, PRIM_BINARY_LT, PRIM_BINARY_EQ, PRIM_BINARY_NE,
        PRIM_BINARY_SELECT, PRIM_RESAMPLING_NEAREST, PRIM_RESAMPLING_LINEAR, PRIM_REDUCTION_MAX,
        PRIM_REDUCTION_MIN, PRIM_REDUCTION_SUM, PRIM_REDUCTION_MUL, PRIM_REDUCTION_MEAN,
        PRIM_REDUCTION_NORM_LP_MAX, PRIM_REDUCTION_NORM_LP_SUM, PRIM_REDUCTION_NORM_LP_POWER_P_MAX,
        PRIM_REDUCTION_NORM_LP_POWER_P_SUM, PRIM_SOFTMAX_ACCURATE, PRIM_SOFTMAX_LOG};

prim_alg_kind_t ffi_alg(const char *prefix, const TVMFFIByteArray *name)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < sizeof algs / sizeof algs[0]; ++i) {
        const char *alg = prim_alg_kind_name(algs[i]);
        if (strncmp(alg, prefix, length) == 0 && ffi_string_is(name, alg + length)) return algs[i];
    }
    return PRIM_ALG_UNDEF;
}

static bool set_dims(ffi_dims_t *dims, const TVMFFIAny *value)
{
    dims->n = ffi_list_length(value);
    if (dims->n < 1 || dims->n > FFI_MAX_SPATIAL) return false;
    for (int64_t i = 0; i < dims->n; ++i) {
        if (!ffi_list_int(&dims->values[i], value, i)) return false;
    }
    return true;
}

static bool set_floats(ffi_floats_t *floats, const TVMFFIAny *value)
{
    floats->n = ffi_list_length(value);
    if (floats->n < 1 || floats->n > FFI_MAX_FLOATS) return false;
    for (int64_t i = 0; i < floats->n; ++i) {
        double number;
        if (!ffi_list_double(&number, value, i)) return false;
        floats->values[i] = (float)number;
    }
    return true;
}

static bool set_alg(int64_t *alg, const ffi_op_t *op, const TVMFFIAny *value)
{
    TVMFFIByteArray name;
    if (!ffi_as_string(&name, value)) return false;
    *alg = ffi_alg(op->algs, &name);
    return *alg != PRIM_ALG_UNDEF;
}

static bool set(const ffi_call_t *call, void *place, kind_t kind, const TVMFFIAny *value)
{
    switch (kind) {
    case DIMS: return set_dims(place, value);
    case INT: return ffi_as_int(place, value);
    case DOUBLE: return ffi_as_double(place, value);
    case FLOATS: return set_floats(place, value);
    case BOOLEAN: return ffi_as_int(place, value);
    case ALGORITHM: return set_alg(place, call->op, value);
    }
    return false;
}

prim_status_t ffi_param_set(ffi_call_t *call, const TVMFFIByteArray *name, const TVMFFIAny *value)
{
    static const char *const kinds[] = {[DIMS] = "an integer, or up to three of them",
            [INT] = "an integer",
            [DOUBLE] = "a number",
            [FLOATS] = "numbers, at most 64",
            [BOOLEAN] = "true or false",
            [ALGORITHM] = "the name of one of its algorithms"};
    int i = 0;
    while (i < FFI_NPARAMS && !ffi_string_is(name, params[i].name)) i++;
    if (i == FFI_NPARAMS || !(call->op->params & 1u << i)) return PRIM_NOT_REQUIRED;
    call->given |= 1u << i;
    if (set(call, (char *)&call->params + params[i].offset, params[i].kind, value))
        return PRIM_SUCCESS;
    return ffi_fail(call, PRIM_INVALID_ARGUMENTS, params[i].kind == ALGORITHM ? NULL : "TypeError",
            "%s: %s is not %s", call->op->name, params[i].name, kinds[params[i].kind]);
}

void ffi_params_init(ffi_call_t *call)
{
    ffi_params_t *p = &call->params;
    p->groups = 1;
    p->axis = -1;
    p->alpha = call->op->alpha;
    p->beta = call->op->beta;
    p->k = 1;
    p->p = 2;
    p->epsilon = 1e-5;
    p->alg = call->op->alg;
    p->fpmath = -1;
}

prim_prop_kind_t ffi_prop_kind(const ffi_call_t *call)
{
    return call->params.training ? PRIM_FORWARD_TRAINING : PRIM_FORWARD_INFERENCE;
}

int ffi_axis(const ffi_call_t *call, int ndims)
{
    const int64_t axis = call->params.axis;
    if (axis > INT_MAX || axis < -INT_MAX) return INT_MAX;
    return (int)(axis < 0 && axis >= -ndims ? axis + ndims : axis); // Prim refuses what is outside
}

static prim_status_t spread(prim_dim_t *values, const ffi_call_t *call, const char *name,
        const ffi_dims_t *dims, int nspatial, prim_dim_t none)
{
    if (dims->n > 1 && dims->n != nspatial) {
        char sentence[200];
        snprintf(sentence, sizeof sentence,
                "%s: %s has %lld values, the tensors have %d spatial dimensions", call->op->name,
                name, (long long)dims->n, nspatial);
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, sentence);
    }
    for (int d = 0; d < nspatial; ++d)
        values[d] = dims->n == 0 ? none : dims->values[dims->n == 1 ? 0 : d];
    return PRIM_SUCCESS;
}

prim_status_t ffi_window(ffi_window_t *window, const ffi_call_t *call, int nspatial)
{
    const ffi_params_t *p = &call->params;
    const ffi_dims_t *end = p->padding_end.n ? &p->padding_end : &p->padding;
    prim_status_t status = spread(window->strides, call, "strides", &p->strides, nspatial, 1);
    if (!status) status = spread(window->dilates, call, "dilation", &p->dilation, nspatial, 1);
    if (!status) status = spread(window->pad_l, call, "padding", &p->padding, nspatial, 0);
    if (!status) status = spread(window->pad_r, call, "padding_end", end, nspatial, 0);
    if (!status) status = spread(window->kernel, call, "kernel", &p->kernel, nspatial, 1);
    // For a caller 1 is no dilation, as in PyTorch and ONNX; Prim counts the elements between two
    // taps.
    for (int d = 0; !status && d < nspatial; ++d) window->dilates[d]--;
    return status;
}
