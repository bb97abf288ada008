// SPDX-License-Identifier: Apache-2.0
// Numbers that were measured on a family of devices: thresholds, constants of cost models, speeds
// of configurations. They stand in tune/tables/<family>.tune; algorithms have none of their own,
// but a formula over the traits for devices without a table:
//
//     // Starting another kernel takes some 6 µs.
//     const double launch = prim__ocl_measured(
//             device, MEASURED_MATMUL_LAUNCH_CYCLES, prim__ocl_estimate_cycles(device, 6));
//
// A new number is a key here, its rule in ocl_measured_rules.c, and a line in the table of each
// family it was measured on (doc/tuning.md).
#ifndef PRIM_OCL_MEASURED_H
#define PRIM_OCL_MEASURED_H

#include "gpu/ocl/device/ocl_device.h"
#include "ocl_tune_params.h"
#include "ocl_tune_results.h"

/// What is one number. ocl_measured_rules.c tells names, units and bounds.
typedef enum {
    MEASURED_MATMUL_GROUP_CYCLES,
    MEASURED_MATMUL_LAUNCH_CYCLES,
    MEASURED_MATMUL_PARTIAL_BYTES,
    MEASURED_MATMUL_SUM_CYCLES,
    MEASURED_GEMV_NN_ALONE_BYTES,
    MEASURED_GEMV_NN_FULL_BYTES,
    MEASURED_GEMV_NN_MOST_ROWS,
    MEASURED_GEMV_NT_MOST_ROWS,
    MEASURED_GEMV_NT_MOST_SHORT_ROWS,
    MEASURED_MMA_SPLIT_K_MOST_ROWS,
    MEASURED_MMA_SPLIT_K_LEAST_DEPTH,
    MEASURED_MMA_SPLIT_K_LEAST_BYTE_ROWS,
    MEASURED_MMA_SPLIT_K_WARPS,
    MEASURED_MMA_SPLIT_K_AHEAD_ALONE,
    MEASURED_MMA_SPLIT_K_AHEAD,
    MEASURED_MMA_SPLIT_K_AHEAD_TALL,
    MEASURED_PACKED_CPU_FEW_PRODUCTS,
    MEASURED_PACKED_CPU_CORE_ITEMS,
    MEASURED_CONV_START_CYCLES,
    MEASURED_CONV_GROUP_CYCLES,
    MEASURED_CONV_SUM_CYCLES,
    MEASURED_CONV_SUM_BYTES,
    MEASURED_CONV_WGMMA_PRODUCTS,
    MEASURED_CONV_WGMMA_LOCAL_BYTES,
    MEASURED_CONV_WGMMA_CACHE_BYTES,
    MEASURED_CONV_WGMMA_STORE_BYTES,
    MEASURED_CONV_WGMMA_SLICE_CYCLES,
    MEASURED_CONV_WGMMA_ROW_CYCLES,
    MEASURED_CONV_WGMMA_START_CYCLES,
    MEASURED_CONV_WGMMA_TENSOR_MAP_CYCLES,
    MEASURED_CONV_WGMMA_END_CYCLES,
    MEASURED_CONV_WGMMA_SUM_CYCLES,
    MEASURED_CONV_WGMMA_FEW_CHANNELS_UNIT_GROUPS,
    MEASURED_CONV_MMA_SPLIT_K_START_CYCLES,
    MEASURED_CONV_MMA_SPLIT_K_BATCH_CYCLES,
    MEASURED_CONV_MMA_SPLIT_K_END_CYCLES,
    MEASURED_CONV_MMA_SPLIT_K_WARP_CYCLES,
    MEASURED_CONV_MMA_SPLIT_K_LOAD_BYTES,
    MEASURED_CONV_MMA_SPLIT_K_LEAST_DEPTH,
    MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS,
    MEASURED_CONV_MMA_SPLIT_K_MOST_PRODUCTS,
    MEASURED_CONV_MMA_TILED_START_CYCLES,
    MEASURED_CONV_MMA_TILED_END_CYCLES,
    MEASURED_CONV_BROADCAST_ITEM_KPRODUCTS,
    MEASURED_CONV_DEPTHWISE_SLIDING_UNIT_ITEMS,
    OCL_NMEASURED,
} ocl_measured_key_t;

/// What is some numbers for each configuration of a kernel.
typedef enum {
    MEASURED_MATMUL_WGMMA_TILES,
    MEASURED_MATMUL_MMA_TILES,
    MEASURED_MATMUL_PIPELINE_TILES,
    MEASURED_MATMUL_MMA_SPLIT_K_COLUMNS,
    MEASURED_MATMUL_GEMV_NT_ROWS,
    MEASURED_CPU_REGISTER_TILES,
    MEASURED_CONV_IGEMM_TILES,
    MEASURED_CONV_MMA_TILES,
    OCL_NMEASURED_SETS,
} ocl_measured_set_t;

enum { OCL_MEASURED_VALUES = 3 }; ///< of a configuration, at most

typedef struct {
    double values[OCL_MEASURED_VALUES];
} ocl_measured_values_t;

/// The number of the device's family, or `estimate`, which the caller derives from the traits.
/// Cheap (an array), but meant for init_pd: what it decides belongs to the descriptor.
double prim__ocl_measured(const ocl_device_t *device, ocl_measured_key_t key, double estimate);
/// The same of a key whose rule asks for whole numbers.
int prim__ocl_measured_int(const ocl_device_t *device, ocl_measured_key_t key, int estimate);

/// The numbers of a configuration, in the order of the set's rule, or `estimate`.
ocl_measured_values_t prim__ocl_measured_config(const ocl_device_t *device, ocl_measured_set_t set,
        ocl_tune_params_t params, ocl_measured_values_t estimate);

/// Reads the table of the device's family, and then what `own` (the user's; NULL: none) says of
/// measured numbers over it, for device->measured. Lines of `own` that no rule knows cost a line in
/// the log.
prim_status_t prim__ocl_measured_create(
        struct ocl_measured **measured, const ocl_device_t *device, const ocl_tune_results_t *own);
void prim__ocl_measured_destroy(struct ocl_measured *measured);

#endif
