// SPDX-License-Identifier: Apache-2.0
// The problems of scenario.h.
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench_args.h"
#include "operations.h"
#include "support/bench_lines.h"

enum { NAME_BYTES = 256 };

scenario_t scenarios[MAX_SCENARIOS];
int nscenarios;

static struct {
    prim_engine_kind_t kind;
    bool overflows;
    char names[MAX_SCENARIOS][NAME_BYTES];
} reader;

/// "softmax --dir=BWD_D 9x100" of "--mode=L --softmax --engine=gpu --dir=BWD_D 9x100".
static void set_name(char *name, const bench_case_t *c)
{
    static const char engine[] = " --engine=gpu";
    const char *const driver = c->prb.driver->name;
    const char *rest = strstr(text_string(&c->repro), driver) + strlen(driver);
    if (strncmp(rest, engine, strlen(engine)) == 0) rest += strlen(engine);
    (void)snprintf(name, NAME_BYTES, "%s%s", driver, rest);
}

static void take(bench_case_t *c)
{
    const bool is_image = strstr(text_string(&c->repro), "tag=image") != NULL;
    reader.overflows = reader.overflows || nscenarios == MAX_SCENARIOS;
    if (reader.overflows || (is_image && reader.kind == PRIM_CPU)) { // images are of GPUs
        case_destroy(c);
        return;
    }
    set_name(reader.names[nscenarios], c);
    scenarios[nscenarios] = (scenario_t){.name = reader.names[nscenarios], .problem = c};
    ++nscenarios;
}

/// Of a scenario that was read.
static const prb_t *prb_of(const scenario_t *scenario)
{
    return &((const bench_case_t *)scenario->problem)->prb;
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

static bool has_pass(prim_primitive_kind_t kind, const char *direction)
{
    for (int i = 0; i < nscenarios; ++i) {
        const prb_t *const prb = prb_of(&scenarios[i]);
        if (prb->driver->primitive_kind == kind && strcmp(direction_of(prb), direction) == 0)
            return true;
    }
    return false;
}

/// What prim_ops.h offers.
static bool has_every_pass(void)
{
#define PASS(kind, direction, stem) {kind, #direction, #stem},
    static const struct {
        prim_primitive_kind_t kind;
        const char *direction, *stem;
    } passes[] = {FOR_EACH_PASS(PASS)};
    bool is_good = true;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; ++i) {
        if (has_pass(passes[i].kind, passes[i].direction)) continue;
        printf("no line of benchdnn/inputs/*/test_*_scenario is of %s\n", passes[i].stem);
        is_good = false;
    }
    return is_good;
}

bool scenarios_read_set(
        prim_engine_kind_t kind, const char *set, const char *const *drivers, int ndrivers)
{
    reader.kind = kind;
    for (int i = 0; i < ndrivers; ++i)
        if (!bench_lines_read(drivers[i], set, kind, take)) return false;
    if (reader.overflows) printf("there are more than %d scenarios\n", (int)MAX_SCENARIOS);
    return !reader.overflows;
}

bool scenarios_read(prim_engine_kind_t kind)
{
#define DRIVER(word) #word,
    static const char *const drivers[] = {FOR_EACH_OPERATION(DRIVER)};
    const int ndrivers = (int)(sizeof drivers / sizeof drivers[0]);
    return scenarios_read_set(kind, "scenario", drivers, ndrivers) && has_every_pass();
}

const scenario_t *scenario_find(const char *text)
{
    const size_t driver_length = strcspn(text, " ");
    for (int i = 0; i < nscenarios; ++i) {
        const char *const name = scenarios[i].name;
        if (strncmp(name, text, driver_length) == 0 && name[driver_length] == ' ' &&
                strstr(name + driver_length, text + driver_length))
            return &scenarios[i];
    }
    printf("there is no scenario %s\n", text);
    exit(2);
}

prim_status_t scenario_create_desc(
        prim_desc_t **pd, const scenario_t *scenario, prim_engine_t *engine)
{
    if (!scenario->problem) return scenario->create_desc(pd, engine);
    const prb_t *const prb = prb_of(scenario);
    prim_attr_t *attr = NULL;
    prim_status_t st = attr_build(&attr, prb);
    if (st == PRIM_SUCCESS) st = prb->driver->create_desc(pd, prb, engine, attr);
    prim_attr_destroy(attr);
    return st;
}

