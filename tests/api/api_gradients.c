// SPDX-License-Identifier: Apache-2.0
// Every backward pass against finite differences. For random g the loss L = Σ g·dst of a small
// problem is computed by the forward pass in double, on the CPU; what the backward pass makes of
// diff_dst = g, in f32 on each engine, has to be the derivative of L by each element of each input
// that the pass has a gradient for. A new backward pass is a line in gradient_cases.c, and the test
// fails while there is none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"
#include "gradient_cases.h"

enum { MAX_ELEMS = 256 };

/// The arguments that a pass may have, each input with its gradient; what has none is passed on.
static const struct {
    int arg, diff_arg;
} known_args[] = {
        {PRIM_ARG_SRC, PRIM_ARG_DIFF_SRC},
        {PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_WEIGHTS},
        {PRIM_ARG_BIAS, PRIM_ARG_DIFF_BIAS},
        {PRIM_ARG_SCALE, PRIM_ARG_DIFF_SCALE},
        {PRIM_ARG_SHIFT, PRIM_ARG_DIFF_SHIFT},
        {PRIM_ARG_SRC_1, PRIM_ARG_DIFF_SRC_1},
        {PRIM_ARG_DST, PRIM_ARG_DIFF_DST},
        {PRIM_ARG_MEAN, 0},
        {PRIM_ARG_VARIANCE, 0},
        {PRIM_ARG_WORKSPACE, 0},
};
enum { NKNOWN = sizeof known_args / sizeof known_args[0], DST_PLACE = 6 };

// ---- Values ----------------------------------------------------------------------------------

typedef struct {
    int n;
    double at[MAX_ELEMS];
} values_t;

/// One for each known argument: the inputs of the forward pass, and g in the place of dst.
typedef struct {
    values_t of[NKNOWN];
} inputs_t;

/// Odd multiples of 1/64 up to 2: exact in f32, and at least 1/64 away from every corner of a
/// function, which lie on multiples of 1/32.
static double draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (2. * (*state >> 24 & 127) - 127.) / 64.;
}

static void draw_inputs(inputs_t *inputs, const prim_desc_t *forward, bool is_positive)
{
    unsigned state = 7;
    for (int i = 0; i < NKNOWN; ++i) {
        const prim_memory_desc_t *const md =
                prim_desc_query_md(forward, PRIM_QUERY_EXEC_ARG_MD, known_args[i].arg);
        values_t *const values = &inputs->of[i];
        values->n = md->ndims > 0 ? 1 : 0;
        for (int d = 0; d < md->ndims; ++d) values->n *= (int)md->dims[d];
        assert_true(values->n <= MAX_ELEMS);
        for (int k = 0; k < values->n; ++k) {
            const double x = draw(&state);
            values->at[k] = is_positive && i == 0 ? fabs(x) + 0.25 : x;
        }
    }
}

static void write_values(const prim_memory_t *memory, prim_data_type_t dt, const values_t *values)
{
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (int i = 0; i < values->n; ++i)
        if (dt == PRIM_F64)
            ((double *)data)[i] = values->at[i];
        else
            ((float *)data)[i] = (float)values->at[i];
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
}

static void read_values(values_t *values, const prim_memory_t *memory, prim_data_type_t dt)
{
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (int i = 0; i < values->n; ++i)
        values->at[i] = dt == PRIM_F64 ? ((double *)data)[i] : (double)((float *)data)[i];
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
}

// ---- Running ---------------------------------------------------------------------------------

/// A primitive with its memories: by place in known_args those of arguments, then of gradients.
typedef struct {
    prim_desc_t *pd;
    prim_t *primitive;
    prim_stream_t *stream;
    prim_memory_t *memories[2 * NKNOWN];
    bool is_borrowed[2 * NKNOWN];
} pass_t;

static int arg_at(int place)
{
    return place < NKNOWN ? known_args[place].arg : known_args[place - NKNOWN].diff_arg;
}

static prim_data_type_t type_at(const pass_t *pass, int place)
{
    return prim_desc_query_md(pass->pd, PRIM_QUERY_EXEC_ARG_MD, arg_at(place))->data_type;
}

/// Takes pd over. Memories that `from` has are its own; the others are made.
static void open_pass(pass_t *pass, prim_desc_t *pd, prim_engine_t *engine, const pass_t *from)
{
    *pass = (pass_t){.pd = pd, .stream = api_stream(engine)};
    api_expect(prim_create(&pass->primitive, pd), PRIM_SUCCESS);
    for (int i = 0; i < 2 * NKNOWN; ++i) {
        if (arg_at(i) == 0) continue;
        const prim_memory_desc_t *const md =
                prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, arg_at(i));
        if (md->ndims == 0) continue;
        pass->is_borrowed[i] = from && from->memories[i];
        pass->memories[i] = pass->is_borrowed[i] ? from->memories[i] : api_memory(md, engine);
    }
}

static void close_pass(pass_t *pass)
{
    for (int i = 0; i < 2 * NKNOWN; ++i)
        if (!pass->is_borrowed[i]) prim_memory_destroy(pass->memories[i]);
    prim_stream_destroy(pass->stream);
    prim_destroy(pass->primitive);
    prim_desc_destroy(pass->pd);
}

