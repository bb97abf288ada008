// SPDX-License-Identifier: Apache-2.0
// A graph with branches (an inception block: Szegedy et al., 2015, figure 2b) on an out-of-order
// stream. The layers are sorted by dependency; each is submitted with the events of those it reads
// from, so branches that do not depend on each other may overlap on the device. The result has the
// same bits as on an in-order stream. Usage: branching_graph
#include <string.h>
#include <time.h>

#include <prim/prim_ocl.h>

#include "example.h"

enum { MAX_INPUTS = 4, MAX_ARGS = MAX_INPUTS + 3, SIZE = 28, NROUNDS = 10 };

/// The layers, from the output back: an order in which they cannot run.
enum { MEAN, HEAD, JOIN, B1, B2, B2_IN, B3, B3_IN, B4, B4_IN, INPUT, NLAYERS };

typedef enum { KIND_INPUT, KIND_CONVOLUTION, KIND_MAX_POOL, KIND_MEAN, KIND_CONCAT } kind_t;

typedef struct {
    kind_t kind;
    prim_dim_t channels, kernel; ///< of the output; odd, with padding that keeps the size
    int ninputs, inputs[MAX_INPUTS];
} spec_t;

static const spec_t specs[NLAYERS] = {
        [MEAN] = {KIND_MEAN, 128, SIZE, 1, {HEAD}},
        [HEAD] = {KIND_CONVOLUTION, 128, 1, 1, {JOIN}},
        [JOIN] = {KIND_CONCAT, 128, 0, 4, {B1, B2, B3, B4}},
        [B1] = {KIND_CONVOLUTION, 32, 1, 1, {INPUT}},
        [B2] = {KIND_CONVOLUTION, 64, 3, 1, {B2_IN}},
        [B2_IN] = {KIND_CONVOLUTION, 48, 1, 1, {INPUT}},
        [B3] = {KIND_CONVOLUTION, 16, 5, 1, {B3_IN}},
        [B3_IN] = {KIND_CONVOLUTION, 8, 1, 1, {INPUT}},
        [B4] = {KIND_CONVOLUTION, 16, 1, 1, {B4_IN}},
        [B4_IN] = {KIND_MAX_POOL, 96, 3, 1, {INPUT}},
        [INPUT] = {KIND_INPUT, 96, 0, 0, {0}},
};

typedef struct {
    prim_t *primitive; ///< NULL: the input
    int nargs;
    prim_arg_t args[MAX_ARGS];
    prim_memory_t *dst, *weights, *bias; ///< the last two NULL where there are none
    cl_event done;                       ///< of the latest run
} layer_t;

typedef struct {
    prim_engine_t *engine;
    int order[NLAYERS]; ///< every layer after its inputs
    layer_t layers[NLAYERS];
} graph_t;

static double now_ms(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/// Topological sort (Kahn, 1962): a layer comes as soon as all its inputs have come.
static void sort(graph_t *graph)
{
    int nmissing[NLAYERS], nsorted = 0;
    for (int l = 0; l < NLAYERS; ++l) {
        nmissing[l] = specs[l].ninputs;
        if (nmissing[l] == 0) graph->order[nsorted++] = l;
    }
    for (int next = 0; next < nsorted; ++next)
        for (int l = 0; l < NLAYERS; ++l)
            for (int i = 0; i < specs[l].ninputs; ++i)
                if (specs[l].inputs[i] == graph->order[next] && --nmissing[l] == 0)
                    graph->order[nsorted++] = l;
    if (nsorted != NLAYERS) {
        fprintf(stderr, "the graph has a cycle\n");
        exit(1);
    }
}

static prim_memory_desc_t tensor(int ndims, const prim_dim_t *dims, prim_format_tag_t tag)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, ndims, dims, PRIM_F32, tag));
    return md;
}

static prim_memory_desc_t output_desc(int l)
{
    const prim_dim_t size = specs[l].kind == KIND_MEAN ? 1 : SIZE;
    return tensor(4, (const prim_dim_t[]){1, specs[l].channels, size, size}, PRIM_NCHW);
}

/// A tensor of seeded values in [-scale, scale).
static prim_memory_t *seeded(prim_engine_t *engine, const prim_memory_desc_t *md, float scale)
{
    static unsigned seed = 1;
    prim_memory_t *memory = NULL;
    float *values = NULL;
    DO(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE));
    DO(prim_memory_map_data(memory, (void **)&values));
    for (size_t i = 0; i < prim_memory_desc_get_size(md) / sizeof *values; ++i) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = scale * ((float)(seed >> 8) * 0x1p-23f - 1);
    }
    DO(prim_memory_unmap_data(memory, values));
    return memory;
}

