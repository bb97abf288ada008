// SPDX-License-Identifier: Apache-2.0
// What the tests of the creators of convolution and of its transpose share: all cases that differ
// in the functions and the spatial sizes alone.
#ifndef CONV_RIG_H
#define CONV_RIG_H

#include "op_test.h"

#define INFER PRIM_FORWARD_INFERENCE
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

/// The operation. Texts of tensors have S for the spatial sizes of src, D for those of dst: what
/// strides 2, paddings 1 and (0, 1) and a kernel of 3x3 make of each other.
typedef struct {
    prim_primitive_kind_t kind;
    prim_alg_kind_t direct;
    const char *src_size, *dst_size, *src_length,
            *dst_length;   ///< the last two: of a row, a kernel of 3
    prim_alg_kind_t other; ///< another algorithm of its own, and what is answered
    prim_status_t other_status;
    prim_status_t dst_channel_scales, weights_zero_point;
    prim_status_t (*forward)(prim_desc_t **pd, prim_engine_t *engine, prim_prop_kind_t prop_kind,
            prim_alg_kind_t alg, const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
            const prim_memory_desc_t *bia, const prim_memory_desc_t *dst, const prim_dim_t *strides,
            const prim_dim_t *dilates, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
            const prim_attr_t *attr);
    prim_status_t (*backward_data)(prim_desc_t **pd, prim_engine_t *engine, prim_alg_kind_t alg,
            const prim_memory_desc_t *diff_src, const prim_memory_desc_t *wei,
            const prim_memory_desc_t *diff_dst, const prim_dim_t *strides,
            const prim_dim_t *dilates, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
            const prim_desc_t *hint, const prim_attr_t *attr);
    prim_status_t (*backward_weights)(prim_desc_t **pd, prim_engine_t *engine, prim_alg_kind_t alg,
            const prim_memory_desc_t *src, const prim_memory_desc_t *diff_wei,
            const prim_memory_desc_t *diff_bia, const prim_memory_desc_t *diff_dst,
            const prim_dim_t *strides, const prim_dim_t *dilates, const prim_dim_t *pad_l,
            const prim_dim_t *pad_r, const prim_desc_t *hint, const prim_attr_t *attr);
} conv_op_t;

extern const conv_op_t conv_direct, conv_transposed;
/// The one that the program tests; it defines this.
extern const conv_op_t *const conv_op;

/// op_md_or_null() of a text with S or D.
const prim_memory_desc_t *conv_md(prim_memory_desc_t *storage, const char *text);

/// One call: a good one, in which a case changes what it is about.
typedef struct {
    prim_prop_kind_t prop_kind;
    prim_alg_kind_t alg;
    const char *src, *wei, *bia, *dst;
    prim_dims_t strides, dilates, pad_l, pad_r;
    bool has_dilates, has_pad_r;
} conv_call_t;

conv_call_t conv_good(void);
void conv_expect(const char *name, const conv_call_t *call, prim_status_t expected);

/// Tensors of the good call: of a forward pass, or those whose gradients two passes take.
typedef struct {
    const char *name;
    const char *src, *wei, *bia, *dst;
    prim_status_t expected; ///< of the forward pass, or of the gradient by src
    prim_status_t weights;  ///< of the gradient by weights
} conv_case_t;

/// `cases` are those of one operation alone; the others are in the rig.
void conv_expect_tensors(const conv_case_t *cases, size_t n);
void conv_expect_gradients(const conv_case_t *cases, size_t n);

/// A row of windows: the sizes of both tensors, a kernel of 3.
typedef struct {
    const char *name;
    prim_dim_t stride, dilation, pad_l, pad_r;
    const char *src, *dst;
    prim_status_t expected;
} conv_window_t;

void conv_expect_windows(const conv_window_t *windows, size_t n);

/// Tests of both operations, forward.
void conv_test_nulls(void **state);
void conv_test_defaults(void **state);
void conv_test_quantisation(void **state);
void conv_test_post_ops(void **state);
void conv_test_any(void **state);
void conv_test_queries(void **state);

/// Of both gradients.
void conv_test_gradient_nulls(void **state);
void conv_test_gradient_algorithms(void **state);
void conv_test_gradient_attributes(void **state);
void conv_test_gradient_hint(void **state);
void conv_test_gradient_any(void **state);
void conv_test_gradient_queries(void **state);
void conv_test_gradient_empty(void **state);

#endif
