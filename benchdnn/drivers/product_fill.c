// SPDX-License-Identifier: Apache-2.0
// Filling of products. Small: integers, as many nonzero ones as sums stay exact. Reals: full
// mantissas with the same sign along each sum, so that nothing cancels and an error of the operands
// is one of the result. Range: all values of 8-bit and 4-bit types; sums leave 16 and 24 bits.
#include <math.h>

#include "product.h"

/// Integers lo..hi, multiples of `unit`.
typedef struct {
    double lo, hi, unit;
} range_t;

static bool is_int8(prim_data_type_t dt)
{
    return dt == PRIM_S8 || dt == PRIM_U8;
}

static bool is_short_integer(prim_data_type_t dt)
{
    return dt_is_integer(dt) && dt_bits(dt) <= 8;
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

/// Steps of the chain that make neither infinities nor constants of large values.
static bool bears_large_values(const attr_spec_t *attr)
{
    for (int i = 0; i < attr->post_ops.count; ++i) {
        const post_op_t *const op = &attr->post_ops.entries[i];
        if (op->kind == PRIM_ELTWISE && op->alg != PRIM_ELTWISE_RELU &&
                op->alg != PRIM_ELTWISE_LINEAR && op->alg != PRIM_ELTWISE_ABS)
            return false;
    }
    return true;
}

/// A sum has to meet an operand exactly: only small ones do.
static bool has_equality(const prb_t *prb)
{
    return attr_has_alg(prb->attr, PRIM_BINARY_EQ) || attr_has_alg(prb->attr, PRIM_BINARY_NE);
}

/// Whether what dst held before is added in front of a step that looks for equal values.
static bool compares_old_values(const attr_spec_t *attr)
{
    bool has_sum = false;
    for (int i = 0; i < attr->post_ops.count; ++i) {
        const post_op_t *const op = &attr->post_ops.entries[i];
        if (has_sum && (op->alg == PRIM_BINARY_EQ || op->alg == PRIM_BINARY_NE)) return true;
        has_sum |= op->kind == PRIM_SUM;
    }
    return false;
}

/// Every sum over the whole range of the operands, moved by zero points up to 50, fits s32.
static bool fits_s32(const product_t *product)
{
    return (double)product->n_acc * 306. * 306. < 0x1p31;
}

unsigned product_classes(const product_t *product, const prb_t *prb)
{
    const bool has_float = !dt_is_integer(product->src) || !dt_is_integer(product->wei);
    const bool has_wide = product->src == PRIM_S32 || product->wei == PRIM_S32;
    unsigned classes = DATA_BIT(CLASS_SMALL);
    if (has_equality(prb)) return classes;
    if (has_float && !has_wide) classes |= DATA_BIT(CLASS_REALS);
    const bool are_integers = is_short_integer(product->src) && is_short_integer(product->wei);
    const bool is_wide_dst = dt_bits(product->dst) >= 32 || product->dst == PRIM_BF16;
    if (are_integers && is_wide_dst && fits_s32(product) && bears_large_values(prb->attr))
        classes |= DATA_BIT(CLASS_RANGE);
    return classes;
}

// ---- Small -----------------------------------------------------------------------------------

/// Wide values need a wide destination, or few of them would be left.
static double max_wide(prim_data_type_t dst, double most)
{
    return dt_digits(dst) < 24 ? 4 : most;
}

static range_t src_range(const product_t *product, const prb_t *prb)
{
    switch (range_dt(prb, product->src)) {
    case PRIM_F32:
    case PRIM_F64: {
        const double most = max_wide(product->dst, product->max_f32_src);
        return (range_t){-most, most, 1};
    }
    case PRIM_U8: return (range_t){0, 8, 1};
    default: return (range_t){-4, 4, 1};
    }
}

static range_t wei_range(const product_t *product, const prb_t *prb)
{
    switch (range_dt(prb, product->wei)) {
    case PRIM_F32:
    case PRIM_F64: {
        const double most = max_wide(product->dst, product->max_f32_wei);
        return (range_t){-most, most, 1};
    }
    case PRIM_BF16: return (range_t){-8, 8, 1};
    case PRIM_S8: return (range_t){-4, 4, 1};
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
    case PRIM_U8: return (range_t){0, 160, 1};
    case PRIM_S8: return (range_t){-100, 100, 1};
    case PRIM_S32: return (range_t){-128, 128, 1};
    default: return (range_t){-4, 4, 1};
    }
}

static double max_abs(range_t range)
{
    return fmax(-range.lo, range.hi) * range.unit;
}

/// The share of nonzero sources with which all sums stay exact in the accumulator and in dst.
static double src_density(const product_t *product, const prb_t *prb)
{
    const double density = fill_density(product->dst, max_abs(src_range(product, prb)),
            max_abs(wei_range(product, prb)), product->n_acc);
    // 8-bit results saturate rather than lose digits, so more of them may be busy.
    const bool is_dense = is_int8(product->src) && product->dst != PRIM_S32;
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

static void fill_small(const product_t *product, const prb_t *prb, arg_t *arg)
{
    const product_args_t ids = product_args(product);
    range_t range = dst_range(prb, arg->md.data_type);
    double density = 1;
    if (arg->id == ids.src) {
        range = src_range(product, prb);
        density = src_density(product, prb);
    } else if (arg->id == ids.wei) {
        range = wei_range(product, prb);
    } else if (arg->id == PRIM_ARG_BIAS) {
        range = (range_t){arg->md.data_type == PRIM_U8 ? 0 : -8, 8, 1};
    }
    const bool is_compared = arg->id != PRIM_ARG_DST || compares_old_values(prb->attr);
    if (has_equality(prb) && is_compared) range = (range_t){fmax(range.lo, -1), 1, 1};
    fill_multiples(arg, (int64_t)range.lo, (int64_t)range.hi, range.unit, density);
    if (arg->id == ids.src || arg->id == ids.wei) shift_by_zero_point(prb, arg);
}

// ---- Reals and range -------------------------------------------------------------------------

/// How one operand is filled.
typedef struct {
    product_axis_t axis;
    prim_data_type_t dt;
    uint64_t seed;
    int exponent;       ///< of the reals
    bool spreads;       ///< some lines lie near the ends of the exponents of f16 and beyond
    bool has_signs;     ///< given by k and line; otherwise drawn
    bool has_one_sign;  ///< the other operand's signs cannot follow k
    int64_t sign_lines; ///< every how many lines signs follow k; the others draw theirs
} operand_t;

static int64_t line_of(const product_axis_t *axis, int64_t index)
{
    const int64_t outer = index / (axis->step * axis->count);
    const int64_t run = axis->run > 0 ? axis->run : 1;
    return axis->has_inner ? outer * (axis->step / run) + index % axis->step / run : outer;
}

/// The same for both operands' k-th elements; each line has one of its own on top.
static double sign_of(const operand_t *o, rng_t *rng, int64_t index)
{
    const int64_t k = index / o->axis.step % o->axis.count, line = line_of(&o->axis, index);
    const bool is_drawn = !o->has_signs || line % o->sign_lines != 0;
    if (is_drawn) return rng_chance(rng, 0.5) ? 1. : -1.;
    const uint64_t of_k = o->has_one_sign ? 0 : data_mix((uint64_t)k);
    return (of_k ^ data_mix((uint64_t)line + o->seed)) & 1 ? -1. : 1.;
}

/// 2^±24 for one line in eight each: beyond f16 one way and the other.
static int line_exponent(const operand_t *o, int64_t index)
{
    const int64_t line = line_of(&o->axis, index);
    const int usual = (int)(data_mix((uint64_t)line * 3 + o->seed) % 3) - 1;
    if (!o->spreads || line % 8 < 6) return usual;
    return line % 8 == 6 ? 24 : -24;
}

static double real_value(const void *context, rng_t *rng, int64_t index)
{
    const operand_t *const o = context;
    const double sign = sign_of(o, rng, index);
    if (!dt_is_integer(o->dt))
        return sign * ldexp(data_significand(rng, o->dt), o->exponent + line_exponent(o, index));
    const double lowest = dt_lowest(o->dt), max = dt_max(o->dt);
    const double size = (double)rng_int(rng, 1, (int64_t)max);
    // The one value whose negative does not exist, now and then.
    if (lowest < 0. && sign < 0. && rng_chance(rng, 0.05)) return lowest;
    return lowest < 0. ? sign * size : size;
}

static bool follows_signs(const prb_t *prb, int arg, prim_data_type_t dt)
{
    return dt_lowest(dt) < 0. && !attr_zero_point(prb->attr, arg);
}

/// src and weights share the exponent that brings sums near 1; f16 stays among normal numbers.
static int real_exponent(const product_t *product, bool is_src)
{
    int bits = 0;
    for (int64_t n = product->n_acc; n > 1; n /= 2) ++bits;
    const prim_data_type_t other = is_src ? product->wei : product->src;
    if (dt_is_integer(other)) bits = 2 * (bits + dt_digits(other) - 1);
    const int exponent = -(is_src ? (bits + 1) / 2 : bits / 2);
    const bool is_short = dt_bits(is_src ? product->src : product->wei) == 8;
    const int least = is_short ? -2 : -12;
    return exponent < least ? least : exponent;
}

static bool may_spread(const product_t *product, const prb_t *prb)
{
    const prim_data_type_t dts[] = {product->src, product->wei, product->dst};
    for (int i = 0; i < 3; ++i)
        if (dts[i] != PRIM_F32 && dts[i] != PRIM_BF16 && dts[i] != PRIM_F64) return false;
    const attr_spec_t *const attr = prb->attr;
    return product->transform_error == 0. && attr->post_ops.count == 0 &&
           !attr_scale(attr, PRIM_ARG_DST) && attr->fpmath != PRIM_FPMATH_F16 &&
           attr->fpmath != PRIM_FPMATH_ANY;
}

static void fill_operand(const product_t *product, const prb_t *prb, arg_t *arg)
{
    const bool is_src = arg->id == product_args(product).src;
    const operand_t operand = {
            .axis = is_src ? product->src_axis : product->wei_axis,
            .dt = arg->md.data_type,
            .seed = is_src ? 1001 : 2002,
            .exponent = real_exponent(product, is_src),
            .spreads = may_spread(product, prb),
            .has_signs = product->transform_error == 0.,
            .has_one_sign = !follows_signs(prb, PRIM_ARG_SRC, product->src) ||
                            !follows_signs(prb, PRIM_ARG_WEIGHTS, product->wei),
            // Sums over the range of integers: some cancel, some reach as far as they can.
            .sign_lines = prb->data_class == CLASS_RANGE && is_src ? 2 : 1,
    };
    fill_by_rng(arg, real_value, &operand);
}

static double bias_value(const void *context, rng_t *rng, int64_t index)
{
    const prim_data_type_t dt = *(const prim_data_type_t *)context;
    (void)index;
    const double sign = rng_chance(rng, 0.5) ? 1. : -1.;
    return sign * data_significand(rng, dt);
}

static void fill_addend(const product_t *product, const prb_t *prb, arg_t *arg)
{
    const prim_data_type_t dt = arg->md.data_type;
    if (prb->data_class != CLASS_REALS || dt_is_integer(dt) || dt_is_integer(product->dst))
        fill_small(product, prb, arg);
    else
        fill_by_rng(arg, bias_value, &dt);
}

void product_fill(const product_t *product, const prb_t *prb, arg_t *arg)
{
    const product_args_t ids = product_args(product);
    if (prb->data_class == CLASS_SMALL)
        fill_small(product, prb, arg);
    else if (arg->id == ids.src || arg->id == ids.wei)
        fill_operand(product, prb, arg);
    else
        fill_addend(product, prb, arg);
}
