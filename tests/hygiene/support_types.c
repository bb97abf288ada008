// SPDX-License-Identifier: Apache-2.0
// Data types that the passes take, by their scenarios with all tensors of one type.
#include <stdlib.h>
#include <string.h>

#include "core/bench_args.h"
#include "core/bench_settings.h"
#include "operations.h"
#include "support/bench_lines.h"
#include "support_page.h"

static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_BF16, PRIM_F64, PRIM_F8_E5M2,
        PRIM_F8_E4M3, PRIM_S32, PRIM_S8, PRIM_U8};
enum { NTYPES = sizeof types / sizeof *types, MAX_CASES = 64 };

static bench_case_t *cases[MAX_CASES];
static int ncases;

static void keep(bench_case_t *c)
{
    if (ncases < MAX_CASES)
        cases[ncases++] = c;
    else
        case_destroy(c);
}

/// The name of schema.h's direction_t.
static const char *direction_of(const prb_t *prb)
{
    const option_t *const options = prb->driver->options;
    for (int i = 0; options[i].name; ++i) {
        if (options[i].kind != OPTION_DIRECTION) continue;
        const direction_t direction = opt_direction(prb, i);
        if (direction == BWD_W || direction == BWD_WB) return "BACKWARD_WEIGHTS";
        if (direction_is_backward(direction)) return "BACKWARD";
    }
    return "FORWARD";
}

static bench_case_t *find_case(prim_primitive_kind_t kind, const char *direction)
{
    for (int i = 0; i < ncases; ++i)
        if (cases[i]->prb.driver->primitive_kind == kind &&
                strcmp(direction_of(&cases[i]->prb), direction) == 0)
            return cases[i];
    fprintf(stderr, "no scenario is of kind %d, %s\n", (int)kind, direction);
    exit(2);
}

/// Of tensors; parameters keep theirs.
static void set_types(bench_case_t *c, prim_data_type_t dt)
{
    static const char *const names[] = {"dt", "sdt", "ddt"};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        const int i = driver_option_index(c->prb.driver, names[n]);
        for (int k = 0; i >= 0 && k < c->values[i].count; ++k) c->values[i].as.dt[k] = dt;
    }
}

static bool takes_case(const bench_case_t *c, prim_engine_t *engine)
{
    prim_desc_t *pd = NULL;
    prim_attr_t *attr = NULL;
    prim_status_t st = attr_build(&attr, &c->prb);
    if (st == PRIM_SUCCESS) st = c->prb.driver->create_desc(&pd, &c->prb, engine, attr);
    prim_attr_destroy(attr);
    prim_desc_destroy(pd);
    return st == PRIM_SUCCESS;
}

/// By the algorithm of the scenario, or by any other.
static bool takes(bench_case_t *c, prim_data_type_t dt, prim_engine_t *engine)
{
    const int alg = driver_option_index(c->prb.driver, "alg");
    set_types(c, dt);
    if (takes_case(c, engine)) return true;
    if (alg < 0) return false;
    const int kept = c->values[alg].as.word;
    bool is_taken = false;
    for (const word_t *word = c->prb.driver->options[alg].words; word->word && !is_taken; ++word) {
        c->values[alg].as.word = word->value;
        is_taken = takes_case(c, engine);
    }
    c->values[alg].as.word = kept;
    return is_taken;
}

void support_write_types(FILE *out)
{
#define PASS(kind, direction, stem) {kind, #direction, #stem},
    static const struct {
        prim_primitive_kind_t kind;
        const char *direction, *stem;
    } passes[] = {FOR_EACH_PASS(PASS)};
#define DRIVER(word) #word,
    static const char *const drivers[] = {FOR_EACH_OPERATION(DRIVER)};
    prim_engine_t *engines[2] = {NULL, NULL};
    prim_set_verbose("none");
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; ++i)
        if (!bench_lines_read(drivers[i], "scenario", PRIM_GPU, keep)) exit(2);
    if (prim_engine_create(&engines[0], PRIM_CPU, 0) != PRIM_SUCCESS ||
            prim_engine_create(&engines[1], PRIM_GPU, 0) != PRIM_SUCCESS)
        exit(2);
    fputs("\n## Data types\n\nTypes that all tensors of a problem may have together, on the CPU "
          "(C) and on OpenCL devices (O); with\nsome algorithms fewer, and with mixtures in most "
          "operations.\n\n| pass |",
            out);
    for (int t = 0; t < NTYPES; ++t) fprintf(out, " %s |", prim_data_type_name(types[t]));
    fputs("\n|---|---|---|---|---|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; ++i) {
        bench_case_t *const c = find_case(passes[i].kind, passes[i].direction);
        fprintf(out, "| `%s` |", passes[i].stem);
        for (int t = 0; t < NTYPES; ++t) {
            const bool cpu = takes(c, types[t], engines[0]), gpu = takes(c, types[t], engines[1]);
            fprintf(out, " %s%s%s |", cpu ? "C" : "", cpu && gpu ? " " : "", gpu ? "O" : "");
        }
        fputs("\n", out);
    }
    for (int e = 0; e < 2; ++e) prim_engine_destroy(engines[e]);
    while (ncases > 0) case_destroy(cases[--ncases]);
}
