// SPDX-License-Identifier: Apache-2.0
// Estimates of what groups cost.
#include "ep_cost.h"
#include "onnx_ops.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Of one core: vectors of 8 f32, two of them a clock, half of what that gives; of its memory.
enum { CORE_FLOPS_PER_US = 32000, HOST_BYTES_PER_US = 10000 };
/// Of a GPU: multiply-adds of 64 work-items a clock and unit, half of what that gives; of its own
/// memory.
enum { UNIT_FLOPS_PER_CLOCK = 64, DEVICE_BYTES_PER_US = 200000 };
/// Of starting a node.
enum { HOST_NODE_US = 2, CPU_NODE_US = 2, DEVICE_NODE_US = 5 };
enum { PROBE_BYTES = 1 << 22, PROBES = 3 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/// The best of a few copies of `bytes` to the memory and back, in one direction.
static prim_status_t time_copies(prim_memory_t *memory, void *data, size_t bytes, double *best_us)
{
    *best_us = 1e9;
    for (int i = 0; i < PROBES; ++i) {
        const double start = now_us();
        prim_status_t status = prim_memory_write(memory, data, bytes, 0);
        if (status == PRIM_SUCCESS) status = prim_memory_read(memory, data, bytes, 0);
        if (status != PRIM_SUCCESS) return status;
        const double us = (now_us() - start) / 2;
        if (us < *best_us) *best_us = us;
    }
    return PRIM_SUCCESS;
}

static prim_status_t measure_moves(ep_machine_t *machine, prim_engine_t *engine)
{
    static const prim_dim_t bytes = PROBE_BYTES;
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    double small_us = 0, large_us = 0;
    void *const data = calloc(1, PROBE_BYTES);
    prim_status_t status = data ? prim_memory_desc_init_by_strides(&md, 1, &bytes, PRIM_U8, NULL)
                                : PRIM_OUT_OF_MEMORY;
    if (status == PRIM_SUCCESS)
        status = prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE);
    if (status == PRIM_SUCCESS) status = time_copies(memory, data, 64, &small_us);
    if (status == PRIM_SUCCESS) status = time_copies(memory, data, PROBE_BYTES, &large_us);
    machine->move_us = small_us;
    machine->moved_bytes_per_us = PROBE_BYTES / (large_us > small_us ? large_us - small_us : 1);
    prim_memory_destroy(memory);
    free(data);
    return status;
}

/// A device that is the host's own processor is as fast as the host.
prim_status_t ep_measure(ep_machine_t *machine, prim_engine_t *engine)
{
    prim_engine_kind_t kind = PRIM_CPU;
    const char *word = "";
    int units = 1, mhz = 1000;
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    machine->host = (ep_rates_t){cores * CORE_FLOPS_PER_US, HOST_BYTES_PER_US, HOST_NODE_US};
    machine->engine = machine->host;
    machine->engine.node_us = CPU_NODE_US;
    machine->move_us = 0;
    machine->moved_bytes_per_us = HOST_BYTES_PER_US;
    (void)prim_engine_get_kind(engine, &kind);
    if (kind == PRIM_CPU) return PRIM_SUCCESS;
    (void)prim_engine_query(engine, PRIM_ENGINE_QUERY_KIND_STR, (void *)&word);
    (void)prim_engine_query(engine, PRIM_ENGINE_QUERY_COMPUTE_UNITS_S32, &units);
    (void)prim_engine_query(engine, PRIM_ENGINE_QUERY_CLOCK_MHZ_S32, &mhz);
    bool is_shared = false;
    (void)prim_engine_query(engine, PRIM_ENGINE_QUERY_HAS_UNIFIED_MEMORY_BOOL, &is_shared);
    machine->engine.node_us = DEVICE_NODE_US;
    if (strcmp(word, "cpu") != 0) {
        machine->engine.flops_per_us = (double)units * mhz * UNIT_FLOPS_PER_CLOCK;
        machine->engine.bytes_per_us = is_shared ? HOST_BYTES_PER_US : DEVICE_BYTES_PER_US;
    }
    return measure_moves(machine, engine);
}

static double nelems(const onnx_value_t *value)
{
    double n = 1;
    for (int d = 0; d < value->ndims; ++d) n *= (double)value->dims[d];
    return n;
}

static double nbytes(const onnx_value_t *value)
{
    return nelems(value) * (double)onnx_element_bytes(value->element_type);
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; ++words)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

/// Operators that give the same elements another shape, which costs nothing.
static bool is_view(const char *op)
{
    static const char *const views[] = {
            "Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze", NULL};
    return is_one_of(op, views);
}

