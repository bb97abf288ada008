// SPDX-License-Identifier: Apache-2.0
// Whether the kernels of a primitive use non-temporal stores and prefetches (clh/nontemporal.h).
#ifndef PRIM_OCL_NONTEMPORAL_H
#define PRIM_OCL_NONTEMPORAL_H

#include "common/impl.h"
#include "gpu/ocl/program/ocl_options.h"

/// Adds -DNONTEMPORAL=1, by which the vector stores of clh/io_vec.h are non-temporal, where the
/// device has such stores and the problem's tensors together are larger than what its cores can
/// have of its cache, so that dst would hardly be there any more when the next primitive reads it.
/// For kernels that write dst once and do not read it afterwards. `run` counts the neighbours of
/// `dst` that are written contiguously: where they are less than a cache line, the line should stay
/// cached until it is complete. A program is built at most twice by it, whatever
/// the shapes.
void prim__ocl_nontemporal_options(
        ocl_options_t *options, const prim_desc_t *pd, int dst, int64_t run);

/// Adds -DPREFETCHES=1, by which clh/nontemporal.h prefetches, under the same conditions but those
/// of dst.
void prim__ocl_prefetch_options(ocl_options_t *options, const prim_desc_t *pd);

#endif
