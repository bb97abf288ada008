// SPDX-License-Identifier: Apache-2.0
// Operations of two rows. Compiled for each level: simd_level.h.
#include "simd_binary.h"
#include "simd_vec.h"

typedef vf_t operation_t(vf_t a, vf_t b);

SIMD_INLINE vf_t truth(vi_t condition)
{
    return v_select(condition, v_set(1), v_set(0));
}

SIMD_INLINE vf_t add(vf_t a, vf_t b)
{
    return a + b;
}

SIMD_INLINE vf_t subtract(vf_t a, vf_t b)
{
    return a - b;
}

SIMD_INLINE vf_t product(vf_t a, vf_t b)
{
    return a * b;
}

SIMD_INLINE vf_t quotient(vf_t a, vf_t b)
{
    return a / b;
}

SIMD_INLINE vf_t larger(vf_t a, vf_t b)
{
    return v_select(a > b, a, b);
}

SIMD_INLINE vf_t smaller(vf_t a, vf_t b)
{
    return v_select(a < b, a, b);
}

SIMD_INLINE vf_t is_greater(vf_t a, vf_t b)
{
    return truth(a > b);
}

SIMD_INLINE vf_t is_at_least(vf_t a, vf_t b)
{
    return truth(a >= b);
}

SIMD_INLINE vf_t is_equal(vf_t a, vf_t b)
{
    return truth(a == b);
}

SIMD_INLINE vf_t is_unequal(vf_t a, vf_t b)
{
    return truth(a != b);
}

SIMD_INLINE vf_t is_less(vf_t a, vf_t b)
{
    return truth(a < b);
}

SIMD_INLINE vf_t is_at_most(vf_t a, vf_t b)
{
    return truth(a <= b);
}

SIMD_INLINE vf_t prelu_of(vf_t x, vf_t slope)
{
    return v_select(x > 0.0F, x, x * slope);
}

SIMD_INLINE vf_t at(const float *row, bool is_constant, prim_dim_t i)
{
    return is_constant ? v_set(row[0]) : v_load(row + i);
}

SIMD_INLINE vf_t rest_at(const float *row, bool is_constant, prim_dim_t i, prim_dim_t n)
{
    return is_constant ? v_set(row[0]) : v_load_part(row + i, n - i, 1);
}

SIMD_INLINE void apply_to(float *out, const float *a, bool a_constant, const float *b,
        bool b_constant, prim_dim_t n, operation_t *operation)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES)
        v_store(out + i, operation(at(a, a_constant, i), at(b, b_constant, i)));
    if (i == n) return;
    const vf_t rest = operation(rest_at(a, a_constant, i, n), rest_at(b, b_constant, i, n));
    v_store_part(out + i, rest, n - i);
}

/// A loop for each way in which the operands may be constant.
SIMD_INLINE void apply(float *out, const simd_operand_t *a, const simd_operand_t *b, prim_dim_t n,
        operation_t *operation)
{
    const float first = a->row[0]; // out may be its memory
    if (!a->is_constant && !b->is_constant)
        apply_to(out, a->row, false, b->row, false, n, operation);
    else if (!a->is_constant)
        apply_to(out, a->row, false, b->row, true, n, operation);
    else if (!b->is_constant)
        apply_to(out, &first, true, b->row, false, n, operation);
    else
        apply_to(out, &first, true, b->row, true, n, operation);
}

static void compute(prim_alg_kind_t alg, float *out, const simd_operand_t *a,
        const simd_operand_t *b, prim_dim_t n)
{
    switch (alg) {
    case PRIM_BINARY_ADD: apply(out, a, b, n, add); return;
    case PRIM_BINARY_SUB: apply(out, a, b, n, subtract); return;
    case PRIM_BINARY_MUL: apply(out, a, b, n, product); return;
    case PRIM_BINARY_DIV: apply(out, a, b, n, quotient); return;
    case PRIM_BINARY_MAX: apply(out, a, b, n, larger); return;
    case PRIM_BINARY_MIN: apply(out, a, b, n, smaller); return;
    case PRIM_BINARY_GT: apply(out, a, b, n, is_greater); return;
    case PRIM_BINARY_GE: apply(out, a, b, n, is_at_least); return;
    case PRIM_BINARY_EQ: apply(out, a, b, n, is_equal); return;
    case PRIM_BINARY_NE: apply(out, a, b, n, is_unequal); return;
    case PRIM_BINARY_LT: apply(out, a, b, n, is_less); return;
    default: apply(out, a, b, n, is_at_most); return;
    }
}

static void select_rows(float *out, const simd_operand_t *condition, const simd_operand_t *a,
        const simd_operand_t *b, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        const simd_operand_t *const chosen =
                condition->row[condition->is_constant ? 0 : i] != 0.0F ? a : b;
        out[i] = chosen->row[chosen->is_constant ? 0 : i];
    }
}

static void prelu(float *out, const float *x, const simd_operand_t *slopes, prim_dim_t n)
{
    apply(out, &(simd_operand_t){x, false}, slopes, n, prelu_of);
}

static void add_scaled(float *row, const float *old, float factor, float zero, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES)
        v_store(row + i, v_load(row + i) + factor * (v_load(old + i) - zero));
    for (; i < n; ++i) row[i] += factor * (old[i] - zero);
}

const simd_binary_code_t SIMD_NAME(prim__simd_binary_code) = {
        .compute = compute, .select = select_rows, .prelu = prelu, .add_scaled = add_scaled};
