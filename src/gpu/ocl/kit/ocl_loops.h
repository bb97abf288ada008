// SPDX-License-Identifier: Apache-2.0
// Several tensors of one shape as one loop nest: blocked dimensions split into digits, neighbours
// that are contiguous in every tensor merged. Typed kernels of element-wise operations and copies
// work on such nests instead of descriptors. Host side only.
//
// f32 abcd 2x32x7x7 to aBcd16b: loops of 2, 2, 49, 16 with dst strides 1568, 784, 16, 1 and src
// strides 1568, 784, 1, 49.
#ifndef PRIM_OCL_LOOPS_H
#define PRIM_OCL_LOOPS_H

#include "common/memory_desc.h"

enum { LOOPS_MAX = 32, LOOPS_MAX_TENSORS = 4, LOOPS_MAX_TAILS = 2 };

/// A logical dimension whose loops run past its end, because some tensor is padded there. The index
/// along it is Σ multipliers[l]·index[l]; from `limit` on it is padding.
typedef struct {
    int64_t limit;
    int64_t multipliers[LOOPS_MAX]; ///< 0 for loops of other dimensions
    bool is_in_dst; ///< dst has the padding: zeros are written there, else nothing is
} loop_tail_t;

/// Outermost first, by falling stride of tensor 0. Strides in elements; 0 where a tensor
/// broadcasts.
typedef struct {
    int n, ntensors, ntails;
    int64_t extents[LOOPS_MAX];
    int64_t strides[LOOPS_MAX_TENSORS][LOOPS_MAX];
    loop_tail_t tails[LOOPS_MAX_TAILS];
} loops_t;

/// Describes tensors of one rank; mds[0] is dst and has the full shape, the others may broadcast
/// (extent 1). False when the blocks have no common refinement or more than LOOPS_MAX_TAILS
/// dimensions are padded. Starts of tensors (offset0) are left out. An empty tensor has one loop of
/// 0.
bool prim__ocl_loops_init(loops_t *loops, const prim_memory_desc_t *const *mds, int nmds);

/// The same for plain tensors without logical dimension `axis`, which stays outside the nest.
bool prim__ocl_loops_init_without(
        loops_t *loops, const prim_memory_desc_t *const *mds, int nmds, int axis);

/// The loop that walks tensor `t` in steps of 1; −1 when there is none.
int prim__ocl_loops_unit(const loops_t *loops, int t);
/// Moves loop `from` to place `to`; the others keep their order.
void prim__ocl_loops_move(loops_t *loops, int from, int to);
/// Adds outer loops of 1 in front until there are `n`.
void prim__ocl_loops_pad(loops_t *loops, int n);

#endif
