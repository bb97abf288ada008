// SPDX-License-Identifier: Apache-2.0
// Tiles and split-K of implicit matrix products: one cost model for ocl_conv_igemm and the
// implementations that use its kernel.
#ifndef PRIM_OCL_CONV_PLAN_H
#define PRIM_OCL_CONV_PLAN_H

#include "gpu/ocl/device/ocl_device.h"
#include "gpu/ocl/program/ocl_options.h"
#include "gpu/ocl/tune/ocl_tune.h"

/// The product, in elements: g times [m, ntaps·channels] × [ntaps·channels, n].
typedef struct {
    int64_t g, m, n, ntaps, channels;
    bool is_flat;   ///< K is cut without regard to taps
    bool may_split; ///< K may be split over work-groups
    /// The most indices of K of a split of a long K, of which there may be hundreds; 0: no limit,
    /// and a few splits.
    int64_t longest;
    /// Local memory of a group of ocl_conv_pipeline.cl, or 0: by ocl_conv_igemm.cl.
    size_t pipeline_bytes;
} ocl_conv_product_t;

/// Plain data.
typedef struct {
    int bm, bn, bk; ///< a work-group's tile of m × n, and the indices of K it holds at a time
    int tm, tn;     ///< a work-item's
    int nteams;     ///< teams of work-items, each with a part of a slice of K
    int nitems;     ///< of a group
    int nstages;    ///< slices in local memory of ocl_conv_pipeline.cl; 0: of the other kernel
    int32_t ntiles_m, ntiles_n;
    int32_t nslices, nslices_c;    ///< of K, bk each; of those, in one tap
    int32_t split_slices, nsplits; ///< of K over groups
    double cycles;                 ///< what the model expects of one compute unit
} ocl_conv_plan_t;

/// The names of what prim__ocl_conv_plan() offers to a tuner.
#define OCL_CONV_PLAN_PARAMS "bm bn bk teams splits"

/// The cheapest plan whose groups the device can run, or the one that `tune` (NULL: nobody) tells
/// to take; false if there is none.
bool prim__ocl_conv_plan(ocl_conv_plan_t *plan, ocl_tune_t *tune, const ocl_device_t *device,
        const ocl_conv_product_t *product);

/// What it expects where products, but not starts of kernels, take so many times as long.
double prim__ocl_conv_plan_slowed(
        const ocl_device_t *device, const ocl_conv_plan_t *plan, double times);

enum { OCL_CONV_MAX_SPLITS = 24 };

/// Numbers of splits of `nslices` of K that are worth a look: a few, and, where a split is to have
/// no more than `longest` slices (0: any), those that give units up to a dozen of groups each.
int prim__ocl_conv_list_splits(int64_t splits[OCL_CONV_MAX_SPLITS], const ocl_device_t *device,
        int64_t ntiles, int64_t nslices, int64_t longest);

/// The `longest` of a product of `depth` indices of K: OCL_LONGEST_SUM where one sum would be too
/// long, else 0.
int64_t prim__ocl_conv_longest(int64_t depth);

/// What the model expects of kernels that only move data: their bytes, and their starts.
double prim__ocl_conv_move_cycles(const ocl_device_t *device, double bytes, int nkernels);

/// Adds BM, BN, BK, TM, TN, NSLICES and STAGES, or UNROLL.
void prim__ocl_conv_plan_options(
        ocl_options_t *options, const ocl_conv_plan_t *plan, const ocl_device_t *device);

#endif
