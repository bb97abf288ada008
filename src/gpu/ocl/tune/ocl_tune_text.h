// SPDX-License-Identifier: Apache-2.0
// Results of tuning as text. A line each:
//
//     device NVIDIA H200; NVIDIA Corporation; driver 570.86; OpenCL 3.0 CUDA; prim 0.1.0
//     ocl:matmul:mma | src:f16:ab:64x64 wei:… dst:… | bm=64 bn=64 splits=2 | 9120 ns | model 9900
//     ns | full
//
// (without the break), and lines of what was measured of a device or of a family of devices:
//
//     family nvidia_sm90
//     by benchdnn --mode=P --engine=gpu --matmul --batch=shapes_squares
//     ocl:matmul | limit group_cycles | 1500 cycles
//     ocl:matmul:mma | config bm=64 bn=64 stages=2 | alone=200 full=400 products/cycle
//
// Empty lines and lines that begin with # are comments; "by" gives the command to measure with what
// follows. Texts behind each other are a text; a line "device" or "family" holds until the next.
#ifndef PRIM_OCL_TUNE_TEXT_H
#define PRIM_OCL_TUNE_TEXT_H

#include "ocl_tune_results.h"

/// A text for prim__free(), sorted; NULL when there is no memory.
char *prim__ocl_tune_text_print(const ocl_tune_results_t *results, const char *device);

/// What parsing found.
typedef struct {
    bool has_memory;
    int nfaults;         ///< lines that are not right; they are passed over
    int line;            ///< the first of them, from 1
    const char *why;     ///< what is wrong with it
    int nforeign, nmine; ///< results of other devices, of `device`
} ocl_tune_parsed_t;

/// Puts what stands in `bytes` bytes of `text` of `device` and of `family`, NULL: of neither.
ocl_tune_parsed_t prim__ocl_tune_text_parse(ocl_tune_results_t *results, const char *text,
        size_t bytes, const char *device, const char *family);

#endif
