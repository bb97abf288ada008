// SPDX-License-Identifier: Apache-2.0
// Random calls of prim_sgemm(), prim_gemm_u8s8s32() and prim_gemm_s8s8s32(), right and wrong ones:
//     fuzz_gemm [CALLS [SEED]]    so many calls; 20000 and 1
// A right call must succeed, and every matrix is as large as it may be touched and no larger, so
// that a build with sanitizers sees what lies beside it; elements between the rows of C stay. A
// wrong one gives its status and a sentence, and leaves C alone. A failure tells the call's seed:
// `fuzz_gemm 1 SEED` repeats it. What the sums are is tests/api/gemm_test.c's to check.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"

enum { NBYTES = 128, MOST = 70 };

typedef struct {
    char transa, transb, offsetc;
    int kind; ///< 0: sgemm, 1: u8s8s32, 2: s8s8s32
    prim_dim_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
    bool lacks_a, lacks_b, lacks_c, lacks_co;
} call_t;

static uint64_t seed_of_call;

static void fail(const call_t *c, const char *what)
{
    fprintf(stderr,
            "fuzz_gemm: %s (%s): kind %d %d%d%d m %lld n %lld k %lld ld %lld %lld %lld; repeat "
            "with: fuzz_gemm 1 %llu\n",
            what, prim_last_error(), c->kind, c->transa, c->transb, c->offsetc, (long long)c->m,
            (long long)c->n, (long long)c->k, (long long)c->lda, (long long)c->ldb,
            (long long)c->ldc, (unsigned long long)seed_of_call);
    exit(1);
}

static bool is_letter(char letter, const char *letters)
{
    return letter != '\0' && strchr(letters, letter) != NULL;
}

static bool is_transposed(char letter)
{
    return letter == 'T' || letter == 't';
}

/// Elements of a matrix of `rows` rows, from the first to the last that is touched.
static prim_dim_t elems(prim_dim_t rows, prim_dim_t cols, prim_dim_t ld)
{
    return rows > 0 && cols > 0 ? (rows - 1) * ld + cols : 0;
}

/// As it lies in memory.
static prim_dim_t a_elems(const call_t *c)
{
    return is_transposed(c->transa) ? elems(c->k, c->m, c->lda) : elems(c->m, c->k, c->lda);
}

static prim_dim_t b_elems(const call_t *c)
{
    return is_transposed(c->transb) ? elems(c->n, c->k, c->ldb) : elems(c->k, c->n, c->ldb);
}

static prim_dim_t co_elems(const call_t *c)
{
    if (c->offsetc == 'C' || c->offsetc == 'c') return c->m;
    return c->offsetc == 'R' || c->offsetc == 'r' ? c->n : 1;
}

static prim_dim_t most(prim_dim_t a, prim_dim_t b)
{
    return a > b ? a : b;
}

/// What prim_gemm.h says of arguments.
static bool is_right(const call_t *c)
{
    static const char trans[] = "NnTt";
    if (!is_letter(c->transa, trans) || !is_letter(c->transb, trans)) return false;
    if (c->kind && !is_letter(c->offsetc, "FfCcRr")) return false;
    if (c->m < 0 || c->n < 0 || c->k < 0) return false;
    if (c->lda < most(1, is_transposed(c->transa) ? c->m : c->k)) return false;
    if (c->ldb < most(1, is_transposed(c->transb) ? c->k : c->n)) return false;
    if (c->ldc < most(1, c->n)) return false;
    if (c->lacks_a && a_elems(c) > 0) return false;
    if (c->lacks_b && b_elems(c) > 0) return false;
    if (c->lacks_c && c->m > 0 && c->n > 0) return false;
    return !(c->kind && c->lacks_co && co_elems(c) > 0);
}

/// A size as calls have it; now and then a negative one.
static prim_dim_t draw_size(fuzz_input_t *in)
{
    if (fuzz_seldom(in, 30)) return fuzz_seldom(in, 2) ? INT64_MIN : -(prim_dim_t)fuzz_byte(in);
    return fuzz_below(in, MOST);
}

/// As long as a row, or a little longer; now and then what is too short for a row.
static prim_dim_t draw_ld(fuzz_input_t *in, prim_dim_t row)
{
    const prim_dim_t any = fuzz_number(in);
    if (fuzz_seldom(in, 30)) return any < row || row == INT64_MIN ? any : row - 1;
    return most(row, 1) + fuzz_below(in, 4);
}

static char draw_letter(fuzz_input_t *in, const char *letters)
{
    const int n = (int)strlen(letters);
    return fuzz_seldom(in, 40) ? (char)fuzz_byte(in) : letters[fuzz_below(in, n)];
}

