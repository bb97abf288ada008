// SPDX-License-Identifier: Apache-2.0
// Groups on a device. Tensors of the host are copied there and back, those between groups stay;
// tensors of the device are bound as they are.
#include "ep_compute.h"

#include <stdlib.h>

static graph_value_t value_of(const compute_t *c, const plan_t *plan, int i)
{
    return i < c->model->ninputs ? plan->inputs[i] : plan->outputs[i - c->model->ninputs];
}

static prim_status_t init_md(const plan_t *plan, graph_value_t value, prim_memory_desc_t *md)
{
    return prim_memory_desc_init_by_strides(md, graph_ndims(plan->graph, value),
            graph_dims(plan->graph, value), graph_data_type(plan->graph, value), NULL);
}

static prim_status_t bind_memory(plan_t *plan, graph_value_t value, const prim_memory_t *memory)
{
    void *handle = NULL;
    const prim_status_t status = prim_memory_get_data_handle(memory, &handle);
    return status == PRIM_SUCCESS ? graph_bind(plan->graph, value, handle, 0) : status;
}

static bool is_kept(const compute_t *c, int i)
{
    return ep_residents_is_kept(c->ep->residents, c->kept[i]);
}

prim_status_t ep_device_prepare(const compute_t *c, plan_t *plan)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < c->model->ninputs + c->model->noutputs && status == PRIM_SUCCESS; ++i) {
        if (is_kept(c, i)) continue;
        prim_memory_desc_t md;
        const graph_value_t value = value_of(c, plan, i);
        status = init_md(plan, value, &md);
        if (status == PRIM_SUCCESS)
            status = prim_memory_create(
                    &plan->memories[i], &md, c->ep->engine, PRIM_MEMORY_ALLOCATE);
        if (status == PRIM_SUCCESS) status = bind_memory(plan, value, plan->memories[i]);
    }
    return status;
}

/// The buffer in which another group has left input `i`; a new one with its values where that group
/// has not, which a group does not for tensors without elements.
static prim_status_t find_input(
        const compute_t *c, int i, size_t bytes, const void *data, ep_buffer_t **buffer)
{
    ep_residents_t *const r = c->ep->residents;
    *buffer = bytes ? ep_residents_take(r, c->kept[i], data) : NULL;
    if (*buffer) return PRIM_SUCCESS;
    if (bytes && !ep_residents_is_read_by_host(r, c->kept[i]))
        return prim_report_failure(
                PRIM_RUNTIME_ERROR, "a tensor of another group is not on the device");
    const prim_status_t status = ep_residents_make(r, bytes, buffer);
    if (status != PRIM_SUCCESS || bytes == 0) return status;
    return prim_memory_write(ep_buffer_memory(*buffer), data, bytes, 0);
}

/// Brings tensor `i` to the device, if it is an input, and binds it.
static prim_status_t bring(
        const compute_t *c, plan_t *plan, int i, const void *data, ep_buffer_t **buffer)
{
    const bool is_input = i < c->model->ninputs;
    prim_memory_desc_t md;
    prim_status_t status = init_md(plan, value_of(c, plan, i), &md);
    if (status != PRIM_SUCCESS) return status;
    const size_t bytes = prim_memory_desc_get_size(&md);
    if (is_kept(c, i)) {
        status = is_input ? find_input(c, i, bytes, data, buffer)
                          : ep_residents_make(c->ep->residents, bytes, buffer);
        return status == PRIM_SUCCESS
                       ? bind_memory(plan, value_of(c, plan, i), ep_buffer_memory(*buffer))
                       : status;
    }
    return is_input && bytes ? prim_memory_write(plan->memories[i], data, bytes, 0) : PRIM_SUCCESS;
}

/// Hands output `i` to the host, to other groups, or to both.
static prim_status_t hand_out(
        const compute_t *c, const plan_t *plan, int i, void *data, ep_buffer_t **buffer)
{
    ep_residents_t *const r = c->ep->residents;
    prim_memory_desc_t md;
    prim_status_t status = init_md(plan, value_of(c, plan, i), &md);
    const size_t bytes = status == PRIM_SUCCESS ? prim_memory_desc_get_size(&md) : 0;
    if (bytes == 0) return status;
    if (!*buffer) return prim_memory_read(plan->memories[i], data, bytes, 0);
    if (ep_residents_is_read_by_host(r, c->kept[i]))
        status = prim_memory_read(ep_buffer_memory(*buffer), data, bytes, 0);
    if (status != PRIM_SUCCESS) return status;
    ep_residents_publish(r, c->kept[i], data, *buffer);
    *buffer = NULL; // its readers release it
    return PRIM_SUCCESS;
}

prim_status_t ep_device_run(const compute_t *c, plan_t *plan, void *const *data)
{
    const int n = c->model->ninputs + c->model->noutputs;
    ep_buffer_t **const buffers = calloc((size_t)n + 1, sizeof *buffers);
    if (!buffers) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for a group's tensors");
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < n && status == PRIM_SUCCESS; ++i)
        status = bring(c, plan, i, data[i], &buffers[i]);
    if (status == PRIM_SUCCESS) status = ep_run_bound(c, plan);
    for (int i = c->model->ninputs; i < n && status == PRIM_SUCCESS; ++i)
        status = hand_out(c, plan, i, data[i], &buffers[i]);
    for (int i = 0; i < n; ++i)
        if (buffers[i]) ep_residents_release(c->ep->residents, buffers[i]);
    free(buffers);
    return status;
}

prim_status_t ep_space_run(const compute_t *c, plan_t *plan, void *const *data)
{
    for (int i = 0; i < c->model->ninputs + c->model->noutputs; ++i) {
        void *handle = NULL;
        size_t offset = 0;
        prim_memory_desc_t md;
        prim_status_t status = init_md(plan, value_of(c, plan, i), &md);
        if (status == PRIM_SUCCESS && prim_memory_desc_get_size(&md) > 0)
            status = ep_space_find(c->ep->space, data[i], &handle, &offset);
        if (status == PRIM_SUCCESS)
            status = graph_bind(plan->graph, value_of(c, plan, i), handle, offset);
        if (status != PRIM_SUCCESS) return status;
    }
    return ep_run_bound(c, plan);
}
