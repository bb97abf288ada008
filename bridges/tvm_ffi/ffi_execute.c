// SPDX-License-Identifier: Apache-2.0
// Memories for a call's tensors, and its execution.
#include "ffi.h"

#include <stdlib.h>

/// Whether only the number of elements or bytes counts: workspaces, scales, zero points, slopes of
/// PReLU post-ops. Operands of binary post-ops keep their layout.
static bool goes_by_count(const ffi_bound_t *bound)
{
    if (bound->role & FFI_BYTES) return true;
    if (bound->arg >= PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE)
        return bound->arg % PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE == PRIM_ARG_WEIGHTS;
    return bound->arg & (PRIM_ARG_ATTR_SCALES | PRIM_ARG_ATTR_ZERO_POINTS);
}

/// The primitive's descriptor of such a tensor.
static prim_status_t take_desc(
        ffi_call_t *call, prim_memory_desc_t *md, const ffi_bound_t *bound, const prim_t *primitive)
{
    const prim_desc_t *pd;
    const prim_status_t status = prim_get_desc(primitive, &pd);
    if (status) return status;
    *md = *prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, bound->arg);
    const size_t needed = prim_memory_desc_get_size(md),
                 given = prim_memory_desc_get_size(&bound->md);
    const bool same_type = bound->role & FFI_BYTES || md->data_type == bound->md.data_type;
    if (needed == given && same_type && ffi_is_contiguous(bound->tensor)) return PRIM_SUCCESS;
    return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
            "%s: a tensor of %zu bytes of %s stands where %zu contiguous bytes of %s are needed",
            call->op->name, given, prim_data_type_name(bound->md.data_type), needed,
            prim_data_type_name(md->data_type));
}

static bool is_host(const DLTensor *tensor)
{
    return tensor->device.device_type == kDLCPU;
}

/// Keeps bytes between the elements of a tensor with gaps as they are.
static prim_status_t copy_in(
        prim_memory_t *memory, const DLTensor *tensor, const prim_memory_desc_t *md)
{
    const size_t bytes = prim_memory_desc_get_size(md);
    if (bytes == 0) return PRIM_SUCCESS;
    return prim_memory_write(memory, (const char *)tensor->data + tensor->byte_offset, bytes, 0);
}

prim_status_t ffi_memory_create(prim_memory_t **memory, bool *copies, prim_engine_t *engine,
        const DLTensor *tensor, const prim_memory_desc_t *md)
{
    prim_engine_kind_t kind;
    prim_status_t status = prim_engine_get_kind(engine, &kind);
    *copies = kind == PRIM_GPU && is_host(tensor);
    prim_memory_t *made = NULL;
    if (!status)
        status = prim_memory_create(
                &made, md, engine, *copies ? PRIM_MEMORY_ALLOCATE : PRIM_MEMORY_NONE);
    if (!status && *copies)
        status = copy_in(made, tensor, md);
    else if (!status &&
             kind == PRIM_GPU) // the tensor's data is a descriptor that begins with the cl_mem
        status = prim_memory_set_data_handle_at(
                made, *(void *const *)tensor->data, tensor->byte_offset);
    else if (!status && tensor->data)
        status = prim_memory_set_data_handle(made, (char *)tensor->data + tensor->byte_offset);
    if (status)
        prim_memory_destroy(made);
    else
        *memory = made;
    return status;
}

static bool is_output(const ffi_call_t *call, const ffi_bound_t *bound)
{
    if (bound->role & FFI_STATISTICS) return call->params.training && !call->params.global_stats;
    return bound->role & FFI_OUTPUT;
}

/// Two arguments of one tensor share the memory: in place, x·x.
static prim_memory_t *same_memory(
        const ffi_call_t *call, const prim_arg_t *args, int index, const prim_memory_desc_t *md)
{
    const DLTensor *tensor = call->tensors[index].tensor;
    for (int i = 0; i < index; ++i) {
        const DLTensor *other = call->tensors[i].tensor;
        if (other->data == tensor->data && other->byte_offset == tensor->byte_offset &&
                tensor->data && prim_memory_desc_equal(prim_memory_get_desc(args[i].memory), md))
            return args[i].memory;
    }
    return NULL;
}

