// SPDX-License-Identifier: Apache-2.0
// Transfers of buffers and of pointers.
#include "ocl_transfer.h"

#include "gpu/ocl/device/ocl_svm_api.h"

// By pointer, with the function of its kind.
static prim_status_t copy(const ocl_memory_t *memory, const ocl_command_t *command, void *dst,
        const void *src, size_t bytes)
{
    const bool is_svm = memory->kind == PRIM_OCL_SVM;
    const ocl_device_t *const device = prim__ocl_device(memory->base.engine);
    const cl_int code = is_svm ? prim__ocl_svm_api_copy(command->queue, dst, src, bytes,
                                         command->nwaits, command->waits, command->event_out)
                               : device->usm.copy(command->queue, CL_FALSE, dst, src, bytes,
                                         command->nwaits, command->waits, command->event_out);
    if (code == CL_SUCCESS) return PRIM_SUCCESS;
    return prim__ocl_fail(code, is_svm ? "clEnqueueSVMMemcpy" : "clEnqueueMemcpyINTEL");
}

prim_status_t prim__ocl_transfer_enqueue(const exec_ctx_t *ctx, const ocl_transfer_t *transfer)
{
    const ocl_transfer_t *const t = transfer;
    ocl_command_t command;
    TRY(prim__ocl_command_begin(&command, ctx));
    const ocl_memory_t *const memory = t->memory;
    const size_t start_bytes = memory->offset_bytes + t->offset_bytes;
    if (!memory->buffer) {
        void *const device = (char *)memory->pointer + start_bytes;
        TRY(copy(memory, &command, t->to_device ? device : t->host, t->to_device ? t->host : device,
                t->bytes));
    } else if (t->to_device) {
        OCL_TRY(clEnqueueWriteBuffer(command.queue, memory->buffer, CL_FALSE, start_bytes, t->bytes,
                t->host, command.nwaits, command.waits, command.event_out));
    } else {
        OCL_TRY(clEnqueueReadBuffer(command.queue, memory->buffer, CL_FALSE, start_bytes, t->bytes,
                t->host, command.nwaits, command.waits, command.event_out));
    }
    return prim__ocl_command_end(&command, ctx);
}