static bool is_move(const char *op)
{
    static const char *const moves[] = {"Cast", "Concat", "DepthToSpace", "Expand", "Gather", "Pad",
            "Slice", "SpaceToDepth", "Split", "Tile", "Transpose", NULL};
    return is_view(op) || is_one_of(op, moves);
}

/// Multiplications and additions of a node.
static double count_flops(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const src = onnx_input(model, node, 0);
    const bool is_linear = strncmp(node->op, "QLinear", 7) == 0;
    const onnx_value_t *const wei = onnx_input(model, node, is_linear ? 3 : 1);
    const double n = nelems(&model->values[node->outputs[0]]);
    if (is_move(node->op)) return 0;
    if (strcmp(node->op, "ConvTranspose") == 0)
        return 2 * nelems(src) * nelems(wei) / (double)wei->dims[0];
    if (strstr(node->op, "Conv")) return 2 * n * nelems(wei) / (double)wei->dims[0];
    if (strcmp(node->op, "Gemm") == 0)
        return 2 * n * (double)src->dims[onnx_int(node, "transA", 0) ? 0 : 1];
    if (strstr(node->op, "MatMul")) return 2 * n * (double)src->dims[src->ndims - 1];
    return 4 * (n > nelems(src) ? n : nelems(src));
}

/// Adds the time of a node; false where a shape is not known.
static bool add_node(const ep_machine_t *m, const onnx_model_t *model, const onnx_node_t *node,
        ep_estimate_t *sum)
{
    double bytes = 0;
    for (int i = 0; i < node->ninputs + node->noutputs; ++i) {
        const int v = i < node->ninputs ? node->inputs[i] : node->outputs[i - node->ninputs];
        if (v < 0) continue;
        if (!onnx_has_shape(&model->values[v])) return false;
        bytes += nbytes(&model->values[v]);
    }
    sum->computes = sum->computes || !is_move(node->op);
    if (is_view(node->op)) return true;
    const double flops = count_flops(model, node);
    const ep_rates_t *const rates[] = {&m->host, &m->engine};
    double *const us[] = {&sum->host_us, &sum->engine_us};
    for (int k = 0; k < 2; ++k) {
        const double arithmetic = flops / rates[k]->flops_per_us;
        const double traffic = bytes / rates[k]->bytes_per_us;
        *us[k] += rates[k]->node_us + (arithmetic > traffic ? arithmetic : traffic);
    }
    return true;
}

/// Marks the values that the group takes in, or hands out.
static void mark_moved(
        const onnx_model_t *model, const bool *is_member, bool has_ends, bool *is_moved)
{
    bool *const is_made = is_moved + model->nvalues; // by members
    for (int i = 0; i < model->nnodes; ++i)
        for (int k = 0; is_member[i] && k < model->nodes[i].noutputs; ++k)
            if (model->nodes[i].outputs[k] >= 0) is_made[model->nodes[i].outputs[k]] = true;
    for (int i = 0; i < model->nnodes; ++i)
        for (int k = 0; k < model->nodes[i].ninputs; ++k) {
            const int v = model->nodes[i].inputs[k];
            if (v >= 0 && is_made[v] != is_member[i] && !model->values[v].is_constant)
                is_moved[v] = true;
        }
    for (int i = 0; i < model->noutputs && !has_ends; ++i)
        if (is_made[model->outputs[i]]) is_moved[model->outputs[i]] = true;
    for (int i = 0; i < model->ninputs && has_ends; ++i) is_moved[model->inputs[i]] = false;
}

ep_estimate_t ep_estimate(
        const ep_machine_t *machine, const onnx_model_t *model, const bool *is_member)
{
    ep_estimate_t sum = {.is_known = true};
    bool *const is_moved = calloc(2 * (size_t)model->nvalues + 1, sizeof *is_moved);
    if (!is_moved) return (ep_estimate_t){.is_known = false, .computes = true};
    for (int i = 0; i < model->nnodes; ++i)
        if (is_member[i] && !add_node(machine, model, &model->nodes[i], &sum)) sum.is_known = false;
    mark_moved(model, is_member, machine->has_ends, is_moved);
    for (int v = 0; v < model->nvalues && sum.is_known; ++v) {
        if (!is_moved[v]) continue;
        sum.moved_bytes += nbytes(&model->values[v]);
        sum.move_us += machine->move_us;
    }
    if (machine->move_us > 0) sum.move_us += sum.moved_bytes / machine->moved_bytes_per_us;
    if (!sum.is_known) sum.computes = true;
    free(is_moved);
    return sum;
}

bool ep_is_worth(const ep_estimate_t *estimate, const ep_machine_t *machine)
{
    if (!estimate->computes) return false;
    if (!estimate->is_known || machine->move_us == 0) return true;
    return estimate->engine_us + estimate->move_us < estimate->host_us;
}
