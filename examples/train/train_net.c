// SPDX-License-Identifier: Apache-2.0
// Memories, parameters and lists of steps of a network that learns; the layers are in
// train_layers.c.
#include "train_net.h"

#include <string.h>

#include "digits.h"

/// Parameters start at multiples of a cache line.
enum { ALIGNED_ELEMS = 16 };

train_net_t *train_net_create(prim_engine_t *engine, prim_data_type_t type, prim_dim_t batch)
{
    train_net_t *const net = calloc(1, sizeof *net);
    if (!net) exit(1);
    net->engine = engine;
    net->type = type;
    net->batch = batch;
    DO(prim_stream_create(&net->stream, engine, PRIM_STREAM_IN_ORDER));
    return net;
}

void train_net_destroy(train_net_t *net)
{
    for (int i = 0; i < net->nprimitives; ++i) prim_destroy(net->primitives[i]);
    for (int i = 0; i < net->nmemories; ++i) prim_memory_destroy(net->memories[i]);
    prim_stream_destroy(net->stream);
    free(net);
}

float *train_floats(size_t n)
{
    float *const values = calloc(n, sizeof *values);
    if (!values) exit(1);
    return values;
}

prim_memory_t *train_memory(train_net_t *net, const prim_memory_desc_t *md, void *handle)
{
    if (net->nmemories == TRAIN_MAX_MEMORIES) exit(1);
    prim_memory_t *memory = NULL;
    DO(prim_memory_create(&memory, md, net->engine, handle));
    return net->memories[net->nmemories++] = memory;
}

train_tensor_t train_tensor(train_net_t *net, const prim_memory_desc_t *md)
{
    prim_memory_t *const value = train_memory(net, md, PRIM_MEMORY_ALLOCATE);
    return (train_tensor_t){value, train_memory(net, md, PRIM_MEMORY_ALLOCATE)};
}

const prim_t *train_primitive(train_net_t *net, prim_desc_t *pd)
{
    if (net->nprimitives == TRAIN_MAX_PRIMITIVES) exit(1);
    prim_t *primitive = NULL;
    DO(prim_create(&primitive, pd));
    prim_desc_destroy(pd);
    return net->primitives[net->nprimitives++] = primitive;
}

void train_add(train_list_t *list, const prim_t *primitive, const prim_arg_t *args)
{
    if (list->nsteps == TRAIN_MAX_STEPS) exit(1);
    train_step_t *const step = &list->steps[list->nsteps++];
    step->primitive = primitive;
    for (int i = 0; args[i].arg != 0; ++i)
        if (args[i].memory) step->args[step->nargs++] = args[i];
}

void train_completes(train_net_t *net, const train_param_t *param)
{
    net->backward.steps[net->backward.nsteps - 1].completes = param;
}

static size_t count_elems(const prim_memory_desc_t *md)
{
    return prim_memory_desc_get_size(md) / sizeof(float);
}

train_param_t *train_param(
        train_net_t *net, int ndims, const prim_dim_t *dims, float first, float limit)
{
    if (net->nparams == TRAIN_MAX_PARAMS) exit(1);
    train_param_t *const param = &net->params[net->nparams++];
    DO(prim_memory_desc_init_by_strides(&param->md, ndims, dims, PRIM_F32, NULL));
    param->first = first;
    param->limit = limit;
    param->offset_elems = net->nparam_elems;
    param->master = train_memory(net, &param->md, PRIM_MEMORY_NONE);
    param->gradient = train_memory(net, &param->md, PRIM_MEMORY_NONE);
    const size_t nplaces = (count_elems(&param->md) + ALIGNED_ELEMS - 1) / ALIGNED_ELEMS;
    net->nparam_elems += nplaces * ALIGNED_ELEMS;
    return param;
}

prim_memory_t *train_copy_of(train_net_t *net, train_param_t *param, const prim_memory_desc_t *md)
{
    if (prim_memory_desc_equal(md, &param->md)) return param->master;
    if (param->copy && prim_memory_desc_equal(md, prim_memory_get_desc(param->copy)))
        return param->copy;
    prim_desc_t *pd = NULL;
    DO(prim_reorder_desc_create(&pd, &param->md, net->engine, md, net->engine, NULL));
    prim_memory_t *const copy = train_memory(net, md, PRIM_MEMORY_ALLOCATE);
    train_add(&net->prepare, train_primitive(net, pd),
            (const prim_arg_t[]){{PRIM_ARG_FROM, param->master}, {PRIM_ARG_TO, copy}, {0}});
    return param->copy = copy;
}