static void add_arg(layer_t *layer, int arg, prim_memory_t *memory)
{
    layer->args[layer->nargs++] = (prim_arg_t){arg, memory};
}

/// Convolution and ReLU; weights and bias are made here.
static prim_desc_t *convolution(graph_t *graph, int l, const prim_memory_desc_t *src_md)
{
    const spec_t *const spec = &specs[l];
    layer_t *const layer = &graph->layers[l];
    const prim_dim_t k = spec->kernel, pad[] = {k / 2, k / 2}, ones[] = {1, 1};
    const prim_memory_desc_t dst_md = output_desc(l), bia_md = tensor(1, &spec->channels, PRIM_a);
    const prim_memory_desc_t wei_md =
            tensor(4, (const prim_dim_t[]){spec->channels, src_md->dims[1], k, k}, PRIM_OIHW);
    prim_post_ops_t *post_ops = NULL;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    DO(prim_post_ops_create(&post_ops));
    DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0));
    DO(prim_attr_create(&attr));
    DO(prim_attr_set_post_ops(attr, post_ops));
    DO(prim_convolution_forward_desc_create(&pd, graph->engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, src_md, &wei_md, &bia_md, &dst_md, ones, NULL, pad, pad,
            attr));
    prim_attr_destroy(attr);
    prim_post_ops_destroy(post_ops);
    layer->weights = seeded(graph->engine, &wei_md, 1 / (float)(k * k));
    layer->bias = seeded(graph->engine, &bia_md, 1);
    add_arg(layer, PRIM_ARG_WEIGHTS, layer->weights);
    add_arg(layer, PRIM_ARG_BIAS, layer->bias);
    return pd;
}

static prim_desc_t *pooling(graph_t *graph, int l, const prim_memory_desc_t *src_md)
{
    const bool is_mean = specs[l].kind == KIND_MEAN;
    const prim_dim_t k = specs[l].kernel, p = is_mean ? 0 : k / 2;
    const prim_memory_desc_t dst_md = output_desc(l);
    prim_desc_t *pd = NULL;
    DO(prim_pooling_forward_desc_create(&pd, graph->engine, PRIM_FORWARD_INFERENCE,
            is_mean ? PRIM_POOLING_AVG_EXCLUDE_PADDING : PRIM_POOLING_MAX, src_md, &dst_md,
            (const prim_dim_t[]){1, 1}, (const prim_dim_t[]){k, k}, NULL,
            (const prim_dim_t[]){p, p}, (const prim_dim_t[]){p, p}, NULL));
    return pd;
}

static prim_desc_t *concat(graph_t *graph, int l)
{
    const prim_memory_desc_t *mds[MAX_INPUTS], dst_md = output_desc(l);
    for (int i = 0; i < specs[l].ninputs; ++i)
        mds[i] = prim_memory_get_desc(graph->layers[specs[l].inputs[i]].dst);
    prim_desc_t *pd = NULL;
    DO(prim_concat_desc_create(&pd, graph->engine, &dst_md, specs[l].ninputs, 1, mds, NULL));
    return pd;
}

/// The inputs' memories are there already.
static void create_layer(graph_t *graph, int l)
{
    const spec_t *const spec = &specs[l];
    layer_t *const layer = &graph->layers[l];
    const prim_memory_desc_t md = output_desc(l);
    layer->dst = seeded(graph->engine, &md, 1);
    if (spec->kind == KIND_INPUT) return;
    const prim_memory_desc_t *const src_md =
            prim_memory_get_desc(graph->layers[spec->inputs[0]].dst);
    prim_desc_t *const pd = spec->kind == KIND_CONVOLUTION ? convolution(graph, l, src_md)
                            : spec->kind == KIND_CONCAT    ? concat(graph, l)
                                                           : pooling(graph, l, src_md);
    for (int i = 0; i < spec->ninputs; ++i)
        add_arg(layer, spec->kind == KIND_CONCAT ? PRIM_ARG_MULTIPLE_SRC + i : PRIM_ARG_SRC,
                graph->layers[spec->inputs[i]].dst);
    add_arg(layer, PRIM_ARG_DST, layer->dst);
    DO(prim_create(&layer->primitive, pd));
    prim_desc_destroy(pd);
}

static void destroy_layer(layer_t *layer)
{
    prim_destroy(layer->primitive);
    prim_memory_destroy(layer->weights);
    prim_memory_destroy(layer->bias);
    prim_memory_destroy(layer->dst);
}

