// SPDX-License-Identifier: Apache-2.0
// Pseudo-random and patterned filling, chunk by chunk.
#include "bench_fill.h"

#include <math.h>

#include "bench_numeric.h"
#include "driver.h"

#define MODULUS 2147483647u ///< 2^31 - 1

rng_t rng_seed(uint64_t seed)
{
    // Neighbouring seeds start far apart.
    const uint32_t state = (uint32_t)((seed % MODULUS * 16807u + 12345u) % MODULUS);
    rng_t rng = {state ? state : 1};
    rng_int(&rng, 0, 1);
    return rng;
}

static uint32_t rng_next(rng_t *rng)
{
    rng->state = (uint32_t)((uint64_t)rng->state * 48271u % MODULUS);
    return rng->state;
}

int64_t rng_int(rng_t *rng, int64_t lo, int64_t hi)
{
    const uint64_t span = (uint64_t)(hi - lo) + 1;
    uint64_t draw = rng_next(rng) - 1;
    if (span >= 1u << 20) draw = draw * (MODULUS - 1) + rng_next(rng) - 1;
    return lo + (int64_t)(draw % span);
}

double rng_real(rng_t *rng)
{
    return (double)(rng_next(rng) - 1) / (double)(MODULUS - 1);
}

bool rng_chance(rng_t *rng, double probability)
{
    return probability >= 1. || rng_real(rng) < probability;
}

/// What every fill does to its chunks.
typedef struct {
    arg_t *arg;
    double (*by_index)(const void *context, int64_t index);
    double (*by_rng)(const void *context, rng_t *rng, int64_t index);
    const void *context;
} fill_t;

static void fill_chunks(void *context, int64_t begin, int64_t end)
{
    const fill_t *const fill = context;
    const arg_t *const arg = fill->arg;
    for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = chunk * FILL_CHUNK;
        const int64_t last = first + FILL_CHUNK < arg->nelems ? first + FILL_CHUNK : arg->nelems;
        rng_t rng = rng_seed((uint64_t)arg->kind * (uint64_t)arg->nelems + (uint64_t)first + 1);
        for (int64_t i = first; i < last; ++i)
            arg->data[i] = fill->by_rng ? fill->by_rng(fill->context, &rng, i)
                                        : fill->by_index(fill->context, i);
    }
}

static void run_fill(fill_t *fill)
{
    bench_parallel((fill->arg->nelems + FILL_CHUNK - 1) / FILL_CHUNK, 64, fill_chunks, fill);
}

void fill_by_index(
        struct arg *arg, double (*value)(const void *context, int64_t index), const void *context)
{
    fill_t fill = {.arg = arg, .by_index = value, .context = context};
    run_fill(&fill);
}

void fill_by_rng(struct arg *arg, double (*value)(const void *context, rng_t *rng, int64_t index),
        const void *context)
{
    fill_t fill = {.arg = arg, .by_rng = value, .context = context};
    run_fill(&fill);
}

typedef struct {
    int64_t lo, hi;
    double unit, density;
} multiples_t;

static double multiple(const void *context, rng_t *rng, int64_t index)
{
    const multiples_t *const m = context;
    // The first element never vanishes: a result of zeros alone would prove little.
    const int64_t lo = index == 0 && m->hi > 0 && m->lo < 1 ? 1 : m->lo;
    const int64_t value = rng_int(rng, lo, m->hi);
    const bool is_kept = rng_chance(rng, m->density) || index == 0;
    return is_kept ? (double)value * m->unit : 0.;
}

void fill_multiples(struct arg *arg, int64_t lo, int64_t hi, double unit, double density)
{
    const multiples_t context = {lo, hi, unit, density};
    fill_by_rng(arg, multiple, &context);
}

void fill_ints(struct arg *arg, int64_t lo, int64_t hi, double density)
{
    fill_multiples(arg, lo, hi, 1., density);
}

typedef struct {
    double lo, hi;
} interval_t;

static double real(const void *context, rng_t *rng, int64_t index)
{
    const interval_t *const interval = context;
    (void)index;
    return interval->lo + (interval->hi - interval->lo) * rng_real(rng);
}

void fill_reals(struct arg *arg, double lo, double hi)
{
    const double lowest = dt_lowest(arg->md.data_type), max = dt_max(arg->md.data_type);
    const interval_t context = {lo < lowest ? lowest : lo, hi > max ? max : hi};
    fill_by_rng(arg, real, &context);
}

static double constant(const void *context, int64_t index)
{
    (void)index;
    return *(const double *)context;
}

void fill_value(struct arg *arg, double value)
{
    fill_by_index(arg, constant, &value);
}

double fill_density(prim_data_type_t acc_dt, double max_src, double max_wei, int64_t n_acc)
{
    const int digits = dt_digits(acc_dt) < 24 ? dt_digits(acc_dt) : 24;
    const double products = ldexp(1., digits) / (max_src * max_wei);
    return n_acc > 0 && products < (double)n_acc ? products / (double)n_acc : 1.;
}
