// SPDX-License-Identifier: Apache-2.0
// The table of a post-op chain, in constant data: an entry for each step, and behind that of a select
// one for its condition.
#ifndef CLH_SHARED_POST_OPS_DATA_H
#define CLH_SHARED_POST_OPS_DATA_H

#include "md_data.h"

#define PO_MAX_LEN 32

typedef struct {
    cl_int kind, alg;             // of prim_primitive_kind_t (0: a condition) and prim_alg_kind_t
    cl_float alpha, beta, scale;  // scale: sum
    cl_int zero_point;            // sum
    cl_int dt;                    // of the operand; sum: how the old dst is read
    cl_int operand;               // number of the operand among the kernel's, or −1
    ocl_md_t md;                  // of the operand
} ocl_post_op_t;

SHARED_BYTES(ocl_post_op_t, 8 * 4 + sizeof(ocl_md_t));

typedef struct {
    cl_int len, reserved;
    ocl_post_op_t entries[PO_MAX_LEN];
} ocl_post_ops_t;

SHARED_BYTES(ocl_post_ops_t, 8 + PO_MAX_LEN * sizeof(ocl_post_op_t));

#endif
