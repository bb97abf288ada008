// SPDX-License-Identifier: Apache-2.0
// Appends arguments to the argument list of a launch.
#include "ocl_args.h"

#include <assert.h>
#include <stdatomic.h>
#include <time.h>

// Memory of a process that has ended may hold its tickets.
static uint64_t key_of_process(void)
{
    static _Atomic uint64_t key;
    uint64_t known = atomic_load(&key);
    if (known) return known;
    struct timespec now = {0};
    (void)timespec_get(&now, TIME_UTC);
    const uint64_t made =
            ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) * 0xbf58476d1ce4e5b9u | 1u;
    return atomic_compare_exchange_strong(&key, &known, made) ? made : known;
}

int64_t prim__ocl_ticket(void)
{
    // Multiples of an odd number repeat after 2^63 in 63 bits.
    static _Atomic uint64_t count;
    uint64_t ticket = 0;
    while (ticket == 0) {
        const uint64_t n = atomic_fetch_add(&count, 1) + 1;
        ticket = (n * 0x9e3779b97f4a7c15u ^ key_of_process()) << 1;
    }
    return (int64_t)ticket;
}

void prim__ocl_args_init(ocl_args_t *args)
{
    args->nargs = 0;
    args->missing = 0;
    args->ticket = 0;
}

// The next entry with its value zeroed, so that numbers compare as 64 bits.
static ocl_arg_t *next(ocl_args_t *args, unsigned kind, size_t bytes)
{
    assert(args->nargs < OCL_MAX_ARGS);
    ocl_arg_t *const arg = &args->entries[args->nargs++];
    arg->kind = kind;
    arg->bytes = (unsigned)bytes;
    arg->value.bits = 0;
    return arg;
}

void prim__ocl_args_i32(ocl_args_t *args, int32_t value)
{
    next(args, OCL_ARG_I32, sizeof value)->value.i32 = value;
}

void prim__ocl_args_i64(ocl_args_t *args, int64_t value)
{
    next(args, OCL_ARG_I64, sizeof value)->value.i64 = value;
}

void prim__ocl_args_ticket(ocl_args_t *args)
{
    assert(args->ticket == 0);
    prim__ocl_args_i64(args, prim__ocl_ticket());
    args->ticket = args->nargs;
}

void prim__ocl_args_f32(ocl_args_t *args, float value)
{
    next(args, OCL_ARG_F32, sizeof value)->value.f32 = value;
}

void prim__ocl_args_buffer(ocl_args_t *args, cl_mem buffer)
{
    next(args, OCL_ARG_BUFFER, sizeof buffer)->value.buffer = buffer;
}

void prim__ocl_args_image_object(ocl_args_t *args, cl_mem image)
{
    next(args, OCL_ARG_IMAGE, sizeof image)->value.buffer = image;
}

void prim__ocl_args_local(ocl_args_t *args, size_t bytes)
{
    next(args, OCL_ARG_LOCAL, bytes);
}

void prim__ocl_args_struct(ocl_args_t *args, const void *value, size_t bytes)
{
    next(args, OCL_ARG_STRUCT, bytes)->value.pointer = value;
}

// The pointer parameter of a memory, whichever kind it is.
static void add_pointer(ocl_args_t *args, const ocl_memory_t *memory, int arg)
{
    const bool is_missing = memory->base.bytes > 0 && !prim__ocl_memory_has_storage(memory);
    if (is_missing && !args->missing) args->missing = arg;
    if (memory->buffer || !memory->pointer) {
        prim__ocl_args_buffer(args, memory->buffer);
        return;
    }
    const unsigned kind = memory->kind == PRIM_OCL_SVM ? OCL_ARG_SVM : OCL_ARG_USM;
    next(args, kind, sizeof memory->pointer)->value.pointer = memory->pointer;
}

void prim__ocl_args_nothing(ocl_args_t *args)
{
    prim__ocl_args_buffer(args, NULL);
    prim__ocl_args_i64(args, 0);
}

void prim__ocl_args_tensor(ocl_args_t *args, const exec_ctx_t *ctx, int arg)
{
    const ocl_memory_t *const memory = prim__ocl_memory(prim__ctx_memory(ctx, arg));
    if (!memory) {
        prim__ocl_args_nothing(args);
        return;
    }
    add_pointer(args, memory, arg);
    const prim_memory_desc_t *const md = &memory->base.md;
    const size_t element_bytes = prim_data_type_size(md->data_type);
    prim__ocl_args_i64(args, (int64_t)(memory->offset_bytes / element_bytes) + md->offset0);
}

void prim__ocl_args_tensor_from(ocl_args_t *args, const exec_ctx_t *ctx, int arg, int64_t elems)
{
    prim__ocl_args_tensor(args, ctx, arg);
    args->entries[args->nargs - 1].value.i64 += elems;
}

void prim__ocl_args_scratchpad(
        ocl_args_t *args, const exec_ctx_t *ctx, size_t booked_offset_bytes, size_t elem_bytes)
{
    const ocl_memory_t *const memory = prim__ocl_memory(ctx->scratchpad);
    assert(memory);
    add_pointer(args, memory, PRIM_ARG_SCRATCHPAD);
    const size_t start_bytes = memory->offset_bytes + booked_offset_bytes;
    assert(start_bytes % elem_bytes == 0);
    prim__ocl_args_i64(args, (int64_t)(start_bytes / elem_bytes));
}

int64_t prim__ocl_args_take_i64(ocl_args_t *args)
{
    assert(args->nargs > 0 && args->entries[args->nargs - 1].kind == OCL_ARG_I64);
    return args->entries[--args->nargs].value.i64;
}