/// A vector of all parameters' size, filled with zeros or with what they start with.
static prim_memory_t *new_vector(train_net_t *net, const float *values)
{
    prim_memory_desc_t md;
    const prim_dim_t n = (prim_dim_t)net->nparam_elems;
    DO(prim_memory_desc_init_by_tag(&md, 1, &n, PRIM_F32, PRIM_a));
    prim_memory_t *const memory = train_memory(net, &md, PRIM_MEMORY_ALLOCATE);
    DO(prim_memory_write(memory, values, net->nparam_elems * sizeof *values, 0));
    return memory;
}

/// Each parameter becomes a piece of the vectors of all.
static void bind_params(train_net_t *net)
{
    void *master = NULL, *gradient = NULL;
    DO(prim_memory_get_data_handle(net->master, &master));
    DO(prim_memory_get_data_handle(net->gradient, &gradient));
    for (int i = 0; i < net->nparams; ++i) {
        const train_param_t *const param = &net->params[i];
        const size_t offset_bytes = param->offset_elems * sizeof(float);
        DO(prim_memory_set_data_handle_at(param->master, master, offset_bytes));
        DO(prim_memory_set_data_handle_at(param->gradient, gradient, offset_bytes));
    }
}

/// dst ← a·dst + b·src, for vectors of all parameters.
static void add_axpby(train_net_t *net, float a, prim_memory_t *dst, float b, prim_memory_t *src)
{
    const prim_memory_desc_t *const md = prim_memory_get_desc(dst);
    prim_desc_t *pd = NULL;
    DO(prim_sum_desc_create(&pd, net->engine, md, 2, (const float[]){a, b},
            (const prim_memory_desc_t *const[]){md, md}, NULL));
    train_add(&net->update, train_primitive(net, pd),
            (const prim_arg_t[]){{PRIM_ARG_MULTIPLE_SRC, dst}, {PRIM_ARG_MULTIPLE_SRC + 1, src},
                    {PRIM_ARG_DST, dst}, {0}});
}

static void draw_params(const train_net_t *net, float *values, unsigned seed)
{
    for (int i = 0; i < net->nparams; ++i) {
        const train_param_t *const param = &net->params[i];
        for (size_t k = 0; k < count_elems(&param->md); ++k)
            values[param->offset_elems + k] =
                    param->first + param->limit * (2 * digits_draw(&seed) - 1);
    }
}

void train_net_finish(train_net_t *net, const train_sgd_t *sgd, unsigned seed)
{
    float *const values = train_floats(net->nparam_elems);
    net->gradient = new_vector(net, values);
    net->velocity = new_vector(net, values);
    draw_params(net, values, seed);
    net->master = new_vector(net, values);
    free(values);
    bind_params(net);
    add_axpby(net, sgd->momentum, net->velocity, 1 / sgd->loss_scale, net->gradient);
    add_axpby(net, 1, net->master, -sgd->rate, net->velocity);
}

static void run(const train_net_t *net, const train_step_t *step)
{
    DO(prim_execute(step->primitive, net->stream, step->nargs, step->args));
}

static void run_list(const train_net_t *net, const train_list_t *list)
{
    for (int i = 0; i < list->nsteps; ++i) run(net, &list->steps[i]);
}

void train_forward(train_net_t *net)
{
    run_list(net, &net->prepare);
    run_list(net, &net->forward);
}

void train_backward(train_net_t *net, void (*ready)(void *user, size_t first), void *user)
{
    size_t first = net->nparam_elems;
    for (int i = net->backward.nsteps - 1; i >= 0; --i) {
        const train_step_t *const step = &net->backward.steps[i];
        run(net, step);
        if (step->completes) first = step->completes->offset_elems;
        if (ready) ready(user, first);
    }
}

void train_update(train_net_t *net)
{
    run_list(net, &net->update);
}

void train_infer(train_net_t *net)
{
    run_list(net, &net->prepare);
    run_list(net, &net->infer);
}
