// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes become primitives. What depends on constants alone is computed at once; all else
// becomes a step of the compiled graph.
#include "graph_internal.h"

#include <stdlib.h>
#include <string.h>

#define TRY(call)                                    \
    do {                                             \
        const prim_status_t status_ = (call);        \
        if (status_ != PRIM_SUCCESS) return status_; \
    } while (0)

const prim_memory_desc_t *graph__md_of(const graph_t *graph, int tensor)
{
    return prim_memory_get_desc(graph__tensor(graph, tensor)->memory);
}

static bool is_constant(const graph_t *graph, int tensor)
{
    return graph__storage(graph, graph__tensor(graph, tensor)->storage)->kind == STORAGE_CONSTANT;
}

static int add_tensor_at(graph_t *graph, graph_value_t value, const prim_memory_desc_t *md,
        int storage, void *handle)
{
    prim_memory_t *memory = NULL;
    if (prim_memory_create(&memory, md, graph->engine, handle) != PRIM_SUCCESS)
        return graph__fail(graph, "%s", prim_last_error());
    graph_tensor_t *const tensor = graph__append(&graph->tensors, sizeof *tensor);
    if (!tensor) {
        prim_memory_destroy(memory);
        return graph__fail(graph, "no memory for another tensor");
    }
    *tensor = (graph_tensor_t){value, storage, memory};
    return graph->tensors.n - 1;
}

int graph__add_tensor(graph_t *graph, graph_value_t value, const prim_memory_desc_t *md,
        graph_storage_kind_t kind)
{
    graph_storage_t *const storage = graph__append(&graph->storages, sizeof *storage);
    if (!storage) return graph__fail(graph, "no memory for another tensor");
    *storage = (graph_storage_t){kind, prim_memory_desc_get_size(md), -1, -1, 0, 0};
    if (kind == STORAGE_CONSTANT) graph->stats.constant_bytes += storage->bytes;
    return add_tensor_at(graph, value, md, graph->storages.n - 1,
            kind == STORAGE_CONSTANT ? PRIM_MEMORY_ALLOCATE : PRIM_MEMORY_NONE);
}

int graph__add_view(graph_t *graph, graph_value_t value, const prim_memory_desc_t *md, int of)
{
    void *handle = PRIM_MEMORY_NONE;
    const graph_tensor_t from = *graph__tensor(graph, of);
    if (is_constant(graph, of) && prim_memory_get_data_handle(from.memory, &handle) != PRIM_SUCCESS)
        return graph__fail(graph, "%s", prim_last_error());
    return add_tensor_at(graph, value, md, from.storage, handle);
}

prim_status_t graph__row_major(const graph_t *graph, prim_memory_desc_t *md, graph_value_t value)
{
    const graph_node_value_t *const v = graph__value(graph, value);
    return prim_memory_desc_init_by_strides(md, v->ndims, v->dims, v->data_type, NULL);
}

/// Runs a step whose inputs are constants, and waits: its primitive is not needed again.
static prim_status_t run_once(graph_t *graph, graph_step_t *step)
{
    TRY(prim_create(&step->primitive, step->pd));
    TRY(prim_execute(step->primitive, graph->stream, step->nargs, step->args));
    return prim_stream_wait(graph->stream);
}

static void destroy_step(graph_step_t *step)
{
    prim_desc_destroy(step->pd);
    prim_destroy(step->primitive);
    free(step->args);
}

/// The storages that a step uses are alive at it.
static void mark_uses(graph_t *graph, int n, const int *tensors)
{
    const int now = graph->steps.n - 1;
    for (int i = 0; i < n; ++i) {
        graph_storage_t *const s = graph__storage(graph, graph__tensor(graph, tensors[i])->storage);
        if (s->first < 0) s->first = now;
        s->last = now;
    }
}