typedef struct {
    prim_arg_t *args;
    bool *copies, *owned;
} memories_t;

static prim_status_t make_memories(memories_t *m, ffi_call_t *call, const prim_t *primitive)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; !status && i < call->ntensors; ++i) {
        const ffi_bound_t *bound = &call->tensors[i];
        prim_memory_desc_t md = bound->md;
        if (goes_by_count(bound)) status = take_desc(call, &md, bound, primitive);
        if (status) return status;
        m->args[i] = (prim_arg_t){.arg = bound->arg, .memory = same_memory(call, m->args, i, &md)};
        if (m->args[i].memory) continue;
        status = ffi_memory_create(
                &m->args[i].memory, &m->copies[i], call->engine, bound->tensor, &md);
        m->owned[i] = !status;
    }
    return status;
}

static prim_status_t read_outputs(const memories_t *m, const ffi_call_t *call)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; !status && i < call->ntensors; ++i) {
        const ffi_bound_t *bound = &call->tensors[i];
        // An output in place has the memory of an input, which owns the copy.
        if (!is_host(bound->tensor) || !is_output(call, bound)) continue;
        const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(m->args[i].memory));
        if (bytes)
            status = prim_memory_read(m->args[i].memory,
                    (char *)bound->tensor->data + bound->tensor->byte_offset, bytes, 0);
    }
    return status;
}

/// Gives the memories to the recording; arguments that share one give it once.
static prim_status_t hand_over(memories_t *m, ffi_call_t *call)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; !status && i < call->ntensors; ++i) {
        if (!m->owned[i]) continue;
        bool is_written = false;
        for (int k = 0; k < call->ntensors; ++k)
            is_written = is_written || (m->args[k].memory == m->args[i].memory &&
                                               is_output(call, &call->tensors[k]));
        status = ffi_capture(call, m->args[i].memory, call->tensors[i].tensor, is_written);
        m->owned[i] = status != PRIM_SUCCESS;
    }
    return status;
}

/// A replay writes no tensor of the host that the device has a copy of.
static prim_status_t check_capture(ffi_call_t *call, prim_engine_kind_t kind)
{
    for (int i = 0; kind == PRIM_GPU && ffi_is_captured(call) && i < call->ntensors; ++i) {
        if (is_host(call->tensors[i].tensor) && is_output(call, &call->tensors[i]))
            return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
                    "%s: a recording on a device has no results on the host", call->op->name);
    }
    return PRIM_SUCCESS;
}

prim_status_t ffi_execute(ffi_call_t *call, const prim_t *primitive)
{
    const size_t n = (size_t)call->ntensors;
    prim_engine_kind_t kind;
    prim_status_t status = prim_engine_get_kind(call->engine, &kind);
    if (!status) status = check_capture(call, kind);
    if (status) return status;
    // One allocation for the three lists; the one of the largest alignment is the first.
    memories_t m = {.args = calloc(n, sizeof *m.args + 2 * sizeof(bool))};
    if (!m.args)
        return ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for the arguments of %s",
                call->op->name);
    m.copies = (bool *)(m.args + n);
    m.owned = m.copies + n;
    status = make_memories(&m, call, primitive);
    if (!status) status = prim_execute(primitive, call->stream, call->ntensors, m.args);
    if (!status && kind == PRIM_GPU) status = read_outputs(&m, call);
    if (!status && call->waits) status = prim_stream_wait(call->stream);
    if (!status && ffi_is_captured(call)) status = hand_over(&m, call);
    for (size_t i = 0; i < n; ++i) {
        if (m.owned[i]) prim_memory_destroy(m.args[i].memory);
    }
    free(m.args);
    return status;
}
