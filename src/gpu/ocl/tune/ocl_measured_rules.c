// SPDX-License-Identifier: Apache-2.0
// The rules of measured numbers, and how values are read by them.
#include "ocl_measured_rules.h"

#include <string.h>

static const char matmul[] = "ocl:matmul", gemv_nn[] = "ocl:matmul:gemv_nn",
                  gemv_nt[] = "ocl:matmul:gemv_nt", mma_split_k[] = "ocl:matmul:mma_split_k",
                  conv[] = "ocl:conv", conv_wgmma[] = "ocl:conv:wgmma",
                  conv_weights_wgmma[] = "ocl:conv:backward_weights_wgmma",
                  conv_split_k[] = "ocl:conv:mma_split_k", conv_mma_tiled[] = "ocl:conv:mma_tiled";

const ocl_measured_rule_t prim__ocl_measured_rules[OCL_NMEASURED] = {
        [MEASURED_MATMUL_GROUP_CYCLES] = {matmul, "group_cycles", "cycles", MEASURED_REAL, 0, 1e6},
        [MEASURED_MATMUL_LAUNCH_CYCLES] = {matmul, "launch_cycles", "cycles", MEASURED_REAL, 0,
                1e7},
        [MEASURED_MATMUL_JOIN_CYCLES] = {matmul, "join_cycles", "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_MATMUL_PARTIAL_BYTES] = {matmul, "partial_bytes", "bytes/cycle", MEASURED_REAL, 1,
                1e6},
        [MEASURED_MATMUL_SUM_CYCLES] = {matmul, "sum_cycles", "cycles/element", MEASURED_REAL, 0,
                1e3},
        [MEASURED_MATMUL_ALIGN_CYCLES] = {matmul, "align_cycles", "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_MATMUL_ALIGN_BYTES] = {matmul, "align_bytes", "bytes/cycle", MEASURED_REAL, 1,
                1e6},
        [MEASURED_MATMUL_PIPELINE_SLOWER] = {"ocl:matmul:pipeline", "slower", "times",
                MEASURED_REAL, 1, 1e3},
        [MEASURED_MATMUL_WGMMA_UNALIGNED] = {"ocl:matmul:wgmma_gather", "slower", "times",
                MEASURED_REAL, 1, 1e3},
        [MEASURED_GEMV_NN_ALONE_BYTES] = {gemv_nn, "alone_bytes", "bytes/cycle", MEASURED_REAL,
                1e-3, 1e4},
        [MEASURED_GEMV_NN_FULL_BYTES] = {gemv_nn, "full_bytes", "bytes/cycle", MEASURED_REAL, 1e-3,
                1e4},
        [MEASURED_GEMV_NN_MOST_ROWS] = {gemv_nn, "most_rows", "rows", MEASURED_WHOLE, 1, 4},
        [MEASURED_GEMV_NT_MOST_ROWS] = {gemv_nt, "most_rows", "rows", MEASURED_WHOLE, 1, 8},
        [MEASURED_GEMV_NT_MOST_SHORT_ROWS] = {gemv_nt, "most_short_rows", "rows", MEASURED_WHOLE, 1,
                8},
        [MEASURED_MMA_SPLIT_K_MOST_ROWS] = {mma_split_k, "most_rows", "rows", MEASURED_WHOLE, 1,
                32},
        [MEASURED_MMA_SPLIT_K_LEAST_DEPTH] = {mma_split_k, "least_depth", "elements",
                MEASURED_WHOLE, 1, 1 << 20},
        [MEASURED_MMA_SPLIT_K_LEAST_BYTE_ROWS] = {mma_split_k, "least_byte_rows", "rows",
                MEASURED_WHOLE, 1, 32},
        [MEASURED_MMA_SPLIT_K_WARPS] = {mma_split_k, "warps", "warps", MEASURED_POWER_OF_2, 1, 8},
        [MEASURED_MMA_SPLIT_K_AHEAD_ALONE] = {mma_split_k, "ahead_alone", "blocks", MEASURED_WHOLE,
                1, 4},
        [MEASURED_MMA_SPLIT_K_AHEAD] = {mma_split_k, "ahead", "blocks", MEASURED_WHOLE, 1, 4},
        [MEASURED_MMA_SPLIT_K_AHEAD_TALL] = {mma_split_k, "ahead_tall", "blocks", MEASURED_WHOLE, 1,
                4},
        [MEASURED_PACKED_CPU_FEW_PRODUCTS] = {"ocl:matmul:packed_cpu", "few_products", "products",
                MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_PACKED_CPU_CORE_ITEMS] = {"ocl:matmul:packed_cpu", "core_items", "items",
                MEASURED_WHOLE, 1, 64},
        [MEASURED_CONV_START_CYCLES] = {conv, "start_cycles", "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_GROUP_CYCLES] = {conv, "group_cycles", "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_SUM_CYCLES] = {conv, "sum_cycles", "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_SUM_BYTES] = {conv, "sum_bytes", "bytes/cycle", MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_CONV_WGMMA_PRODUCTS] = {conv_wgmma, "products", "products/cycle", MEASURED_REAL,
                1, 1e6},
        [MEASURED_CONV_WGMMA_LOCAL_BYTES] = {conv_wgmma, "local_bytes", "bytes/cycle",
                MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_CONV_WGMMA_CACHE_BYTES] = {conv_wgmma, "cache_bytes", "bytes/cycle",
                MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_CONV_WGMMA_STORE_BYTES] = {conv_wgmma, "store_bytes", "bytes/cycle",
                MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_CONV_WGMMA_SLICE_CYCLES] = {conv_wgmma, "slice_cycles", "cycles", MEASURED_REAL,
                0, 1e7},
        [MEASURED_CONV_WGMMA_ROW_CYCLES] = {conv_wgmma, "row_cycles", "cycles", MEASURED_REAL, 0,
                1e7},
        [MEASURED_CONV_WGMMA_START_CYCLES] = {conv_wgmma, "start_cycles", "cycles", MEASURED_REAL,
                0, 1e7},
        [MEASURED_CONV_WGMMA_TENSOR_MAP_CYCLES] = {conv_wgmma, "tensor_map_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_WGMMA_END_CYCLES] = {conv_wgmma, "end_cycles", "cycles", MEASURED_REAL, 0,
                1e7},
        [MEASURED_CONV_WGMMA_SUM_CYCLES] = {conv_wgmma, "sum_cycles", "cycles", MEASURED_REAL, 0,
                1e7},
        [MEASURED_CONV_WGMMA_FEW_CHANNELS_UNIT_GROUPS] = {"ocl:conv:wgmma_few_channels",
                "unit_groups", "groups", MEASURED_WHOLE, 1, 32},
        [MEASURED_CONV_WGMMA_FEW_CHANNELS_LINE_CYCLES] = {"ocl:conv:wgmma_few_channels",
                "line_cycles", "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_CACHE_BYTES] = {conv_weights_wgmma, "cache_bytes",
                "bytes/cycle", MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_COPY_CYCLES] = {conv_weights_wgmma, "copy_cycles",
                "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_SLICE_CYCLES] = {conv_weights_wgmma, "slice_cycles",
                "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_SUM_CYCLES] = {conv_weights_wgmma, "sum_cycles",
                "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_TEAM_CYCLES] = {conv_weights_wgmma, "team_cycles",
                "cycles", MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_MMA_SPLIT_K_START_CYCLES] = {conv_split_k, "start_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_MMA_SPLIT_K_BATCH_CYCLES] = {conv_split_k, "batch_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_MMA_SPLIT_K_END_CYCLES] = {conv_split_k, "end_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_MMA_SPLIT_K_WARP_CYCLES] = {conv_split_k, "warp_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_MMA_SPLIT_K_LOAD_BYTES] = {conv_split_k, "load_bytes", "bytes/cycle",
                MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_CONV_MMA_SPLIT_K_LEAST_DEPTH] = {conv_split_k, "least_depth", "elements",
                MEASURED_WHOLE, 1, 1 << 30},
        [MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS] = {conv_split_k, "most_outputs", "elements",
                MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_CONV_MMA_SPLIT_K_MOST_PRODUCTS] = {conv_split_k, "most_products", "products",
                MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_CONV_MMA_TILED_START_CYCLES] = {conv_mma_tiled, "start_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_MMA_TILED_END_CYCLES] = {conv_mma_tiled, "end_cycles", "cycles",
                MEASURED_REAL, 0, 1e7},
        [MEASURED_CONV_BROADCAST_ITEM_KPRODUCTS] = {"ocl:conv:broadcast", "item_kproducts",
                "thousand", MEASURED_WHOLE, 1, 1 << 20},
        [MEASURED_CONV_DEPTHWISE_SLIDING_UNIT_ITEMS] = {"ocl:conv:depthwise_sliding", "unit_items",
                "items", MEASURED_WHOLE, 0, 1 << 20},
        [MEASURED_CORE_ITEMS] = {"ocl", "core_items", "items", MEASURED_WHOLE, 1, 1024},
        [MEASURED_PIECE_LEAST_ELEMS] = {"ocl", "piece_least_elems", "elements", MEASURED_WHOLE, 1,
                1 << 20},
        [MEASURED_PIECE_MOST_ELEMS] = {"ocl", "piece_most_elems", "elements", MEASURED_WHOLE, 1,
                1 << 20},
        [MEASURED_PIECE_CORE_ITEMS] = {"ocl", "piece_core_items", "items", MEASURED_WHOLE, 1, 1024},
        [MEASURED_UNIT_VECTORS] = {"ocl", "unit_vectors", "vectors", MEASURED_WHOLE, 0, 1 << 20},
        [MEASURED_CORE_CACHE_BYTES] = {"ocl", "core_cache_bytes", "bytes", MEASURED_WHOLE, 0,
                1 << 30},
        [MEASURED_SOFTMAX_SHORT_ELEMS] = {"ocl:softmax", "short_elems", "elements", MEASURED_WHOLE,
                1, 64},
        [MEASURED_SOFTMAX_ITEM_ELEMS] = {"ocl:softmax:row_per_item", "item_elems", "elements",
                MEASURED_WHOLE, 1, 1 << 24},
        [MEASURED_SOFTMAX_LEAST_ELEMS] = {"ocl:softmax:row_per_item", "least_elems", "elements",
                MEASURED_WHOLE, 1, 1 << 24},
        [MEASURED_SOFTMAX_ITEM_ROWS] = {"ocl:softmax:row_per_item", "item_rows", "rows",
                MEASURED_WHOLE, 1, 1024},
        [MEASURED_SOFTMAX_CORE_ITEMS] = {"ocl:softmax:row_per_item", "core_items", "items",
                MEASURED_WHOLE, 1, 1024},
        [MEASURED_SOFTMAX_GROUP_ITEMS] = {"ocl:softmax:row_per_group", "group_items", "items",
                MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_SOFTMAX_UNIT_ITEMS] = {"ocl:softmax:row_per_group", "unit_items", "items",
                MEASURED_WHOLE, 0, 1 << 20},
        [MEASURED_SOFTMAX_BUSY_ITEMS] = {"ocl:softmax:row_per_group", "busy_items", "items",
                MEASURED_WHOLE, 0, 1 << 20},
        [MEASURED_SOFTMAX_TILE_ELEMS] = {"ocl:softmax:row_per_item_tile", "most_elems", "elements",
                MEASURED_WHOLE, 0, 64},
        [MEASURED_SOFTMAX_MULTI_LEAST_ELEMS] = {"ocl:softmax:multi_group", "least_elems",
                "elements", MEASURED_WHOLE, 0, 1 << 24},
        [MEASURED_SOFTMAX_MULTI_GROUP_ITEMS] = {"ocl:softmax:multi_group", "group_items", "items",
                MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_SOFTMAX_MULTI_ITEM_VECTORS] = {"ocl:softmax:multi_group", "item_vectors",
                "vectors", MEASURED_WHOLE, 1, 32},
        [MEASURED_SOFTMAX_MULTI_REGISTERS] = {"ocl:softmax:multi_group", "registers", "registers",
                MEASURED_WHOLE, 32, 255},
        [MEASURED_SOFTMAX_MULTI_SHORT_GROUP_ITEMS] = {"ocl:softmax:multi_group",
                "short_group_items", "items", MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_SOFTMAX_MULTI_SHORT_ITEM_VECTORS] = {"ocl:softmax:multi_group",
                "short_item_vectors", "vectors", MEASURED_WHOLE, 1, 32},
        [MEASURED_SOFTMAX_MULTI_SHORT_REGISTERS] = {"ocl:softmax:multi_group", "short_registers",
                "registers", MEASURED_WHOLE, 32, 255},
        [MEASURED_ELTWISE_RUN_BYTES] = {"ocl:eltwise:dense", "run_bytes", "bytes", MEASURED_WHOLE,
                1, 1 << 24},
        [MEASURED_ELTWISE_CORE_ITEMS] = {"ocl:eltwise:dense", "core_items", "items", MEASURED_WHOLE,
                1, 1 << 20},
        [MEASURED_ELTWISE_LONG_AT_ONCE] = {"ocl:eltwise:dense", "long_at_once", "vectors",
                MEASURED_WHOLE, 1, 4},
        [MEASURED_ELTWISE_BYTES_AT_ONCE] = {"ocl:eltwise:dense", "bytes_at_once", "vectors",
                MEASURED_WHOLE, 1, 4},
        [MEASURED_SUM_ITEM_ELEMS] = {"ocl:sum:dense", "item_elems", "elements", MEASURED_POWER_OF_2,
                16, 1 << 24},
        [MEASURED_REORDER_COPY_ITEM_ELEMS] = {"ocl:reorder:copy", "item_elems", "elements",
                MEASURED_POWER_OF_2, 16, 1 << 24},
        [MEASURED_TRANSPOSE_RUN_BYTES] = {"ocl:reorder:transpose", "run_bytes", "bytes",
                MEASURED_POWER_OF_2, 64, 1024},
        [MEASURED_TRANSPOSE_GROUP_ITEMS] = {"ocl:reorder:transpose", "group_items", "items",
                MEASURED_POWER_OF_2, 128, 512},
        [MEASURED_TRANSPOSE_SHORT_ELEMS] = {"ocl:reorder:transpose", "short_elems", "elements",
                MEASURED_WHOLE, 1, 64},
        [MEASURED_TRANSPOSE_THIN_ELEMS] = {"ocl:reorder:transpose", "thin_elems", "elements",
                MEASURED_WHOLE, 1, 1 << 20},
        [MEASURED_TRANSPOSE_CPU_RUN_BYTES] = {"ocl:reorder:transpose_cpu", "run_bytes", "bytes",
                MEASURED_POWER_OF_2, 128, 4096},
        [MEASURED_TRANSPOSE_CPU_PAGES] = {"ocl:reorder:transpose_cpu", "pages", "pages",
                MEASURED_WHOLE, 1, 4096},
        [MEASURED_TRANSPOSE_CPU_WHOLE_BLOCKS] = {"ocl:reorder:transpose_cpu", "whole_blocks",
                "blocks", MEASURED_WHOLE, 1, 8},
        [MEASURED_TRANSPOSE_CPU_X_BYTES] = {"ocl:reorder:transpose_cpu", "x_bytes", "bytes",
                MEASURED_WHOLE, 1024, 1 << 20},
        [MEASURED_TRANSPOSE_CPU_ITEM_BYTES] = {"ocl:reorder:transpose_cpu", "item_bytes", "bytes",
                MEASURED_WHOLE, 1024, 1 << 30},
        [MEASURED_TRANSPOSE_CPU_CORE_ITEMS] = {"ocl:reorder:transpose_cpu", "core_items", "items",
                MEASURED_WHOLE, 1, 1024},
        [MEASURED_TRANSPOSE_CPU_ACROSS] = {"ocl:reorder:transpose_cpu", "across", "blocks",
                MEASURED_WHOLE, 1, 8},
        [MEASURED_TRANSPOSE_CPU_ACROSS_2_BYTES] = {"ocl:reorder:transpose_cpu", "across_2_bytes",
                "blocks", MEASURED_WHOLE, 1, 8},
        [MEASURED_TRANSPOSE_CPU_ACROSS_1_BYTE] = {"ocl:reorder:transpose_cpu", "across_1_byte",
                "blocks", MEASURED_WHOLE, 1, 8},
        [MEASURED_BNORM_FINISH_ITEMS] = {"ocl:bnorm", "finish_items", "items", MEASURED_POWER_OF_2,
                32, 1024},
        [MEASURED_BNORM_MULTI_GROUP_ITEMS] = {"ocl:bnorm:nchw_multi_group", "group_items", "items",
                MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_BNORM_MULTI_ITEM_VECTORS] = {"ocl:bnorm:nchw_multi_group", "item_vectors",
                "vectors", MEASURED_WHOLE, 1, 32},
        [MEASURED_BNORM_MULTI_REGISTERS] = {"ocl:bnorm:nchw_multi_group", "registers", "registers",
                MEASURED_WHOLE, 32, 255},
        [MEASURED_BNORM_TWO_PASS_GROUP_ITEMS] = {"ocl:bnorm:nhwc_two_pass", "group_items", "items",
                MEASURED_POWER_OF_2, 64, 1024},
        [MEASURED_BNORM_TWO_PASS_UNIT_GROUPS] = {"ocl:bnorm:nhwc_two_pass", "unit_groups", "groups",
                MEASURED_WHOLE, 1, 32},
        [MEASURED_BNORM_TWO_PASS_AT_ONCE] = {"ocl:bnorm:nhwc_two_pass", "at_once", "vectors",
                MEASURED_POWER_OF_2, 1, 16},
        [MEASURED_BNORM_TWO_PASS_AT_ONCE_SHORT] = {"ocl:bnorm:nhwc_two_pass", "at_once_short",
                "vectors", MEASURED_POWER_OF_2, 1, 16},
        [MEASURED_BNORM_TWO_PASS_FINISH_ITEMS] = {"ocl:bnorm:nhwc_two_pass", "finish_items",
                "items", MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_BNORM_TWO_PASS_APPLY] = {"ocl:bnorm:nhwc_two_pass", "apply", "vectors",
                MEASURED_POWER_OF_2, 1, 16},
        [MEASURED_BNORM_TWO_PASS_APPLY_SHORT] = {"ocl:bnorm:nhwc_two_pass", "apply_short",
                "vectors", MEASURED_POWER_OF_2, 1, 16},
        [MEASURED_BNORM_VECTOR_ITEM_VECTORS] = {"ocl:bnorm:nhwc_vector", "item_vectors", "vectors",
                MEASURED_WHOLE, 1, 64},
        [MEASURED_BNORM_VECTOR_CHUNK_ELEMS] = {"ocl:bnorm:nhwc_vector", "chunk_elems", "elements",
                MEASURED_WHOLE, 1, 1 << 30},
        [MEASURED_BNORM_VECTOR_MOST_CHUNKS] = {"ocl:bnorm:nhwc_vector", "most_chunks", "chunks",
                MEASURED_WHOLE, 1, 65536},
        [MEASURED_BNORM_VECTOR_ITEM_ELEMS] = {"ocl:bnorm:nhwc_vector", "item_elems", "elements",
                MEASURED_WHOLE, 1024, 1 << 30},
        [MEASURED_BNORM_VECTOR_CORE_CHUNKS] = {"ocl:bnorm:nhwc_vector", "core_chunks", "chunks",
                MEASURED_WHOLE, 1, 1024},
        [MEASURED_BNORM_VECTOR_GROUP_ITEMS] = {"ocl:bnorm:nhwc_vector", "group_items", "items",
                MEASURED_POWER_OF_2, 64, 1024},
        [MEASURED_BNORM_VECTOR_GROUP_VECTORS] = {"ocl:bnorm:nhwc_vector", "group_vectors",
                "vectors", MEASURED_POWER_OF_2, 1, 64},
        [MEASURED_BNORM_VECTOR_UNIT_CHUNKS] = {"ocl:bnorm:nhwc_vector", "unit_chunks", "chunks",
                MEASURED_WHOLE, 1, 32},
        [MEASURED_BNORM_VECTOR_UNIT_VECTORS] = {"ocl:bnorm:nhwc_vector", "unit_vectors", "vectors",
                MEASURED_WHOLE, 0, 1 << 20},
        [MEASURED_BNORM_CHANNEL_CORE_ITEMS] = {"ocl:bnorm:nchw_channel_per_group", "core_items",
                "items", MEASURED_WHOLE, 1, 1024},
        [MEASURED_BNORM_CHANNEL_BUSY_ITEMS] = {"ocl:bnorm:nchw_channel_per_group", "busy_items",
                "items", MEASURED_WHOLE, 0, 1 << 20},
        [MEASURED_BNORM_CHANNEL_UNIT_GROUPS] = {"ocl:bnorm:nchw_channel_per_group", "unit_groups",
                "groups", MEASURED_WHOLE, 4, 32},
        [MEASURED_BNORM_GROUP_ELEMS] = {"ocl:bnorm:channel_per_group", "channel_elems", "elements",
                MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_BNORM_GROUP_ALL_ELEMS] = {"ocl:bnorm:channel_per_group", "most_elems", "elements",
                MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_POOL_NHWC_GLOBAL_GROUP_ITEMS] = {"ocl:pool:nhwc_global", "group_items", "items",
                MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_POOL_NHWC_GLOBAL_ITEM_ELEMS] = {"ocl:pool:nhwc_global", "item_elems", "elements",
                MEASURED_POWER_OF_2, 8, 256},
        [MEASURED_POOL_NHWC_GLOBAL_LEAST_VECTORS] = {"ocl:pool:nhwc_global", "least_vectors",
                "vectors", MEASURED_POWER_OF_2, 1, 32},
        [MEASURED_POOL_NHWC_GLOBAL_MOST_VECTORS] = {"ocl:pool:nhwc_global", "most_vectors",
                "vectors", MEASURED_POWER_OF_2, 1, 32},
        [MEASURED_POOL_NCHW_GLOBAL_GROUP_ITEMS] = {"ocl:pool:nchw_global", "group_items", "items",
                MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_POOL_NCHW_GLOBAL_UNIT_GROUPS] = {"ocl:pool:nchw_global", "unit_groups", "groups",
                MEASURED_WHOLE, 1, 64},
        [MEASURED_POOL_NHWC_VECTOR_AT_ONCE] = {"ocl:pool:nhwc_vector", "at_once", "vectors",
                MEASURED_WHOLE, 1, 8},
        [MEASURED_RESAMPLING_NHWC_VECTOR_COLUMNS] = {"ocl:resampling:nhwc_vector", "columns",
                "columns", MEASURED_WHOLE, 1, 64},
        [MEASURED_BARRIER_POLLS] = {"ocl", "barrier_polls", "polls", MEASURED_WHOLE, 0, 65536},
        [MEASURED_MATMUL_STATIC_PRODUCTS] = {"ocl:matmul", "static_products", "products",
                MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_GEMV_NN_AHEAD] = {"ocl:matmul:gemv_nn", "ahead", "blocks", MEASURED_WHOLE, 1, 8},
        [MEASURED_GEMV_NN_AHEAD_SHORT] = {"ocl:matmul:gemv_nn", "ahead_short", "blocks",
                MEASURED_WHOLE, 1, 8},
        [MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS_SHALLOW] = {"ocl:conv:mma_split_k",
                "most_outputs_shallow", "elements", MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS_NARROW] = {"ocl:conv:mma_split_k",
                "most_outputs_narrow", "elements", MEASURED_WHOLE, 0, 1 << 30},
        [MEASURED_BNORM_CHANNEL_MANY] = {"ocl:bnorm:nchw_channel_per_group", "core_channels",
                "channels", MEASURED_WHOLE, 1, 65536},
        [MEASURED_GROUP_ITEMS] = {"ocl", "group_items", "items", MEASURED_POWER_OF_2, 32, 1024},
        [MEASURED_SHORT_GROUP_ITEMS] = {"ocl", "short_group_items", "items", MEASURED_POWER_OF_2,
                32, 1024},
        [MEASURED_CORE_GROUP_ITEMS] = {"ocl", "core_group_items", "items", MEASURED_POWER_OF_2, 1,
                4096},
        [MEASURED_CORE_FEW_GROUP_ITEMS] = {"ocl", "core_few_group_items", "items",
                MEASURED_POWER_OF_2, 1, 4096},
        [MEASURED_CORE_MANY_ITEMS] = {"ocl", "core_many_items", "items", MEASURED_WHOLE, 0,
                1 << 30},
};