/// The primitive of `pd` over `n` tensors, the last of which it writes: run at once where all the
/// others are constants, else the next step.
static prim_status_t add_step(
        graph_t *graph, const prim_desc_t *pd, int n, const int *args, const int *tensors)
{
    graph_step_t made = {.value = graph__tensor(graph, tensors[n - 1])->value,
            .nargs = n,
            .args = malloc((size_t)n * sizeof *made.args)};
    if (!made.args) return PRIM_OUT_OF_MEMORY;
    for (int i = 0; i < n; ++i)
        made.args[i] = (prim_arg_t){args[i], graph__tensor(graph, tensors[i])->memory};
    prim_status_t status = prim_desc_clone(&made.pd, pd);
    if (status == PRIM_SUCCESS && is_constant(graph, tensors[n - 1])) {
        status = run_once(graph, &made);
        destroy_step(&made);
        return status;
    }
    graph_step_t *const step =
            status == PRIM_SUCCESS ? graph__append(&graph->steps, sizeof *step) : NULL;
    if (!step) {
        destroy_step(&made);
        return status == PRIM_SUCCESS ? PRIM_OUT_OF_MEMORY : status;
    }
    *step = made;
    mark_uses(graph, n, tensors);
    return PRIM_SUCCESS;
}

/// A copy of the tensor in the layout and type of `md`, for `value`.
static prim_status_t add_copy(graph_t *graph, int from, graph_value_t value,
        const prim_memory_desc_t *md, graph_storage_kind_t kind, int *to)
{
    prim_desc_t *pd = NULL;
    TRY(prim_reorder_desc_create(
            &pd, graph__md_of(graph, from), graph->engine, md, graph->engine, NULL));
    *to = graph__add_tensor(graph, value, md, kind);
    const int args[] = {PRIM_ARG_FROM, PRIM_ARG_TO}, tensors[] = {from, *to};
    const prim_status_t status =
            *to < 0 ? PRIM_OUT_OF_MEMORY : add_step(graph, pd, 2, args, tensors);
    prim_desc_destroy(pd);
    return status;
}

/// The tensor in the layout `md`: itself, a copy that was made before, or a new one.
static prim_status_t in_layout(graph_t *graph, int from, const prim_memory_desc_t *md, int *to)
{
    const graph_value_t value = graph__tensor(graph, from)->value;
    *to = from;
    if (prim_memory_desc_equal(graph__md_of(graph, from), md)) return PRIM_SUCCESS;
    for (int i = 0; i < graph->tensors.n; ++i) {
        *to = i;
        const graph_tensor_t *const other = graph__tensor(graph, i);
        if (other->value == value && other->memory &&
                prim_memory_desc_equal(graph__md_of(graph, i), md))
            return PRIM_SUCCESS;
    }
    return add_copy(graph, from, value, md,
            is_constant(graph, from) ? STORAGE_CONSTANT : STORAGE_PLANNED, to);
}

static prim_status_t view_md(const graph_node_t *node, const graph_node_value_t *to,
        const prim_memory_desc_t *from, prim_memory_desc_t *md)
{
    if (node->op == GRAPH_RESHAPE) return prim_memory_desc_reshape(md, from, to->ndims, to->dims);
    if (node->op == GRAPH_TRANSPOSE)
        return prim_memory_desc_permute_axes(md, from, node->params.order);
    return prim_memory_desc_submemory(md, from, to->dims, node->params.offsets);
}

/// Another view of the input's elements; of a row-major copy where the layout allows none.
static prim_status_t lower_view(graph_t *graph, const graph_node_t *node)
{
    int from = graph__value(graph, node->inputs[0])->tensor;
    prim_memory_desc_t md;
    const graph_node_value_t *const to = graph__value(graph, node->output);
    if (view_md(node, to, graph__md_of(graph, from), &md) != PRIM_SUCCESS) {
        TRY(graph__row_major(graph, &md, node->inputs[0]));
        TRY(in_layout(graph, from, &md, &from));
        const prim_memory_desc_t plain = md;
        TRY(view_md(node, to, &plain, &md));
    }
    int tensor = graph__add_view(graph, node->output, &md, from);
    if (tensor < 0) return PRIM_OUT_OF_MEMORY;
    if (graph__value(graph, node->output)->is_output) {
        TRY(graph__row_major(graph, &md, node->output));
        TRY(add_copy(graph, tensor, node->output, &md, STORAGE_BOUND, &tensor));
    }
    graph__value(graph, node->output)->tensor = tensor;
    return PRIM_SUCCESS;
}

