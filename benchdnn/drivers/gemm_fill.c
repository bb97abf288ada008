// SPDX-License-Identifier: Apache-2.0
// Filling for matmul and inner product: small integers, as many nonzero ones as sums stay exact.
#include "gemm_fill.h"

#include <math.h>

/// All values are multiples of `unit`.
typedef struct {
    double lo, hi, unit;
} range_t;

static bool is_int8(prim_data_type_t dt)
{
    return dt == PRIM_S8 || dt == PRIM_U8;
}

/// The type whose range the values of a tensor follow: its own, or the reduced one that
/// --attr-fpmath lets a computation in f32 use.
static prim_data_type_t range_dt(const prb_t *prb, prim_data_type_t dt)
{
    if (dt != PRIM_F32) return dt;
    switch (prb->attr->fpmath) {
    case PRIM_FPMATH_BF16:
    case PRIM_FPMATH_TF32:
    case PRIM_FPMATH_ANY: return PRIM_BF16;
    case PRIM_FPMATH_F16: return PRIM_F16;
    default: return dt;
    }
}

/// Wide values need a wide destination, or few of them would be left.
static double max_wide(prim_data_type_t dst, double most)
{
    return dt_digits(dst) < 24 ? 4 : most;
}

static range_t src_range(const gemm_fill_t *spec, const prb_t *prb)
{
    switch (range_dt(prb, spec->src)) {
    case PRIM_F32:
    case PRIM_F64: {
        const double most = max_wide(spec->dst, spec->max_f32_src);
        return (range_t){-most, most, 1};
    }
    case PRIM_U8: {
        // One-byte operands with a wide result: far enough to overflow sums of 16 bits.
        const bool is_wide = is_int8(spec->wei) && dt_bits(spec->dst) >= 32;
        return (range_t){0, is_wide ? 160 : 8, 1};
    }
    default: return (range_t){-4, 4, 1};
    }
}

static range_t wei_range(const gemm_fill_t *spec, const prb_t *prb)
{
    switch (range_dt(prb, spec->wei)) {
    case PRIM_F32:
    case PRIM_F64: {
        const double most = max_wide(spec->dst, spec->max_f32_wei);
        return (range_t){-most, most, 1};
    }
    case PRIM_BF16: return (range_t){-8, 8, 1};
    case PRIM_S8:
        // Even weights for signed pairs, as devices that add two products in 16 bits want them.
        if (spec->src == PRIM_S8) return (range_t){-2, 2, 2};
        return (range_t){-4, 4, 1};
    case PRIM_U8: return (range_t){0, 4, 1};
    default: return (range_t){-2, 2, 1};
    }
}

static range_t dst_range(const prb_t *prb, prim_data_type_t dt)
{
    const post_op_t *const sum = attr_post_op(prb->attr, PRIM_SUM);
    switch (sum && sum->dt != PRIM_DATA_TYPE_UNDEF ? sum->dt : dt) {
    case PRIM_F32:
    case PRIM_F64:
    case PRIM_BF16: return (range_t){-8, 8, 1};
    case PRIM_U8: return (range_t){0, 8, 1};
    case PRIM_S32: return (range_t){-128, 128, 1};
    default: return (range_t){-4, 4, 1};
    }
}

static double max_abs(range_t range)
{
    return fmax(-range.lo, range.hi) * range.unit;
}

/// The share of nonzero sources with which all sums stay exact in the accumulator and in dst.
static double src_density(const gemm_fill_t *spec, const prb_t *prb)
{
    const double density = fill_density(
            spec->dst, max_abs(src_range(spec, prb)), max_abs(wei_range(spec, prb)), spec->n_acc);
    // 8-bit results saturate rather than lose digits, so more of them may be busy.
    const bool is_dense = is_int8(spec->src) && spec->dst != PRIM_S32;
    return fmin(1, is_dense ? 3 * density : density);
}

/// Common zero points move the data with them, so that the differences stay small.
static void shift_by_zero_point(const prb_t *prb, arg_t *arg)
{
    const quant_entry_t *const entry = attr_zero_point(prb->attr, arg->id);
    if (!entry || entry->policy != POLICY_COMMON) return;
    const prim_data_type_t dt = arg->md.data_type;
    for (int64_t i = 0; i < arg->nelems; ++i)
        arg->data[i] = fmin(fmax(arg->data[i] + entry->value, dt_lowest(dt)), dt_max(dt));
}

void gemm_fill(const gemm_fill_t *spec, const prb_t *prb, arg_t *arg)
{
    range_t range = {-8, 8, 1};
    double density = 1;
    switch (arg->id) {
    case PRIM_ARG_SRC:
        range = src_range(spec, prb);
        density = src_density(spec, prb);
        break;
    case PRIM_ARG_WEIGHTS: range = wei_range(spec, prb); break;
    case PRIM_ARG_BIAS:
        if (arg->md.data_type == PRIM_U8) range.lo = 0;
        break;
    default: range = dst_range(prb, arg->md.data_type);
    }
    fill_multiples(arg, (int64_t)range.lo, (int64_t)range.hi, range.unit, density);
    if (arg->id == PRIM_ARG_SRC || arg->id == PRIM_ARG_WEIGHTS) shift_by_zero_point(prb, arg);
}