static call_t draw_call(fuzz_input_t *in)
{
    call_t c = {.kind = fuzz_below(in, 3)};
    c.transa = draw_letter(in, "NnTt");
    c.transb = draw_letter(in, "NnTt");
    c.offsetc = draw_letter(in, "FfCcRr");
    c.m = draw_size(in);
    c.n = draw_size(in);
    c.k = draw_size(in);
    c.lda = draw_ld(in, is_transposed(c.transa) ? c.m : c.k);
    c.ldb = draw_ld(in, is_transposed(c.transb) ? c.k : c.n);
    c.ldc = draw_ld(in, c.n);
    c.alpha = fuzz_float(in);
    c.beta = fuzz_float(in);
    c.lacks_a = fuzz_seldom(in, 40);
    c.lacks_b = fuzz_seldom(in, 40);
    c.lacks_c = fuzz_seldom(in, 40);
    c.lacks_co = fuzz_seldom(in, 40);
    return c;
}

/// `n` bytes of the input over and over; of a wrong call a few.
static void *draw_bytes(fuzz_input_t *in, prim_dim_t n, size_t width)
{
    const size_t bytes = n > 0 ? (size_t)n * width : 1;
    unsigned char *const data = malloc(bytes);
    const unsigned char step = fuzz_byte(in);
    if (!data) exit(2);
    // As floats these are numbers from 2^-63 to 2^65, as integers anything.
    for (size_t i = 0; i < bytes; ++i) data[i] = (unsigned char)((i * 37 + step) % 96 + 32);
    return data;
}

static prim_status_t call(const call_t *c, const void *a, const void *b, void *out, const void *co)
{
    if (c->kind == 0)
        return prim_sgemm(c->transa, c->transb, c->m, c->n, c->k, c->alpha, a, c->lda, b, c->ldb,
                c->beta, out, c->ldc);
    if (c->kind == 1)
        return prim_gemm_u8s8s32(c->transa, c->transb, c->offsetc, c->m, c->n, c->k, c->alpha, a,
                c->lda, 200, b, c->ldb, -100, c->beta, out, c->ldc, co);
    return prim_gemm_s8s8s32(c->transa, c->transb, c->offsetc, c->m, c->n, c->k, c->alpha, a,
            c->lda, 100, b, c->ldb, -100, c->beta, out, c->ldc, co);
}

/// What must be as before: all of C after a refusal, else what lies between its rows.
static bool is_kept(const call_t *c, bool is_refused, const unsigned char *c_bytes,
        const unsigned char *before, prim_dim_t nelems)
{
    for (prim_dim_t i = 0; i < nelems; ++i) {
        const bool is_written = !is_refused && i % c->ldc < c->n;
        if (!is_written && memcmp(c_bytes + 4 * i, before + 4 * i, 4) != 0) return false;
    }
    return true;
}

static bool run_call(uint64_t seed)
{
    unsigned char bytes[NBYTES];
    uint64_t state = seed_of_call = seed;
    for (int i = 0; i < NBYTES; ++i) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (unsigned char)(state >> 56);
    }
    fuzz_input_t in = {.at = bytes, .end = bytes + NBYTES};
    const call_t c = draw_call(&in);
    const bool is_good = is_right(&c);
    const prim_dim_t nc = is_good ? elems(c.m, c.n, c.ldc) : 64;
    const size_t width = c.kind == 0 ? sizeof(float) : 1;
    void *const a = draw_bytes(&in, is_good ? a_elems(&c) : 1, width);
    void *const b = draw_bytes(&in, is_good ? b_elems(&c) : 1, width);
    void *const co = draw_bytes(&in, is_good ? co_elems(&c) : 1, sizeof(int32_t));
    unsigned char *const out = draw_bytes(&in, nc, 4), *const before = malloc(4 * (size_t)nc + 1);
    if (!before) exit(2);
    memcpy(before, out, 4 * (size_t)nc);
    const prim_status_t st = call(&c, c.lacks_a ? NULL : a, c.lacks_b ? NULL : b,
            c.lacks_c ? NULL : out, c.lacks_co ? NULL : co);
    if (st != (is_good ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS)) fail(&c, prim_status_name(st));
    if (!is_good && !*prim_last_error()) fail(&c, "no sentence");
    if (!is_kept(&c, !is_good, out, before, nc)) fail(&c, "C is written where it must not be");
    free(before);
    free(out);
    free(co);
    free(b);
    free(a);
    return is_good;
}

int main(int argc, char **argv)
{
    const long ncalls = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long nright = 0;
    for (long i = 0; i < ncalls; ++i) nright += run_call(seed + (uint64_t)i);
    printf("fuzz_gemm: %ld calls, %ld of them right\n", ncalls, nright);
    // A generator that draws one sort alone tests nothing.
    return ncalls >= 100 && (nright < ncalls / 4 || nright > ncalls - ncalls / 10);
}