/// The descriptor with which input `i` of the node is asked for.
static prim_status_t input_md(
        const graph_t *graph, const graph_node_t *node, int i, prim_memory_desc_t *md)
{
    const graph_value_t value = node->inputs[i];
    const int tensor = graph__value(graph, value)->tensor;
    const graph_layout_t layout = graph__ops[node->op].layouts[node->op == GRAPH_CONCAT ? 0 : i];
    if (layout == LAYOUT_ANY || (layout == LAYOUT_ANY_IF_CONSTANT && is_constant(graph, tensor)))
        return graph__any(graph, md, value);
    if (layout == LAYOUT_PLAIN) return graph__row_major(graph, md, value);
    *md = *graph__md_of(graph, tensor);
    return PRIM_SUCCESS;
}

static prim_status_t append_post_op(
        const graph_t *graph, prim_post_ops_t *post_ops, const graph_post_op_t *p)
{
    if (p->kind == PRIM_ELTWISE)
        return prim_post_ops_append_eltwise(post_ops, p->alg, p->alpha, p->beta);
    graph_value_t operands[GRAPH_MAX_OPERANDS];
    const prim_memory_desc_t *mds[GRAPH_MAX_OPERANDS] = {NULL};
    const int n = graph__operands(p, operands);
    for (int k = 0; k < n; ++k)
        mds[k] = graph__md_of(graph, graph__value(graph, operands[k])->tensor);
    return prim_post_ops_append_binary_v2(post_ops, p->alg, mds[0], mds[1]);
}

prim_status_t graph__set_quants(
        const graph_t *graph, int n, const graph_quant_t *quants, prim_attr_t *attr)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < n && status == PRIM_SUCCESS; ++i) {
        const graph_quant_t *const q = &quants[i];
        const prim_data_type_t type = graph__value(graph, q->value)->data_type;
        status = q->is_zero_point ? prim_attr_set_zero_points(attr, q->arg, q->mask, 0, NULL, type)
                                  : prim_attr_set_scales(attr, q->arg, q->mask, 0, NULL, type);
    }
    return status;
}

static bool has_constant_inputs(const graph_t *graph, const graph_node_t *node)
{
    for (int i = 0; i < node->ninputs; ++i)
        if (node->inputs[i] >= 0 &&
                !is_constant(graph, graph__value(graph, node->inputs[i])->tensor))
            return false;
    for (int i = 0; i < node->npost_ops; ++i) {
        graph_value_t operands[GRAPH_MAX_OPERANDS];
        for (int k = graph__operands(&node->post_ops[i], operands); k-- > 0;)
            if (!is_constant(graph, graph__value(graph, operands[k])->tensor)) return false;
    }
    for (int i = 0; i < node->nquants; ++i)
        if (!is_constant(graph, graph__value(graph, node->quants[i].value)->tensor)) return false;
    return true;
}

/// The attributes of the node's post-ops, quantisation and tuning. The scratchpad of a step lies
/// between the tensors that are alive then; what is computed at once uses the library's.
static prim_status_t make_attr(const graph_t *graph, const graph_node_t *node, prim_attr_t **attr)
{
    *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    prim_status_t status = prim_post_ops_create(&post_ops);
    for (int i = 0; i < node->npost_ops && status == PRIM_SUCCESS; ++i)
        status = append_post_op(graph, post_ops, &node->post_ops[i]);
    if (status == PRIM_SUCCESS) status = prim_attr_create(attr);
    if (status == PRIM_SUCCESS) status = prim_attr_set_post_ops(*attr, post_ops);
    if (status == PRIM_SUCCESS)
        status = graph__set_quants(graph, node->nquants, node->quants, *attr);
    if (status == PRIM_SUCCESS && graph->tune != PRIM_TUNE_NONE)
        status = prim_attr_set_tune(*attr, graph->tune);
    if (status == PRIM_SUCCESS && !has_constant_inputs(graph, node))
        status = prim_attr_set_scratchpad_mode(*attr, PRIM_SCRATCHPAD_USER);
    prim_post_ops_destroy(post_ops);
    return status;
}

