// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution by src as forward convolutions. With stride 1, diff_src is diff_dst
// convolved with the weights, whose taps are in reverse order and whose input and output channels
// have changed places. With stride s, elements of diff_src whose index leaves the same remainder
// meet the same taps: each of these phases is such a convolution of stride 1 over its share of the
// taps, and writes every s-th element (Vaidyanathan, Multirate Systems and Filter Banks, 1993,
// section 4.3: polyphase decomposition).
//
// Both engines use it. An implementation copies the weights of each phase where `copies_weights`,
// sets diff_src to 0 where `leaves_zeros`, and runs the phases in slots 0 … nphases − 1.
#ifndef PRIM_COMMON_CONV_POLYPHASE_H
#define PRIM_COMMON_CONV_POLYPHASE_H

#include "conv_shape.h"
#include "nested.h"

extern const op_schema_t prim__conv_forward_schema;

/// One spatial dimension of a phase.
typedef struct {
    prim_dim_t first_tap, tap_step, ntaps; ///< its taps, in the order of the weights
    prim_dim_t dilation;                   ///< distance of these taps in diff_dst, 1 is dense
    prim_dim_t pad_l, pad_r;
    prim_dim_t src_start, src_elems; ///< of diff_src: every stride-th element from src_start on
    prim_dim_t dst_start, dst_elems; ///< of diff_dst: what its windows reach
} conv_phase_dim_t;

typedef struct {
    conv_phase_dim_t dims[CONV_NSPATIAL];
    size_t diff_dst_bytes_at, diff_src_bytes_at; ///< of the views' first elements
    size_t weights_bytes_at;                     ///< of the copy, in the scratchpad
} conv_phase_t;

typedef struct {
    int nphases;
    bool copies_weights; ///< else the nested problems read the caller's
    bool leaves_zeros;   ///< elements of diff_src that no phase writes
    conv_phase_t phases[MAX_NESTED];
} conv_polyphase_t;

/// The phase of a spatial dimension that starts at element `start` of diff_src, below its stride.
/// Without taps or elements of diff_dst to meet: ntaps 0.
void prim__conv_phase_dim(
        conv_phase_dim_t *phase, const conv_shape_t *shape, int dim, prim_dim_t start);
/// Splits the problem and nests a convolution for each phase (init_pd). Layouts that are open
/// become channels last or row-major.
prim_status_t prim__conv_polyphase_init_pd(
        conv_polyphase_t *polyphase, prim_desc_t *pd, bool prefers_channels_last);
/// Runs phase `slot`, whose weights are in place.
prim_status_t prim__conv_polyphase_run(const conv_polyphase_t *polyphase, const prim_t *primitive,
        const exec_ctx_t *ctx, int slot);

#endif
