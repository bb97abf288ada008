// SPDX-License-Identifier: Apache-2.0
// The rules of measured numbers, and how values are read by them.
#include "ocl_measured_rules.h"

#include <string.h>

static const char matmul[] = "ocl:matmul", gemv_nn[] = "ocl:matmul:gemv_nn",
                  gemv_nt[] = "ocl:matmul:gemv_nt", mma_split_k[] = "ocl:matmul:mma_split_k",
                  conv[] = "ocl:conv", conv_wgmma[] = "ocl:conv:wgmma",
                  conv_split_k[] = "ocl:conv:mma_split_k", conv_mma_tiled[] = "ocl:conv:mma_tiled";

const ocl_measured_rule_t prim__ocl_measured_rules[OCL_NMEASURED] = {
        [MEASURED_MATMUL_GROUP_CYCLES] = {matmul, "group_cycles", "cycles", MEASURED_REAL, 0, 1e6},
        [MEASURED_MATMUL_LAUNCH_CYCLES] = {matmul, "launch_cycles", "cycles", MEASURED_REAL, 0,
                1e7},
        [MEASURED_MATMUL_PARTIAL_BYTES] = {matmul, "partial_bytes", "bytes/cycle", MEASURED_REAL, 1,
                1e6},
        [MEASURED_MATMUL_SUM_CYCLES] = {matmul, "sum_cycles", "cycles/element", MEASURED_REAL, 0,
                1e3},
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
};

const ocl_measured_set_rule_t prim__ocl_measured_set_rules[OCL_NMEASURED_SETS] = {
        [MEASURED_MATMUL_WGMMA_TILES] = {"ocl:matmul:wgmma", "bm bn stages", "alone full gather",
                "products/cycle", MEASURED_REAL, 0, 1e6},
        [MEASURED_MATMUL_MMA_TILES] = {"ocl:matmul:mma", "bm bn stages", "alone full",
                "products/cycle", MEASURED_REAL, 1, 1e6},
        [MEASURED_MATMUL_PIPELINE_TILES] = {"ocl:matmul:pipeline", "bm bn bk stages", "alone full",
                "products/cycle", MEASURED_REAL, 1, 1e6},
        [MEASURED_MATMUL_MMA_SPLIT_K_COLUMNS] = {mma_split_k, "bn", "full", "bytes/cycle",
                MEASURED_REAL, 1e-3, 1e4},
        [MEASURED_MATMUL_GEMV_NT_ROWS] = {gemv_nt, "rows short", "cols loads chunk", "vectors",
                MEASURED_WHOLE, 0, 512},
        [MEASURED_CPU_REGISTER_TILES] = {"ocl:matmul:packed_cpu", "vectors", "cost", "relative",
                MEASURED_REAL, 1e-3, 1e3},
        [MEASURED_CONV_IGEMM_TILES] = {"ocl:conv:igemm", "bm bn bk teams stages", "one two three",
                "products/cycle", MEASURED_REAL, 0, 1e6},
        [MEASURED_CONV_MMA_TILES] = {conv_mma_tiled, "bm bn stages", "full", "products/cycle",
                MEASURED_REAL, 1, 1e6},
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
    const char *name = rule->values;
    for (int i = 0; i < OCL_MEASURED_VALUES && *name; ++i) {
        const size_t length = strcspn(name, " ");
        if (strncmp(text, name, length) != 0 || text[length] != '=') return false;
        text = parse_number(&parsed.values[i], text + length + 1);
        if (!text || *text++ != ' ') return false;
        if (!is_allowed(parsed.values[i], rule->kind, rule->least, rule->most)) return false;
        name += length + strspn(name + length, " ");
    }
    if (strcmp(text, rule->unit) != 0) return false;
    *values = parsed;
    return true;
}