static prim_status_t create_pd(const graph_t *graph, const graph_node_t *node, prim_desc_t **pd)
{
    prim_memory_desc_t dst_md;
    TRY(graph__result_md(graph, node, &dst_md));
    prim_memory_desc_t *const mds = calloc((size_t)node->ninputs, sizeof *mds);
    const prim_memory_desc_t **const pointers = calloc((size_t)node->ninputs, sizeof *pointers);
    prim_attr_t *attr = NULL;
    prim_status_t status = mds && pointers ? PRIM_SUCCESS : PRIM_OUT_OF_MEMORY;
    for (int i = 0; i < node->ninputs && status == PRIM_SUCCESS; ++i) {
        if (node->inputs[i] < 0) continue;
        status = input_md(graph, node, i, &mds[i]);
        pointers[i] = &mds[i];
    }
    if (status == PRIM_SUCCESS) status = make_attr(graph, node, &attr);
    const graph_problem_t problem = {graph->engine, node, pointers, &dst_md, attr};
    if (status == PRIM_SUCCESS) status = graph__ops[node->op].create(pd, &problem);
    prim_attr_destroy(attr);
    free(pointers);
    free(mds);
    return status;
}

/// The tensors that the primitive reads, in the layouts it wants; returns how many.
static prim_status_t gather_args(graph_t *graph, const graph_node_t *node, const prim_desc_t *pd,
        int *n, int *args, int *tensors)
{
    const graph_op_info_t *const op = &graph__ops[node->op];
    for (int i = 0; i < node->ninputs; ++i) {
        if (node->inputs[i] < 0) continue;
        args[*n] = node->op == GRAPH_CONCAT ? op->args[0] + i : op->args[i];
        const prim_memory_desc_t *const md =
                prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, args[*n]);
        const int from = graph__value(graph, node->inputs[i])->tensor;
        TRY(in_layout(graph, from, md, &tensors[(*n)++]));
    }
    for (int i = 0; i < node->npost_ops; ++i) {
        static const int sources[GRAPH_MAX_OPERANDS] = {PRIM_ARG_SRC_1, PRIM_ARG_SRC_2};
        graph_value_t operands[GRAPH_MAX_OPERANDS];
        const int noperands = graph__operands(&node->post_ops[i], operands);
        for (int k = 0; k < noperands; ++k) {
            args[*n] = PRIM_ARG_ATTR_MULTIPLE_POST_OP(i) | sources[k];
            tensors[(*n)++] = graph__value(graph, operands[k])->tensor;
        }
    }
    for (int i = 0; i < node->nquants; ++i) {
        const graph_quant_t *const q = &node->quants[i];
        prim_memory_desc_t md;
        args[*n] = q->arg | (q->is_zero_point ? PRIM_ARG_ATTR_ZERO_POINTS : PRIM_ARG_ATTR_SCALES);
        TRY(graph__row_major(graph, &md, q->value));
        TRY(in_layout(graph, graph__value(graph, q->value)->tensor, &md, &tensors[(*n)++]));
    }
    return PRIM_SUCCESS;
}

/// A place for what the primitive needs while it runs, if that is anything.
static prim_status_t add_scratchpad(
        graph_t *graph, const prim_desc_t *pd, int *n, int *args, int *tensors)
{
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_SCRATCHPAD_MD, 0);
    if (prim_memory_desc_get_size(md) == 0) return PRIM_SUCCESS;
    args[*n] = PRIM_ARG_SCRATCHPAD;
    tensors[*n] = graph__add_tensor(graph, GRAPH_ABSENT, md, STORAGE_PLANNED);
    return tensors[(*n)++] < 0 ? PRIM_OUT_OF_MEMORY : PRIM_SUCCESS;
}