/// Bytes that are small positive numbers in f32 and bf16 alike.
static prim_status_t fill(prim_memory_t *memory)
{
    void *bytes = NULL;
    const prim_status_t st = prim_memory_map_data(memory, &bytes);
    if (st != PRIM_SUCCESS) return st;
    const size_t n = prim_memory_desc_get_size(prim_memory_get_desc(memory)) / sizeof(float);
    for (size_t i = 0; i < n; ++i) {
        const float value = (float)(i * 7 % 31) / 16 - 0.75f;
        memcpy((char *)bytes + i * sizeof value, &value, sizeof value);
    }
    return prim_memory_unmap_data(memory, bytes);
}

static prim_status_t add_arg(
        case_t *c, const prim_memory_desc_t *md, int arg, prim_engine_t *engine)
{
    prim_memory_t *memory = NULL;
    if (c->nargs == SCENARIO_MAX_ARGS) return PRIM_INVALID_ARGUMENTS;
    const prim_status_t st = prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE);
    if (st != PRIM_SUCCESS) return st;
    c->args[c->nargs++] = (prim_arg_t){arg, memory};
    // In a backward pass dst is an input; it has a lower number than the gradients.
    if (arg == PRIM_ARG_DST || arg == PRIM_ARG_DIFF_SRC || arg == PRIM_ARG_DIFF_WEIGHTS)
        c->dst = memory;
    return fill(memory);
}

/// The arguments base … base + n − 1 that the problem has.
static prim_status_t add_args(
        case_t *c, const prim_desc_t *pd, int base, int n, prim_engine_t *engine)
{
    for (int arg = base; arg < base + n; ++arg) {
        const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, arg);
        if (!md || md->ndims == 0) continue;
        const prim_status_t st = add_arg(c, md, arg, engine);
        if (st != PRIM_SUCCESS) return st;
    }
    return PRIM_SUCCESS;
}

prim_status_t scenario_open(case_t *out, const scenario_t *scenario, prim_engine_t *engine)
{
    enum { NTENSORS = 300, NREPEATED = 4, NPOST_OPS = 4 }; // more than there are
    case_t c = {0};
    prim_desc_t *pd = NULL;
    prim_status_t st = scenario_create_desc(&pd, scenario, engine);
    if (st == PRIM_SUCCESS) st = prim_create(&c.primitive, pd);
    if (st == PRIM_SUCCESS) st = add_args(&c, pd, 1, NTENSORS, engine);
    if (st == PRIM_SUCCESS) st = add_args(&c, pd, PRIM_ARG_MULTIPLE_SRC, NREPEATED, engine);
    if (st == PRIM_SUCCESS) st = add_args(&c, pd, PRIM_ARG_ATTR_POST_OP_DW, NTENSORS, engine);
    for (int i = 0; st == PRIM_SUCCESS && i < NPOST_OPS; ++i)
        st = add_args(&c, pd, PRIM_ARG_ATTR_MULTIPLE_POST_OP(i) | PRIM_ARG_SRC_1, 2, engine);
    prim_desc_destroy(pd);
    if (st == PRIM_SUCCESS)
        *out = c;
    else
        scenario_close(&c);
    return st;
}

void scenario_close(case_t *c)
{
    for (int i = 0; i < c->nargs; ++i) prim_memory_destroy(c->args[i].memory);
    prim_destroy(c->primitive);
}

prim_status_t scenario_run(const case_t *c, prim_stream_t *stream)
{
    const prim_status_t st = prim_execute(c->primitive, stream, c->nargs, c->args);
    return st == PRIM_SUCCESS ? prim_stream_wait(stream) : st;
}

prim_status_t scenario_checksum(const case_t *c, uint64_t *sum)
{
    void *bytes = NULL;
    const prim_status_t st = prim_memory_map_data(c->dst, &bytes);
    if (st != PRIM_SUCCESS) return st;
    uint64_t hash = 0xcbf29ce484222325u;
    const size_t n = prim_memory_desc_get_size(prim_memory_get_desc(c->dst));
    for (size_t i = 0; i < n; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    *sum = hash;
    return prim_memory_unmap_data(c->dst, bytes);
}
