// SPDX-License-Identifier: Apache-2.0
// What the drivers of convolution, matmul and inner product share: the values of their tensors, and
// how far from the exact sums the promised arithmetic may end.
#ifndef BENCH_PRODUCT_DATA_H
#define BENCH_PRODUCT_DATA_H

#include "core/driver.h"

/// Which products an element of an operand takes part in: the k-th ones, k = index / step % count,
/// of the sums of one line.
typedef struct {
    int64_t step, count;
    bool has_inner; ///< index % step counts lines too, not only index / (step·count)
    int64_t run;    ///< so many of these are of one line; 0: 1
} product_axis_t;

/// The arguments of a product: two operands and the result; zeroes: SRC, WEIGHTS and DST. Of a
/// gradient by the weights, say, SRC, DIFF_DST and DIFF_WEIGHTS.
typedef struct {
    int src, wei, dst;
} product_args_t;

/// The types of a case and the number of products that a result sums up.
typedef struct {
    product_args_t args;
    prim_data_type_t src, wei, dst, bias; ///< bias: undef without
    double max_f32_src, max_f32_wei;      ///< what small f32 and f64 tensors go up to
    int64_t n_acc;
    product_axis_t src_axis, wei_axis;
    /// Of an algorithm that adds and subtracts operands before it multiplies (Winograd): how far
    /// off sums may be, relative to their root mean square. The result is judged by its norm, and
    /// signs are independent. 0: none.
    double transform_error;
} product_t;

/// The classes of values with a meaning for the case.
unsigned product_classes(const product_t *product, const prb_t *prb);

/// The arguments with their defaults.
product_args_t product_args(const product_t *product);

/// Fills an operand, BIAS, or DST before a sum.
void product_fill(const product_t *product, const prb_t *prb, arg_t *arg);

/// Adds up products: dst = src·wei + bias (NULL: none), of the operands that the product names.
typedef void (*product_sum_t)(const prb_t *prb, const args_t *args, const double *src,
        const double *wei, const double *bias, double *dst);

/// The reference of the result and its slack.
void product_reference(const product_t *product, args_t *args, product_sum_t sum);

/// How far a sum of `n` products of the product's types is off, relative to Σ|src·wei|.
double product_units(const product_t *product, const prb_t *prb, int64_t n);

/// What the driver knows of its cases; driver_t's `product`.
typedef struct product_driver {
    product_t (*of)(const prb_t *prb);
    product_sum_t sum;
} product_driver_t;

/// driver_t's data_classes, fill and reference for such a driver. Gradients of a bias have the
/// channels of DIFF_DST as its dimension 1.
unsigned product_case_classes(const prb_t *prb);
void product_case_fill(const prb_t *prb, const args_t *args, arg_t *arg);
void product_case_reference(const prb_t *prb, args_t *args);
/// driver_t's list_args where all dimensions are known: the product's arguments, BIAS if there is
/// one, DIFF_BIAS in gradients by the weights.
void product_case_list_args(const prb_t *prb, args_t *args);

/// Whether --dt, the option at this index, is one type or three.
bool product_verify_types(const prb_t *prb, int dt_option);
/// The type of the bias: as given, or f64 of f64 weights, or f32.
prim_data_type_t product_bias_dt(const prb_t *prb, int bias_option, int dt_option);
/// Why a gradient is not computed: integers have none, and it takes no scales, zero points and
/// post-ops.
skip_reason_t product_skip_gradient(
        const prb_t *prb, int dt_option, int bias_option, int direction_option);

#endif