static void run_pass(const pass_t *pass)
{
    prim_arg_t args[2 * NKNOWN];
    int n = 0;
    for (int i = 0; i < 2 * NKNOWN; ++i)
        if (pass->memories[i]) args[n++] = (prim_arg_t){arg_at(i), pass->memories[i]};
    api_expect(prim_execute(pass->primitive, pass->stream, n, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(pass->stream), PRIM_SUCCESS);
}

/// Writes what the forward pass reads; dst, statistics and workspaces are its own.
static void write_inputs(const pass_t *forward, const inputs_t *inputs)
{
    for (int i = 0; i < DST_PLACE; ++i)
        if (forward->memories[i])
            write_values(forward->memories[i], type_at(forward, i), &inputs->of[i]);
}

static double loss(const pass_t *forward, const inputs_t *inputs)
{
    const values_t *const g = &inputs->of[DST_PLACE];
    values_t dst = {.n = g->n};
    double sum = 0;
    write_inputs(forward, inputs);
    run_pass(forward);
    read_values(&dst, forward->memories[DST_PLACE], type_at(forward, DST_PLACE));
    for (int i = 0; i < g->n; ++i) sum += g->at[i] * dst.at[i];
    return sum;
}

/// Central differences of steps h and h/2, extrapolated: the error is of the order of h⁴.
static double derivative(const pass_t *forward, inputs_t *inputs, int place, int index)
{
    const double step = 0x1p-9;
    double *const x = &inputs->of[place].at[index], middle = *x, differences[2];
    for (int i = 0; i < 2; ++i) {
        const double h = i == 0 ? step : step / 2;
        *x = middle + h;
        const double above = loss(forward, inputs);
        *x = middle - h;
        differences[i] = (above - loss(forward, inputs)) / (2 * h);
    }
    *x = middle;
    return (4 * differences[1] - differences[0]) / 3;
}

/// The gradient by one input, whose largest element sets the scale: 1e-5 of it is some dozens of
/// roundings of f32.
static void expect_gradient(
        const pass_t *forward, inputs_t *inputs, const pass_t *backward, int place)
{
    values_t got = {.n = inputs->of[place].n};
    double expected[MAX_ELEMS], largest = 0;
    const char *name = "";
    api_expect(prim_desc_query(backward->pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    read_values(&got, backward->memories[NKNOWN + place], type_at(backward, NKNOWN + place));
    for (int i = 0; i < got.n; ++i) {
        expected[i] = derivative(forward, inputs, place, i);
        largest = fmax(largest, fabs(expected[i]));
    }
    assert_true(largest > 0);
    for (int i = 0; i < got.n; ++i)
        if (!(fabs(got.at[i] - expected[i]) <= 1e-5 * largest))
            fail_msg("%s: gradient by argument %d, element %d: %.9g, by differences %.9g", name,
                    known_args[place].arg, i, got.at[i], expected[i]);
}

static void check_case(const gradient_case_t *c, prim_engine_t *engine)
{
    static inputs_t inputs;
    prim_desc_t *exact_pd = NULL, *forward_pd = NULL, *backward_pd = NULL;
    pass_t exact, forward, backward;
    int ngradients = 0;
    api_expect(c->forward(&exact_pd, api_engine(0), PRIM_F64, c), PRIM_SUCCESS);
    api_expect(c->forward(&forward_pd, engine, PRIM_F32, c), PRIM_SUCCESS);
    api_expect(c->backward(&backward_pd, engine, forward_pd, c), PRIM_SUCCESS);
    open_pass(&exact, exact_pd, api_engine(0), NULL);
    open_pass(&forward, forward_pd, engine, NULL);
    open_pass(&backward, backward_pd, engine, &forward);
    draw_inputs(&inputs, forward_pd, c->is_positive);
    write_inputs(&forward, &inputs);
    run_pass(&forward);
    write_values(backward.memories[NKNOWN + DST_PLACE], PRIM_F32, &inputs.of[DST_PLACE]);
    run_pass(&backward);
    for (int i = 0; i < DST_PLACE; ++i) {
        if (!backward.memories[NKNOWN + i]) continue;
        expect_gradient(&exact, &inputs, &backward, i);
        ++ngradients;
    }
    assert_true(ngradients > 0);
    close_pass(&backward);
    close_pass(&forward);
    close_pass(&exact);
}

static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e)
        for (int i = 0; i < gradient_ncases; ++i) check_case(&gradient_cases[i], api_engine(e));
}

/// BACKWARD_PASSES lists those of prim_ops.h: "softmax_backward …".
static void no_backward_pass_is_missing(void **state)
{
    (void)state;
    const char *pass = BACKWARD_PASSES;
    assert_true(*pass != '\0');
    while (*pass != '\0') {
        const size_t length = strcspn(pass, " ");
        int n = 0;
        for (int i = 0; i < gradient_ncases; ++i)
            n += strlen(gradient_cases[i].pass) == length &&
                 strncmp(gradient_cases[i].pass, pass, length) == 0;
        if (n == 0) fail_msg("no case of %.*s", (int)length, pass);
        pass += length + (pass[length] == ' ');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(no_backward_pass_is_missing),
            cmocka_unit_test(gradients_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