static void run_in_order(graph_t *graph, prim_stream_t *stream)
{
    for (int o = 0; o < NLAYERS; ++o) {
        const layer_t *const layer = &graph->layers[graph->order[o]];
        if (layer->primitive) DO(prim_execute(layer->primitive, stream, layer->nargs, layer->args));
    }
    DO(prim_stream_wait(stream));
}

/// Each layer waits for those it reads; the input is there before. A run must not overlap the one
/// before, whose tensors it overwrites: hence the wait at the end.
static void run_by_events(graph_t *graph, prim_stream_t *stream)
{
    for (int o = 0; o < NLAYERS; ++o) {
        const int l = graph->order[o];
        layer_t *const layer = &graph->layers[l];
        if (!layer->primitive) continue;
        cl_event deps[MAX_INPUTS];
        int ndeps = 0;
        for (int i = 0; i < specs[l].ninputs; ++i) {
            const cl_event done = graph->layers[specs[l].inputs[i]].done;
            if (done) deps[ndeps++] = done;
        }
        DO(prim_ocl_execute(
                layer->primitive, stream, layer->nargs, layer->args, ndeps, deps, &layer->done));
    }
    DO(prim_stream_wait(stream));
    for (int l = 0; l < NLAYERS; ++l) {
        if (graph->layers[l].done) clReleaseEvent(graph->layers[l].done);
        graph->layers[l].done = NULL;
    }
}

/// Spoils everything that is computed, so that no result of another run can pass for a new one.
static void spoil(graph_t *graph)
{
    for (int l = 0; l < NLAYERS; ++l) {
        if (!graph->layers[l].primitive) continue;
        void *bytes = NULL;
        prim_memory_t *const dst = graph->layers[l].dst;
        DO(prim_memory_map_data(dst, &bytes));
        memset(bytes, 0xff, prim_memory_desc_get_size(prim_memory_get_desc(dst))); // NaN
        DO(prim_memory_unmap_data(dst, bytes));
    }
}

typedef void run_t(graph_t *graph, prim_stream_t *stream);

/// Best time in milliseconds. `output` is what the first run in order gives; the others count in
/// `ndiffer` where they give other bits.
static double measure(graph_t *graph, prim_stream_t *stream, run_t *run, void *output, int *ndiffer)
{
    const prim_memory_t *const dst = graph->layers[MEAN].dst;
    const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(dst));
    double best_ms = 1e30;
    for (int round = 0; round < NROUNDS; ++round) {
        spoil(graph);
        const double start_ms = now_ms();
        run(graph, stream);
        const double ms = now_ms() - start_ms;
        if (ms < best_ms) best_ms = ms;
        void *got = NULL;
        DO(prim_memory_map_data(dst, &got));
        if (round == 0 && run == run_in_order) memcpy(output, got, bytes);
        *ndiffer += memcmp(output, got, bytes) != 0;
        DO(prim_memory_unmap_data(dst, got));
    }
    return best_ms;
}

int main(void)
{
    graph_t graph = {0};
    prim_stream_t *ordered = NULL, *unordered = NULL;
    DO(prim_engine_create(&graph.engine, PRIM_GPU, 0));
    DO(prim_stream_create(&ordered, graph.engine, PRIM_STREAM_IN_ORDER));
    const prim_status_t st = prim_stream_create(&unordered, graph.engine, PRIM_STREAM_OUT_OF_ORDER);
    if (st == PRIM_UNIMPLEMENTED) {
        printf("skipped: %s\n", prim_last_error());
        prim_stream_destroy(ordered);
        prim_engine_destroy(graph.engine);
        return EXAMPLE_SKIPPED;
    }
    DO(st);
    sort(&graph);
    for (int o = 0; o < NLAYERS; ++o) create_layer(&graph, graph.order[o]);

    float output[128];
    int ndiffer = 0;
    const double ordered_ms = measure(&graph, ordered, run_in_order, output, &ndiffer);
    const double unordered_ms = measure(&graph, unordered, run_by_events, output, &ndiffer);
    printf("%s: %d layers, in order %.3f ms, by events out of order %.3f ms (%.2fx), %d of %d "
           "results differ\n",
            prim_engine_name(graph.engine), NLAYERS - 1, ordered_ms, unordered_ms,
            ordered_ms / unordered_ms, ndiffer, 2 * NROUNDS);

    for (int l = 0; l < NLAYERS; ++l) destroy_layer(&graph.layers[l]);
    prim_stream_destroy(unordered);
    prim_stream_destroy(ordered);
    prim_engine_destroy(graph.engine);
    return ndiffer != 0;
}