/// Adds the step, whose `n` operands stand in `args` and `tensors`, with its result behind them. An
/// output in another layout than the caller's is copied; later nodes read it as it was made.
static prim_status_t add_result(graph_t *graph, const graph_node_t *node, const prim_desc_t *pd,
        int n, int *args, int *tensors)
{
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0);
    const bool is_output = graph__value(graph, node->output)->is_output;
    prim_memory_desc_t plain;
    TRY(graph__row_major(graph, &plain, node->output));
    const bool is_copied = is_output && !prim_memory_desc_equal(md, &plain);
    const graph_storage_kind_t kind = is_output && !is_copied            ? STORAGE_BOUND
                                      : has_constant_inputs(graph, node) ? STORAGE_CONSTANT
                                                                         : STORAGE_PLANNED;
    args[n] = PRIM_ARG_DST;
    tensors[n] = graph__add_tensor(graph, node->output, md, kind);
    if (tensors[n] < 0) return PRIM_OUT_OF_MEMORY;
    TRY(add_step(graph, pd, n + 1, args, tensors));
    graph__value(graph, node->output)->tensor = tensors[n];
    int copy;
    if (!is_copied) return PRIM_SUCCESS;
    return add_copy(graph, tensors[n], node->output, &plain, STORAGE_BOUND, &copy);
}

/// Adds the primitive and the tensor of its result.
static prim_status_t add_primitive(graph_t *graph, const graph_node_t *node, const prim_desc_t *pd)
{
    const size_t room =
            (size_t)(node->ninputs + GRAPH_MAX_OPERANDS * node->npost_ops + node->nquants + 2);
    int *const args = calloc(2 * room, sizeof *args), *const tensors = args + room;
    if (!args) return PRIM_OUT_OF_MEMORY;
    int n = 0;
    prim_status_t status = gather_args(graph, node, pd, &n, args, tensors);
    if (status == PRIM_SUCCESS) status = add_scratchpad(graph, pd, &n, args, tensors);
    if (status == PRIM_SUCCESS) status = add_result(graph, node, pd, n, args, tensors);
    free(args);
    return status;
}

static prim_status_t lower_primitive(graph_t *graph, const graph_node_t *node)
{
    prim_desc_t *pd = NULL;
    prim_status_t status = create_pd(graph, node, &pd);
    if (status == PRIM_SUCCESS) status = add_primitive(graph, node, pd);
    if (status == PRIM_SUCCESS) graph->stats.nfused += node->npost_ops;
    prim_desc_destroy(pd);
    if (status != PRIM_SUCCESS) graph__fail_status(graph, graph__ops[node->op].word, status);
    return status;
}

/// A constant's values go to the engine when they are needed.
static prim_status_t upload(graph_t *graph, graph_value_t value)
{
    prim_memory_desc_t md;
    TRY(graph__row_major(graph, &md, value));
    const int tensor = graph__add_tensor(graph, value, &md, STORAGE_CONSTANT);
    if (tensor < 0) return PRIM_OUT_OF_MEMORY;
    graph_node_value_t *const constant = graph__value(graph, value);
    const size_t bytes = prim_memory_desc_get_size(&md);
    if (bytes)
        TRY(prim_memory_write(graph__tensor(graph, tensor)->memory, constant->data, bytes, 0));
    free(constant->data);
    constant->data = NULL;
    constant->tensor = tensor;
    return PRIM_SUCCESS;
}

/// Whether a node that is still to come, or a step, reads the storage.
static bool is_needed(const graph_t *graph, const int *uses, int storage)
{
    if (graph__storage(graph, storage)->first >= 0) return true;
    for (int t = 0; t < graph->tensors.n; ++t) {
        const graph_tensor_t *const tensor = graph__tensor(graph, t);
        if (tensor->storage == storage && uses[tensor->value] > 0) return true;
    }
    return false;
}

