// SPDX-License-Identifier: Apache-2.0
// Pooling: what its implementations on both engines share, the workspace and the order of the
// spatial parameters.
#ifndef PRIM_COMMON_POOL_SHAPE_H
#define PRIM_COMMON_POOL_SHAPE_H

#include "impl.h"

/// One spatial dimension of a pooling. Absent dimensions are of size 1 with a window of 1.
typedef struct {
    prim_dim_t in, out, kernel, stride, pad; ///< `pad` is the one in front
    prim_dim_t step;                         ///< between the taps of a window: dilation + 1
} pool_axis_t;

/// Fills depth, height and width; of a backward pass `in` is diff_src's, `out` diff_dst's.
void prim__pooling_axes(pool_axis_t axes[3], const prim_desc_t *pd);

/// The windows *begin ≤ o < *end along an axis whose taps reach over element `at` of src; with
/// dilation some may step over it.
void prim__pooling_windows(
        const pool_axis_t *axis, prim_dim_t at, prim_dim_t *begin, prim_dim_t *end);
/// Taps of a window along an axis that lie in src.
prim_dim_t prim__pooling_count_taps(const pool_axis_t *axis, prim_dim_t window);

/// Gives dst the layout of src if it is `any`, and adds the workspace if the problem has one. For
/// init_pd, after the requirements.
prim_status_t prim__pooling_resolve(prim_desc_t *pd);

/// Whether some window lies wholly in the padding: its maximum is the lowest finite number.
bool prim__pooling_has_hollow_window(const prim_desc_t *pd);

/// Max pooling for training: the winner's index goes to the workspace.
bool prim__pooling_has_workspace(const prim_desc_t *pd);

#endif
