// SPDX-License-Identifier: Apache-2.0
// Tiles and split-K of convolutions by WGMMA and `mma.sync`: the cost models.
#ifndef PRIM_OCL_CONV_WGMMA_PLAN_H
#define PRIM_OCL_CONV_WGMMA_PLAN_H

#include "gpu/ocl/device/ocl_device.h"
#include "gpu/ocl/tune/ocl_tune.h"

enum { OCL_CONV_WGMMA_DEPTH = 64 }; ///< elements of K in a slice

/// The product, in elements: g times [pixels, ntaps·channels] × [ntaps·channels, outputs].
typedef struct {
    int64_t g, pixels, outputs, ntaps, channels;
    int64_t most_taps;   ///< where ntaps is an average: of the product that has most; else 0
    int64_t size[3];     ///< the pixels as width, height, images
    int element_step[2]; ///< of neighbouring pixels in src, for boxes
    bool may_box;        ///< src can be copied in boxes
    bool may_gather;     ///< and by rows
    bool has_unit;       ///< else plain C multiplies: small tiles
    int dst_bytes;       ///< of an element of dst
    int beside_bytes;    ///< of what a post-op reads where dst's element lies; 0: nothing
    bool is_short;       ///< the epilogue stores straight from registers
    bool has_words;      ///< so it does, by words: pixels of dst are no multiples of 16 bytes apart
    bool is_across;      ///< weights are read across K: blocks of 64 outputs
} ocl_conv_wgmma_product_t;

/// Plain data.
typedef struct {
    int bm, bn;           ///< a tile: pixels × output channels
    int stages;           ///< slices in local memory
    int copiers;          ///< work-items of a group that copy, beside bm/64·128 that multiply
    bool has_boxes;       ///< pixels of a tile are a box; tensor maps copy it
    int32_t box[3];       ///< width, height, images
    int32_t box_tiles[3]; ///< tiles of pixels; without boxes all in the first
    int32_t ngroups;      ///< work-groups that are started
    int32_t ntiles, ntiles_m, ntiles_n;     ///< of all; of pixels and outputs of one of the g
    int32_t slices_c;                       ///< of a tap, of boxes
    int32_t nslices, split_slices, nsplits; ///< of K
    double cycles;                          ///< what the model expects
} ocl_conv_wgmma_plan_t;

/// The names of what prim__ocl_conv_wgmma_plan() offers to a tuner.
#define OCL_CONV_WGMMA_PARAMS "bm bn stages boxes splits"

/// The cheapest plan that fits into `local_bytes` of local memory and whose splits are sums of at
/// most OCL_LONGEST_SUM products, or the one that `tune` chose; false if there is none.
bool prim__ocl_conv_wgmma_plan(ocl_conv_wgmma_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, uint64_t local_bytes, const ocl_conv_wgmma_product_t *product);

/// Elements of f32 that partial sums take; 0 without splits.
int64_t prim__ocl_conv_wgmma_partials(const ocl_conv_wgmma_plan_t *plan);

/// A convolution whose K is the rows of its window, in elements: pixels × [nrows·row_elems].
typedef struct {
    int64_t pixels, outputs;
    int64_t nrows, row_elems; ///< of the window; neighbours in src
    bool has_pairs;           ///< rows start at even distances from each other
    bool is_short;            ///< the epilogue stores straight from registers
    int dst_bytes;            ///< of an element of dst
    bool has_words;           ///< pixels of dst are no multiples of 16 bytes apart
    int64_t step_bytes;       ///< between neighbouring windows in src
} ocl_conv_rows_product_t;

enum { OCL_CONV_ROWS_BM = 64, OCL_CONV_ROWS_BN = 64, OCL_CONV_ROWS_ITEMS = 128 };
enum { OCL_CONV_ROWS_MAX_STEPS = 32 }; ///< of 16 elements of K

/// Plain data.
typedef struct {
    int row_chunks;                    ///< chunks of 8 elements a row of the window takes
    int nsteps;                        ///< of 16 elements of K
    bool spreads;                      ///< dense filters come to local memory as they are first
    uint64_t local_bytes;              ///< of a group, but for its sizes
    int32_t ntiles, ntiles_n, ngroups; ///< of pixels, of outputs; groups that are started
    double cycles;                     ///< what the model expects
} ocl_conv_rows_plan_t;

/// False where the window is too large.
bool prim__ocl_conv_few_channels_plan(ocl_conv_rows_plan_t *plan, const ocl_device_t *device,
        const ocl_conv_rows_product_t *product);

/// A convolution by tiles that the warps of a group share: g times [pixels, slices of K] ×
/// outputs.
typedef struct {
    int64_t g, pixels, outputs, nslices;
    bool has_unit; ///< else plain C multiplies: the smallest tile
    /// Of a gradient by weights, whose operands lie across K: channels are its pixels, columns its
    /// outputs, and K is split, the most slices each. 0: K is not split.
    int64_t longest;
} ocl_conv_mma_product_t;

/// Plain data.
typedef struct {
    int bm, bn, wm, wn, stages;    ///< pixels × output channels of a group, of a warp; slices
    int32_t ntiles_m, ntiles_n;    ///< of one of the g
    int32_t split_slices, nsplits; ///< of K over groups
    double cycles;                 ///< what the model expects
} ocl_conv_mma_plan_t;

/// The names of what prim__ocl_conv_mma_plan() offers to a tuner.
#define OCL_CONV_MMA_PARAMS "bm bn stages"
/// The same of a gradient by weights.
#define OCL_CONV_MMA_SPLIT_PARAMS "bm bn stages splits"

/// The cheapest plan that fits into groups of the device and `local_bytes`, or the one that `tune`
/// tells to take; false if there is none.
bool prim__ocl_conv_mma_plan(ocl_conv_mma_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, uint64_t local_bytes, const ocl_conv_mma_product_t *product);
/// Work-items of a group.
size_t prim__ocl_conv_mma_items(const ocl_conv_mma_plan_t *plan);

#endif
