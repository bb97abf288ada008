// SPDX-License-Identifier: Apache-2.0
// Arguments of the BLAS-like products.
#include "cpu_gemm.h"

#include "common/status.h"

static bool is_letter(char given, char wanted)
{
    return given == wanted || given == wanted + ('a' - 'A');
}

static prim_status_t check_size(const char *function, const char *name, prim_dim_t size)
{
    CHECK(size >= 0, "%s: %s is %lld", function, name, (long long)size);
    return PRIM_SUCCESS;
}

static prim_status_t check_matrix(const char *function, const cpu_matrix_t *x)
{
    CHECK(is_letter(x->trans, 'N') || is_letter(x->trans, 'T'),
            "%s: trans%s has code %d, neither 'N' nor 'T'", function, x->name, (int)x->trans);
    const prim_dim_t row = is_letter(x->trans, 'T') ? x->rows : x->cols;
    CHECK(x->ld >= 1 && x->ld >= row, "%s: ld%s is %lld, rows have %lld elements", function,
            x->name, (long long)x->ld, (long long)row);
    CHECK(x->data || x->rows == 0 || x->cols == 0, "%s: %s is NULL", function, x->name);
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_gemm_init(cpu_gemm_t *gemm, const char *function, const cpu_matrix_t *a,
        const cpu_matrix_t *b, const cpu_matrix_t *c)
{
    TRY(check_size(function, "m", c->rows));
    TRY(check_size(function, "n", c->cols));
    TRY(check_size(function, "k", a->cols));
    TRY(check_matrix(function, a));
    TRY(check_matrix(function, b));
    TRY(check_matrix(function, c));
    const bool a_is_transposed = is_letter(a->trans, 'T');
    const bool b_is_transposed = is_letter(b->trans, 'T');
    *gemm = (cpu_gemm_t){.m = c->rows,
            .n = c->cols,
            .k = a->cols,
            .a_row = a_is_transposed ? 1 : a->ld,
            .a_col = a_is_transposed ? a->ld : 1,
            .b_row = b_is_transposed ? 1 : b->ld,
            .b_col = b_is_transposed ? b->ld : 1,
            .c_row = c->ld};
    return PRIM_SUCCESS;
}
