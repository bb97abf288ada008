// SPDX-License-Identifier: Apache-2.0
// Weights in the layout that a call's implementation wants. They are bytes to DLPack, which has no
// words for such layouts; their descriptor goes beside them.
#include <stdlib.h>

#include "ffi.h"

struct ffi_packed {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_memory_desc_t plain, packed;
};

/// The descriptor that the operation chooses for its weights.
static prim_status_t choose(ffi_packed_t *made, ffi_call_t *call, ffi_bound_t *weights)
{
    made->plain = weights->md;
    prim_status_t status = prim_memory_desc_init_by_tag(&weights->md, made->plain.ndims,
            made->plain.dims, made->plain.data_type, PRIM_FORMAT_ANY);
    prim_desc_t *pd = NULL;
    if (!status) status = ffi_desc_create(&pd, call);
    if (!status) made->packed = *prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
    prim_desc_destroy(pd);
    if (!status && made->packed.format_kind != PRIM_FORMAT_KIND_BLOCKED)
        status = ffi_fail(call, PRIM_UNIMPLEMENTED, NULL, "%s: weights in images are not packed",
                call->op->name);
    return status;
}

prim_status_t ffi_packed_create(ffi_call_t *call, TVMFFIAny *result)
{
    int i = 0;
    while (i < call->ntensors && call->tensors[i].arg != PRIM_ARG_WEIGHTS) i++;
    if (i == call->ntensors || call->packed)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "%s: there are no weights to pack", call->op->name);
    ffi_packed_t *made = calloc(1, sizeof *made);
    if (!made) return ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for packed weights");
    made->engine = call->engine;
    made->stream = call->stream;
    const prim_status_t status = choose(made, call, &call->tensors[i]);
    if (status)
        free(made);
    else
        *result = (TVMFFIAny){.type_index = kTVMFFIOpaquePtr, .v_ptr = made};
    return status;
}

/// The tensor's bytes are those of the packed weights, on the engine that they were packed for.
static prim_status_t check(ffi_call_t *call, const ffi_packed_t *packed, const DLTensor *tensor)
{
    const size_t bytes = prim_memory_desc_get_size(&packed->packed);
    if (call->engine != packed->engine)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
                "%s: the weights were packed for another engine", call->op->name);
    if (ffi_data_type(tensor->dtype) == PRIM_U8 && ffi_is_contiguous(tensor) &&
            (size_t)ffi_elems(tensor) == bytes)
        return PRIM_SUCCESS;
    return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s: packed weights are %zu bytes",
            call->op->name, bytes);
}

prim_status_t ffi_packed_describe(ffi_call_t *call, ffi_bound_t *bound)
{
    bound->md = call->packed->packed;
    return check(call, call->packed, bound->tensor);
}

static bool as_packed(ffi_packed_t **packed, const TVMFFIAny *args, int nargs, int expected)
{
    if (nargs != expected || args[0].type_index != kTVMFFIOpaquePtr) return false;
    *packed = args[0].v_ptr;
    return true;
}

/// packed_bytes(packed)
static prim_status_t packed_bytes(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    ffi_packed_t *packed;
    if (!as_packed(&packed, args, nargs, 1))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "packed_bytes takes a layout");
    *result = (TVMFFIAny){.type_index = kTVMFFIInt,
            .v_int64 = (int64_t)prim_memory_desc_get_size(&packed->packed)};
    return PRIM_SUCCESS;
}

/// packed_layout(packed): its name, "ABcd16b16a"; "" where it has none.
static prim_status_t packed_layout(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    ffi_packed_t *packed;
    char name[120];
    if (!as_packed(&packed, args, nargs, 1))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "packed_layout takes a layout");
    const prim_status_t status = prim_memory_desc_get_tag(&packed->packed, name, sizeof name);
    return status ? status : ffi_return_string(result, name);
}

static prim_status_t reorder(const ffi_packed_t *packed, prim_memory_t *from, prim_memory_t *to)
{
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    prim_status_t status = prim_reorder_desc_create(
            &pd, &packed->plain, packed->engine, &packed->packed, packed->engine, NULL);
    if (!status) status = prim_create(&primitive, pd);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, from}, {PRIM_ARG_TO, to}};
    if (!status) status = prim_execute(primitive, packed->stream, 2, args);
    if (!status) status = prim_stream_wait(packed->stream);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    return status;
}

/// pack(packed, weights, bytes): brings the weights to the layout, into the tensor of bytes.
static prim_status_t pack(ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    ffi_packed_t *packed;
    const bool has_layout = as_packed(&packed, args, nargs, 3);
    const DLTensor *weights = has_layout ? ffi_as_tensor(&args[1]) : NULL,
                   *bytes = weights ? ffi_as_tensor(&args[2]) : NULL;
    if (!bytes)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "pack takes a layout, the weights and room for them");
    call->engine = packed->engine;
    prim_memory_t *from = NULL, *to = NULL;
    bool copies;
    prim_memory_desc_t md;
    prim_status_t status = check(call, packed, bytes);
    if (!status) status = ffi_describe(call, &md, weights);
    if (!status &&
            (md.data_type != packed->plain.data_type ||
                    prim_memory_desc_get_size(&md) != prim_memory_desc_get_size(&packed->plain)))
        status = ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "pack: these are other weights");
    if (!status)
        status = ffi_memory_create(&from, &copies, packed->engine, weights, &packed->plain);
    if (!status) status = ffi_memory_create(&to, &copies, packed->engine, bytes, &packed->packed);
    if (!status) status = reorder(packed, from, to);
    prim_memory_destroy(from);
    prim_memory_destroy(to);
    return status;
}

static prim_status_t packed_destroy(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    ffi_packed_t *packed;
    if (!as_packed(&packed, args, nargs, 1))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "packed_destroy takes a layout");
    free(packed);
    return PRIM_SUCCESS;
}

const ffi_service_t ffi_packed_services[] = {{"packed_bytes", packed_bytes},
        {"packed_layout", packed_layout}, {"pack", pack}, {"packed_destroy", packed_destroy},
        {NULL, NULL}};
