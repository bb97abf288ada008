// SPDX-License-Identifier: Apache-2.0
// The host's side of groups that meet (clh/meet.h): the words in the scratchpad, and that they are
// 0 when the kernel starts.
//
//     TRY(prim__ocl_meet_require(pd));                              // init_pd
//     prim__ocl_meet_book(&meet, pd, nwords);
//     prim__ocl_meet_options(&options, pd, &meet, 128);
//     TRY(prim__ocl_meet_add_kernel(primitive));                    // init
//     TRY(prim__ocl_meet_clear(ctx, kernel, &meet));                // execute
//     prim__ocl_meet_args(&args, ctx, &meet);   // __global uint *meetings, long meetings_off, int
//     npolls
#ifndef PRIM_OCL_MEET_H
#define PRIM_OCL_MEET_H

#include "ocl_primitive.h"

typedef struct {
    size_t bytes_at; ///< of the scratchpad
    int64_t nwords;
    int32_t npolls; ///< looks before a group does without the others
    bool waits;     ///< option MEET: groups run beside each other
} ocl_meet_t;

/// Declines where groups were not seen to wait for each other, or on processors to do without.
prim_status_t prim__ocl_meet_require(prim_desc_t *pd);
/// Books `nwords` words and fills *meet.
void prim__ocl_meet_book(ocl_meet_t *meet, prim_desc_t *pd, int64_t nwords);
/// Whether the compiler can be told how many registers an item may have.
bool prim__ocl_meet_takes_limit(const ocl_device_t *device);
/// Adds MEET, and REGISTERS: how many of them an item may have so that enough groups find room on a
/// unit, where the compiler can be told so, else 0.
void prim__ocl_meet_options(
        ocl_options_t *options, const prim_desc_t *pd, const ocl_meet_t *meet, int registers);
/// Adds the kernel that clears.
prim_status_t prim__ocl_meet_add_kernel(ocl_primitive_t *primitive);
/// Launches it.
prim_status_t prim__ocl_meet_clear(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const ocl_meet_t *meet);
/// Adds the words.
void prim__ocl_meet_words(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_meet_t *meet);
/// Adds the words and npolls.
void prim__ocl_meet_args(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_meet_t *meet);

#endif
