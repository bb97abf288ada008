// SPDX-License-Identifier: Apache-2.0
// The tensors of a tuning run: filled so that every right configuration must come to the same
// result, and judged by what doc/numerics.md derives.
#ifndef PRIM_OCL_TUNE_DATA_H
#define PRIM_OCL_TUNE_DATA_H

#include "common/impl.h"

enum { OCL_TUNE_MAX_ARGS = 8 };

/// Why there are no such tensors for a problem (run-time dimensions, images, too many), or NULL.
const char *prim__ocl_tune_data_fault(const prim_desc_t *pd);

/// The arguments of `pd`, `nargs` of them, and a host copy of an output.
typedef struct {
    int nargs;
    prim_arg_t args[OCL_TUNE_MAX_ARGS]; ///< memories owned
    prim_memory_t *dst;                 ///< the output among them
    void *expected;                     ///< owned; what dst should hold
} ocl_tune_data_t;

/// Makes and fills them.
prim_status_t prim__ocl_tune_data_create(ocl_tune_data_t *data, const prim_desc_t *pd);
/// Takes zeroes and half-made ones.
void prim__ocl_tune_data_fini(ocl_tune_data_t *data);

/// Overwrites dst, so that what a kernel leaves out shows.
prim_status_t prim__ocl_tune_data_spoil(ocl_tune_data_t *data);
/// Keeps what dst holds as what is expected.
prim_status_t prim__ocl_tune_data_expect(ocl_tune_data_t *data);
/// Whether dst holds what is expected, within the tolerance of the operation.
prim_status_t prim__ocl_tune_data_judge(
        bool *is_right, const ocl_tune_data_t *data, const prim_desc_t *pd);

#endif