const ocl_measured_set_rule_t prim__ocl_measured_set_rules[OCL_NMEASURED_SETS] = {
        [MEASURED_MATMUL_WGMMA_TILES] = {"ocl:matmul:wgmma", "bm bn stages", "products/cycle",
                {{"alone", MEASURED_REAL, 0, 1e6}, {"full", MEASURED_REAL, 0, 1e6},
                        {"gather", MEASURED_REAL, 0, 1e6}}},
        [MEASURED_MATMUL_MMA_TILES] = {"ocl:matmul:mma", "bm bn stages", "products/cycle",
                {{"alone", MEASURED_REAL, 1, 1e6}, {"full", MEASURED_REAL, 1, 1e6}}},
        [MEASURED_MATMUL_PIPELINE_TILES] = {"ocl:matmul:pipeline", "bm bn bk stages",
                "products/cycle",
                {{"alone", MEASURED_REAL, 1, 1e6}, {"full", MEASURED_REAL, 1, 1e6}}},
        [MEASURED_MATMUL_MMA_SPLIT_K_COLUMNS] = {mma_split_k, "bn", "bytes/cycle",
                {{"full", MEASURED_REAL, 1e-3, 1e4}}},
        // The loads of a work-item are shared by its columns; chunks are multiples of 8 loads of a
        // warp.
        [MEASURED_MATMUL_GEMV_NT_ROWS] = {gemv_nt, "rows short", "vectors",
                {{"cols", MEASURED_POWER_OF_2, 1, 4}, {"loads", MEASURED_POWER_OF_2, 4, 8},
                        {"chunk", MEASURED_POWER_OF_2_OR_0, 256, 512}}},
        [MEASURED_CPU_REGISTER_TILES] = {"ocl:matmul:packed_cpu", "vectors", "relative",
                {{"cost", MEASURED_REAL, 1e-3, 1e3}}},
        [MEASURED_CONV_IGEMM_TILES] = {"ocl:conv:igemm", "bm bn bk teams stages", "products/cycle",
                {{"one", MEASURED_REAL, 1, 1e6}, {"two", MEASURED_REAL, 0, 1e6},
                        {"three", MEASURED_REAL, 0, 1e6}}},
        [MEASURED_CONV_MMA_TILES] = {conv_mma_tiled, "bm bn stages", "products/cycle",
                {{"full", MEASURED_REAL, 1, 1e6}}},
};

