// SPDX-License-Identifier: Apache-2.0
// The deconvolution of benchdnn itself, and its gradients, in double. Tensors are dense and
// row-major over src [MB, IC, in…], wei [(G,) OC/G, IC/G, kernel…], bias [OC], dst [MB, OC, out…].
#ifndef BENCH_DECONV_REF_H
#define BENCH_DECONV_REF_H

#include "core/driver.h"

/// `bias` may be NULL.
void deconv_ref_forward(const problem_t *problem, const double *src, const double *wei,
        const double *bias, double *dst);
void deconv_ref_backward_data(
        const problem_t *problem, const double *diff_dst, const double *wei, double *diff_src);
void deconv_ref_backward_weights(
        const problem_t *problem, const double *src, const double *diff_dst, double *diff_wei);

/// The products of one input and one output channel in one image: pairs of a position of src and a
/// tap that reach dst.
double deconv_ref_pairs(const problem_t *problem);
/// The part of a channel of dst that some tap reaches, 0..1: strides above the kernel leave holes.
double deconv_ref_reached(const problem_t *problem);
/// No element of dst is reached by more taps.
int64_t deconv_ref_most_taps(const problem_t *problem);

#endif
