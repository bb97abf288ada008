// SPDX-License-Identifier: Apache-2.0
// The arguments of one launch, in the order of the kernel's parameters, on the caller's stack.
#ifndef PRIM_OCL_ARGS_H
#define PRIM_OCL_ARGS_H

#include "common/impl.h"
#include "gpu/ocl/memory/ocl_memory.h"

enum { OCL_MAX_ARGS = 192 };

/// What an entry holds.
enum {
    OCL_ARG_NONE,
    OCL_ARG_I32,
    OCL_ARG_I64,
    OCL_ARG_F32,
    OCL_ARG_BUFFER,
    OCL_ARG_IMAGE,
    OCL_ARG_LOCAL,
    OCL_ARG_STRUCT,
    OCL_ARG_SVM,
    OCL_ARG_USM
};

typedef struct {
    unsigned bytes; ///< of the value, or of the local memory
    unsigned kind;
    union {
        int32_t i32;
        int64_t i64;
        float f32;
        cl_mem buffer;
        const void *pointer; ///< struct: the caller's storage, alive until the launch; SVM; USM
        uint64_t bits;       ///< of a number, the rest zero
    } value;
} ocl_arg_t;

/// On the stack, 3 KiB, nothing to clear but what init clears.
typedef struct {
    int nargs;
    int missing; ///< argument whose memory has no buffer, or 0
    int ticket;  ///< place of the ticket, from 1 on; 0: there is none
    ocl_arg_t entries[OCL_MAX_ARGS];
} ocl_args_t;

void prim__ocl_args_init(ocl_args_t *args);
void prim__ocl_args_i32(ocl_args_t *args, int32_t value);    ///< int
void prim__ocl_args_i64(ocl_args_t *args, int64_t value);    ///< long
void prim__ocl_args_f32(ocl_args_t *args, float value);      ///< float
void prim__ocl_args_buffer(ocl_args_t *args, cl_mem buffer); ///< a pointer; NULL is a null pointer
void prim__ocl_args_image_object(ocl_args_t *args, cl_mem image); ///< image2d_t
void prim__ocl_args_local(ocl_args_t *args, size_t bytes);        ///< __local pointer, bytes > 0
/// A struct by value, members naturally aligned on both sides; `value` must live until the launch.
void prim__ocl_args_struct(ocl_args_t *args, const void *value, size_t bytes);
/// TWO parameters: the buffer's pointer, and `long` the element that the tensor starts at: the
/// memory's byte offset in elements plus the descriptor's offset0. Kernels add strides only. A
/// tensor that was not passed is a null pointer and 0.
void prim__ocl_args_tensor(ocl_args_t *args, const exec_ctx_t *ctx, int arg);
/// The same, `elems` elements behind the start of the tensor.
void prim__ocl_args_tensor_from(ocl_args_t *args, const exec_ctx_t *ctx, int arg, int64_t elems);
/// The same two parameters for a region booked by prim__pd_book_scratchpad(): the scratchpad's
/// buffer and the region's start in elements of `elem_bytes`.
void prim__ocl_args_scratchpad(
        ocl_args_t *args, const exec_ctx_t *ctx, size_t booked_offset_bytes, size_t elem_bytes);
/// A null pointer and 0, in the place of a tensor or a region that there is not.
void prim__ocl_args_nothing(ocl_args_t *args);
/// `ulong`: an even number that is not 0 and that no other launch of this process has, replays of a
/// recording included: by it work-groups tell what others wrote in this launch from what was in
/// memory before (clh/split_team.h). At most one of a kernel.
void prim__ocl_args_ticket(ocl_args_t *args);
/// Another such number.
int64_t prim__ocl_ticket(void);
/// Takes the last parameter off again, a `long`, for kernels whose starts come in one struct: each
/// parameter costs time at every launch.
int64_t prim__ocl_args_take_i64(ocl_args_t *args);

#endif