/// Frees constants that have served, among them those of which steps read another layout.
static void release_constants(graph_t *graph, const int *uses)
{
    for (int t = 0; t < graph->tensors.n; ++t) {
        graph_tensor_t *const tensor = graph__tensor(graph, t);
        graph_storage_t *const storage = graph__storage(graph, tensor->storage);
        if (storage->kind != STORAGE_CONSTANT || !tensor->memory) continue;
        if (is_needed(graph, uses, tensor->storage)) continue;
        prim_memory_destroy(tensor->memory);
        tensor->memory = NULL;
        graph->stats.constant_bytes -= storage->bytes;
        storage->bytes = 0; // of several views the first has counted
    }
}

static prim_status_t lower_value(graph_t *graph, int *uses, graph_value_t value);

/// The node's operands, then the node: those that fusing has added stand behind it.
static prim_status_t lower_node(graph_t *graph, int *uses, const graph_node_t *node)
{
    for (int i = 0; i < node->ninputs; ++i) TRY(lower_value(graph, uses, node->inputs[i]));
    for (int i = 0; i < node->npost_ops; ++i) {
        graph_value_t operands[GRAPH_MAX_OPERANDS];
        const int n = graph__operands(&node->post_ops[i], operands);
        for (int k = 0; k < n; ++k) TRY(lower_value(graph, uses, operands[k]));
    }
    for (int i = 0; i < node->nquants; ++i) TRY(lower_value(graph, uses, node->quants[i].value));
    TRY(graph__ops[node->op].create ? lower_primitive(graph, node) : lower_view(graph, node));
    for (int i = 0; i < node->ninputs; ++i)
        if (node->inputs[i] >= 0) uses[node->inputs[i]]--;
    release_constants(graph, uses);
    return PRIM_SUCCESS;
}

static prim_status_t lower_value(graph_t *graph, int *uses, graph_value_t value)
{
    if (value < 0 || graph__value(graph, value)->tensor >= 0) return PRIM_SUCCESS;
    if (graph__value(graph, value)->data) return upload(graph, value);
    return lower_node(graph, uses, graph__node(graph, graph__value(graph, value)->producer));
}

static prim_status_t add_inputs(graph_t *graph)
{
    for (int i = 0; i < graph->values.n; ++i) {
        if (!graph__value(graph, i)->is_input) continue;
        prim_memory_desc_t md;
        TRY(graph__row_major(graph, &md, i));
        const int tensor = graph__add_tensor(graph, i, &md, STORAGE_BOUND);
        if (tensor < 0) return PRIM_OUT_OF_MEMORY;
        graph__value(graph, i)->tensor = tensor;
    }
    return PRIM_SUCCESS;
}

/// Makes the primitives of all steps: kernels are compiled in parallel.
static prim_status_t create_primitives(graph_t *graph)
{
    graph_step_t *const steps = graph->steps.items;
    prim_desc_t **const pds = malloc(((size_t)graph->steps.n + 1) * sizeof *pds);
    if (!pds) return PRIM_OUT_OF_MEMORY;
    for (int i = 0; i < graph->steps.n; ++i) pds[i] = steps[i].pd;
    prim_status_t status = PRIM_SUCCESS;
    if (graph->steps.n) status = prim_prepare(graph->engine, graph->steps.n, pds);
    free(pds);
    for (int i = 0; i < graph->steps.n && status == PRIM_SUCCESS; ++i) {
        status = prim_create(&steps[i].primitive, steps[i].pd);
        prim_desc_destroy(steps[i].pd);
        steps[i].pd = NULL;
    }
    return status;
}

prim_status_t graph__lower(graph_t *graph)
{
    TRY(add_inputs(graph));
    int *const uses = malloc(((size_t)graph->values.n + 1) * sizeof *uses);
    if (!uses) return PRIM_OUT_OF_MEMORY;
    graph__count_uses(graph, uses);
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < graph->nodes.n && status == PRIM_SUCCESS; ++i) {
        const graph_node_t *const node = graph__node(graph, i);
        if (!node->is_absorbed) status = lower_value(graph, uses, node->output);
    }
    free(uses);
    if (status == PRIM_SUCCESS) status = create_primitives(graph);
    graph->stats.nprimitives = graph->steps.n;
    return status;
}
