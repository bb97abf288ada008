// SPDX-License-Identifier: Apache-2.0
// Sizes that belong together change together, so that most problems stay sensible.
#include "fuzz_case.h"

#include <string.h>

#include "fuzz_md.h"
#include "support/bench_lines.h"

enum { MAX_DRIVERS = 64, KEPT = 24, STRIDE = 7 };

/// The cases of a driver: of its scenarios all, of its smoke inputs every STRIDE-th.
typedef struct {
    int nseen, ncases;
    bench_case_t *cases[KEPT];
} pool_t;

static pool_t pools[MAX_DRIVERS];
static int ndrivers, stride;

static void keep(bench_case_t *c)
{
    pool_t *const pool = &pools[ndrivers];
    if (pool->ncases < KEPT && pool->nseen++ % stride == 0)
        pool->cases[pool->ncases++] = c;
    else
        case_destroy(c);
}

void fuzz_cases_read(void)
{
    for (; bench_drivers[ndrivers]; ++ndrivers) {
        const char *const name = bench_drivers[ndrivers]->name;
        FUZZ_PROMISE(ndrivers < MAX_DRIVERS, "there is room for every driver");
        stride = 1;
        bool is_read = bench_lines_read(name, "scenario", PRIM_GPU, keep);
        stride = STRIDE;
        is_read = bench_lines_read(name, "smoke", PRIM_GPU, keep) && is_read;
        FUZZ_PROMISE(is_read && pools[ndrivers].ncases > 1, "every driver has smoke inputs");
    }
}

void fuzz_cases_free(void)
{
    for (; ndrivers > 0; --ndrivers) {
        pool_t *const pool = &pools[ndrivers - 1];
        while (pool->ncases > 0) case_destroy(pool->cases[--pool->ncases]);
    }
}

static int draw_word(const option_t *option, fuzz_input_t *in)
{
    int n = 0;
    while (option->words[n].word) ++n;
    return fuzz_seldom(in, 40) ? (int)fuzz_number(in) : option->words[fuzz_below(in, n)].value;
}

/// Now and then a pass that the operation does not have.
static direction_t draw_direction(const driver_t *driver, fuzz_input_t *in)
{
    const direction_t direction = (direction_t)(FWD_D + fuzz_below(in, 7));
    const bool is_there =
            !direction_is_backward(direction) || driver->backward & DIRECTION_BIT(direction);
    return is_there || fuzz_seldom(in, 8) ? direction : FWD_I;
}

static void change_option(
        const driver_t *driver, option_value_t *value, const option_t *option, fuzz_input_t *in)
{
    static const char *const tags[] = {"abx", "axb", "any", "aBx16b", "undef", "image"};
    const int last = value->count > 0 ? value->count - 1 : 0;
    switch (option->kind) {
    case OPTION_DIRECTION: value->as.direction = draw_direction(driver, in); break;
    case OPTION_DT: value->as.dt[fuzz_below(in, last + 1)] = fuzz_type(in); break;
    case OPTION_TAG: value->as.tag[fuzz_below(in, last + 1)] = tags[fuzz_below(in, 6)]; break;
    case OPTION_WORD: value->as.word = draw_word(option, in); break;
    case OPTION_FLAGS: value->as.word = (int)fuzz_number(in); break;
    // A driver may take it for one of 12 dimensions; numbers beyond come later (fuzz_params.c).
    case OPTION_INT: value->as.ints[fuzz_below(in, last + 1)] = fuzz_below(in, 12); break;
    case OPTION_FLOAT: value->as.floats[fuzz_below(in, last + 1)] = (double)fuzz_float(in); break;
    case OPTION_BOOL: value->as.boolean = !value->as.boolean; break;
    default: break;
    }
}

/// Up to 2^40, so that sums and products of a few do not overflow in the driver.
static prim_dim_t draw_size(fuzz_input_t *in)
{
    const prim_dim_t size = fuzz_dim(in);
    return size < 1 || size > (prim_dim_t)1 << 40 ? 1 : size;
}

/// A size stands for all that are equal to it: M, K or N of a product, say.
static void change_dims(problem_t *p, fuzz_input_t *in)
{
    const prim_dim_t from = p->dims[fuzz_below(in, p->ntensors)][fuzz_below(in, p->ndims)];
    const prim_dim_t to = draw_size(in);
    for (int d = 0; d < p->ndims; ++d) {
        for (int t = 0; t < p->ntensors; ++t)
            if (p->dims[t][d] == from) p->dims[t][d] = to;
        if (p->dst_dims[d] == from) p->dst_dims[d] = to;
    }
}

static prim_dim_t draw_small(fuzz_input_t *in, int least, int n)
{
    return fuzz_seldom(in, 100) ? draw_size(in) : least + fuzz_below(in, n);
}

/// The size of dst under a window, as far as there is one.
static prim_dim_t window_out(const problem_t *p, int i)
{
    const uint64_t extent =
            ((uint64_t)p->kernel[i] - 1) * ((uint64_t)p->dilation[i] + 1) + 1; // may wrap
    const prim_dim_t room = (prim_dim_t)((uint64_t)p->in[i] - extent + (uint64_t)p->pad[i] +
                                         (uint64_t)p->pad_back[i]);
    return room < 0 ? 0 : room / p->stride[i] + (room < INT64_MAX);
}

static void change_window(problem_t *p, fuzz_input_t *in)
{
    const int i = BENCH_NSPATIAL - 1 - fuzz_below(in, p->ndims > 2 ? p->ndims - 2 : 1);
    p->in[i] = draw_size(in);
    if (p->kernel[i] == 0) { // the operation has none
        if (p->out[i] != 0) p->out[i] = draw_size(in);
        return;
    }
    p->kernel[i] = fuzz_seldom(in, 20) ? draw_size(in) : draw_small(in, 1, 5);
    p->stride[i] = draw_small(in, 1, 3);
    p->dilation[i] = fuzz_seldom(in, 4) ? draw_small(in, 0, 4) : 0;
    p->pad[i] = draw_small(in, 0, 4);
    p->pad_back[i] = fuzz_seldom(in, 3) ? draw_small(in, -2, 6) : p->pad[i];
    p->out[i] = window_out(p, i);
}

static void change_fields(problem_t *p, fuzz_input_t *in)
{
    int64_t *const counts[] = {&p->mb, &p->ic, &p->oc, &p->g};
    if (fuzz_seldom(in, 2))
        change_window(p, in);
    else
        *counts[fuzz_below(in, fuzz_seldom(in, 8) ? 4 : 3)] = draw_size(in);
}

const prb_t *fuzz_case(fuzz_input_t *in)
{
    static bench_case_t c;
    const pool_t *const pool = &pools[fuzz_below(in, ndrivers)];
    c = *pool->cases[fuzz_below(in, pool->ncases)];
    c.prb.problem = &c.problem;
    c.prb.attr = &c.attr;
    const option_t *const options = c.prb.driver->options;
    for (int i = 0; options[i].name; ++i) {
        c.prb.options[i] = &c.values[i];
        if (fuzz_seldom(in, 6)) change_option(c.prb.driver, &c.values[i], &options[i], in);
    }
    for (int n = fuzz_below(in, 4); n > 0; --n) {
        if (c.prb.driver->family == FAMILY_DIMS)
            change_dims(&c.problem, in);
        else
            change_fields(&c.problem, in);
    }
    return &c.prb;
}