/// "12", "-3" is none, "1.05"; without the locale's decimal point. Returns what follows, NULL: it
/// is no number.
static const char *parse_number(double *value, const char *text)
{
    const size_t whole = strspn(text, "0123456789");
    if (whole == 0 || whole > 12) return NULL;
    *value = 0;
    for (size_t i = 0; i < whole; ++i) *value = 10 * *value + (text[i] - '0');
    text += whole;
    if (*text != '.') return text;
    const size_t digits = strspn(++text, "0123456789");
    if (digits == 0 || digits > 9) return NULL;
    double denominator = 1;
    for (size_t i = 0; i < digits; ++i) {
        *value = 10 * *value + (text[i] - '0');
        denominator *= 10;
    }
    *value /= denominator; // rounded once, like the literal
    return text + digits;
}

static bool is_allowed(double value, ocl_measured_kind_t kind, double least, double most)
{
    if (kind == MEASURED_POWER_OF_2_OR_0 && value == 0) return true;
    if (!(value >= least && value <= most)) return false;
    if (kind == MEASURED_REAL) return true;
    const int64_t whole = (int64_t)value;
    if ((double)whole < value) return false;
    return kind == MEASURED_WHOLE || (whole > 0 && (whole & (whole - 1)) == 0);
}

bool prim__ocl_measured_parse(double *value, const char *text, const ocl_measured_rule_t *rule)
{
    double number = 0;
    const char *end = parse_number(&number, text);
    if (!end || *end != ' ' || strcmp(end + 1, rule->unit) != 0) return false;
    if (!is_allowed(number, rule->kind, rule->least, rule->most)) return false;
    *value = number;
    return true;
}

bool prim__ocl_measured_parse_values(
        ocl_measured_values_t *values, const char *text, const ocl_measured_set_rule_t *rule)
{
    ocl_measured_values_t parsed = {{0}};
    for (int i = 0; i < OCL_MEASURED_VALUES && rule->values[i].name; ++i) {
        const ocl_measured_value_t *value = &rule->values[i];
        const size_t length = strlen(value->name);
        if (strncmp(text, value->name, length) != 0 || text[length] != '=') return false;
        text = parse_number(&parsed.values[i], text + length + 1);
        if (!text || *text++ != ' ') return false;
        if (!is_allowed(parsed.values[i], value->kind, value->least, value->most)) return false;
    }
    if (strcmp(text, rule->unit) != 0) return false;
    *values = parsed;
    return true;
}
