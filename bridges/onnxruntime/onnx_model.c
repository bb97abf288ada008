// SPDX-License-Identifier: Apache-2.0
// Reading a graph of ONNX Runtime.
#include "onnx_model.h"

#include <stdlib.h>
#include <string.h>

#define TRY(call)                             \
    do {                                      \
        ort_status_t *const status_ = (call); \
        if (status_) return status_;          \
    } while (0)

static ort_status_t *no_memory(void)
{
    return ort_fail(ORT_FAIL, "Prim: no memory for a model");
}

static char *copy_string(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *const copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

size_t onnx_element_bytes(int type)
{
    switch (type) {
    case ORT_FLOAT:
    case ORT_INT32: return 4;
    case ORT_UINT8:
    case ORT_INT8:
    case ORT_BOOL: return 1;
    case ORT_FLOAT16:
    case ORT_BFLOAT16: return 2;
    case ORT_INT64: return 8;
    default: return 0;
    }
}

static ort_status_t *read_shape(onnx_value_t *value, const ort_tensor_info_t *info)
{
    size_t ndims = 0;
    value->ndims = -1;
    TRY(ORT_TRY_CALL(ORT_TENSOR_ELEMENT_TYPE, const ort_tensor_info_t *, int *)(
            info, &value->element_type));
    TRY(ORT_TRY_CALL(ORT_TENSOR_NDIMS, const ort_tensor_info_t *, size_t *)(info, &ndims));
    if (ndims > ONNX_MAX_NDIMS) return NULL;
    value->ndims = (int)ndims;
    // A tensor of unknown rank has no dimensions either; since 1.24 there is a function that tells.
    const bool has_shape =
            ort_has_shape && ((bool (*)(const ort_tensor_info_t *))ort_has_shape)(info);
    value->may_lack_shape = ndims == 0 && !has_shape;
    return ORT_TRY_CALL(ORT_TENSOR_DIMS, const ort_tensor_info_t *, int64_t *, size_t)(
            info, value->dims, ndims);
}

/// Small constants are parameters of nodes (axes, shapes, bounds) and always copied.
enum { SMALL_ELEMS = 64 };

static ort_status_t *read_constant(
        onnx_value_t *value, const ort_value_info_t *info, bool with_data)
{
    TRY(ORT_TRY_CALL(ORT_VALUE_INFO_IS_CONSTANT, const ort_value_info_t *, bool *)(
            info, &value->is_constant));
    if (!value->is_constant || value->ndims < 0) return NULL;
    size_t nelems = 1;
    for (int d = 0; d < value->ndims; ++d) nelems *= (size_t)value->dims[d];
    const size_t bytes = nelems * onnx_element_bytes(value->element_type);
    if (bytes == 0 || (!with_data && nelems > SMALL_ELEMS)) return NULL;
    ort_value_t *held = NULL;
    void *data = NULL;
    TRY(ORT_TRY_CALL(ORT_VALUE_INFO_INITIALIZER, const ort_value_info_t *, ort_value_t **)(
            info, &held));
    TRY(ORT_TRY_CALL(ORT_GET_TENSOR_DATA, ort_value_t *, void **)(held, &data));
    value->data = malloc(bytes);
    if (!value->data) return no_memory();
    memcpy(value->data, data, bytes);
    return NULL;
}

static ort_status_t *read_value(onnx_value_t *value, const ort_value_info_t *info, bool with_data)
{
    const ort_type_info_t *type = NULL;
    const ort_tensor_info_t *tensor = NULL;
    value->ndims = -1;
    TRY(ORT_TRY_CALL(ORT_VALUE_INFO_TYPE, const ort_value_info_t *, const ort_type_info_t **)(
            info, &type));
    if (type)
        TRY(ORT_TRY_CALL(ORT_TYPE_AS_TENSOR, const ort_type_info_t *, const ort_tensor_info_t **)(
                type, &tensor));
    if (tensor) TRY(read_shape(value, tensor));
    TRY(read_constant(value, info, with_data));
    // Of a claimed group every rank is known: these are scalars then.
    if (value->may_lack_shape && !value->is_constant && !with_data) value->ndims = -1;
    return NULL;
}

/// The number of the value, which is added when it is new; −1 for an absent one.
static ort_status_t *find_value(
        onnx_model_t *model, const ort_value_info_t *info, bool with_data, int *index)
{
    const char *name = NULL;
    *index = -1;
    if (!info) return NULL;
    TRY(ORT_TRY_CALL(ORT_VALUE_INFO_NAME, const ort_value_info_t *, const char **)(info, &name));
    if (!name || !name[0]) return NULL;
    for (int i = 0; i < model->nvalues; ++i)
        if (strcmp(model->values[i].name, name) == 0) {
            *index = i;
            return NULL;
        }
    onnx_value_t *const values =
            realloc(model->values, (size_t)(model->nvalues + 1) * sizeof *values);
    if (!values) return no_memory();
    model->values = values;
    values[model->nvalues] = (onnx_value_t){.name = copy_string(name)};
    if (!values[model->nvalues].name) return no_memory();
    *index = model->nvalues++;
    return read_value(&values[*index], info, with_data);
}

/// The values of a list that the runtime gives by slots for its length and its items.
static ort_status_t *read_values(onnx_model_t *model, const void *owner, int count_slot,
        int items_slot, bool with_data, int *n, int **indices)
{
    size_t count = 0;
    TRY(ORT_TRY_CALL(count_slot, const void *, size_t *)(owner, &count));
    *indices = calloc(count + 1, sizeof **indices);
    const ort_value_info_t **const infos = calloc(count + 1, sizeof *infos);
    ort_status_t *status = *indices && infos ? NULL : no_memory();
    if (!status)
        status = ORT_TRY_CALL(items_slot, const void *, const ort_value_info_t **, size_t)(
                owner, infos, count);
    for (size_t i = 0; i < count && !status; ++i)
        status = find_value(model, infos[i], with_data, &(*indices)[(*n)++]);
    free(infos);
    return status;
}

static ort_status_t *read_attribute_data(
        onnx_attribute_t *attribute, const ort_attribute_t *from, void *data, size_t bytes)
{
    return ORT_TRY_CALL(ORT_READ_ATTRIBUTE, const ort_attribute_t *, int, void *, size_t, size_t *)(
            from, attribute->type, data, bytes, &attribute->n);
}

/// One number or a list of them, as a list.
static ort_status_t *read_numbers(onnx_attribute_t *attribute, const ort_attribute_t *from)
{
    const bool is_list =
            attribute->type == ORT_ATTRIBUTE_INTS || attribute->type == ORT_ATTRIBUTE_FLOATS;
    const bool is_int =
            attribute->type == ORT_ATTRIBUTE_INT || attribute->type == ORT_ATTRIBUTE_INTS;
    size_t bytes = is_int ? sizeof(int64_t) : sizeof(float);
    if (is_list) {
        // The first call tells the size, and fails for want of room.
        ort_status_t *const status = read_attribute_data(attribute, from, NULL, 0);
        if (status) ORT_CALL(ort_api, ORT_RELEASE_STATUS, void, ort_status_t *)(status);
        bytes = attribute->n;
    }
    void *const data = malloc(bytes ? bytes : 1);
    if (!data) return no_memory();
    if (is_int)
        attribute->ints = data;
    else
        attribute->floats = data;
    if (bytes) TRY(read_attribute_data(attribute, from, data, bytes));
    attribute->n = bytes / (is_int ? sizeof(int64_t) : sizeof(float));
    return NULL;
}

static ort_status_t *read_string(onnx_attribute_t *attribute, const ort_attribute_t *from)
{
    ort_status_t *const status = read_attribute_data(attribute, from, NULL, 0);
    if (status) ORT_CALL(ort_api, ORT_RELEASE_STATUS, void, ort_status_t *)(status);
    attribute->string = calloc(attribute->n + 1, 1);
    if (!attribute->string) return no_memory();
    return attribute->n ? read_attribute_data(attribute, from, attribute->string, attribute->n)
                        : NULL;
}

static ort_status_t *read_attribute(onnx_attribute_t *attribute, const ort_attribute_t *from)
{
    const char *name = NULL;
    TRY(ORT_TRY_CALL(ORT_ATTRIBUTE_NAME, const ort_attribute_t *, const char **)(from, &name));
    TRY(ORT_TRY_CALL(ORT_ATTRIBUTE_TYPE, const ort_attribute_t *, int *)(from, &attribute->type));
    attribute->name = copy_string(name);
    if (!attribute->name) return no_memory();
    if (attribute->type >= ORT_ATTRIBUTE_INT && attribute->type <= ORT_ATTRIBUTE_FLOATS)
        return read_numbers(attribute, from);
    return attribute->type == ORT_ATTRIBUTE_STRING ? read_string(attribute, from) : NULL;
}

static ort_status_t *read_attributes(onnx_node_t *node, const ort_node_t *from)
{
    size_t count = 0;
    TRY(ORT_TRY_CALL(ORT_NODE_NATTRIBUTES, const ort_node_t *, size_t *)(from, &count));
    node->attributes = calloc(count + 1, sizeof *node->attributes);
    const ort_attribute_t **const attributes = calloc(count + 1, sizeof *attributes);
    ort_status_t *status = node->attributes && attributes ? NULL : no_memory();
    if (!status)
        status = ORT_TRY_CALL(ORT_NODE_ATTRIBUTES, const ort_node_t *, const ort_attribute_t **,
                size_t)(from, attributes, count);
    for (size_t i = 0; i < count && !status; ++i)
        if (attributes[i])
            status = read_attribute(&node->attributes[node->nattributes++], attributes[i]);
    free(attributes);
    return status;
}

static ort_status_t *read_node(onnx_model_t *model, const ort_node_t *from, bool with_data)
{
    onnx_node_t *const node = &model->nodes[model->nnodes++];
    const char *op = NULL, *domain = NULL;
    TRY(ORT_TRY_CALL(ORT_NODE_OPERATOR, const ort_node_t *, const char **)(from, &op));
    TRY(ORT_TRY_CALL(ORT_NODE_DOMAIN, const ort_node_t *, const char **)(from, &domain));
    TRY(ORT_TRY_CALL(ORT_NODE_VERSION, const ort_node_t *, int *)(from, &node->version));
    node->op = copy_string(op);
    node->domain = copy_string(domain ? domain : "");
    if (!node->op || !node->domain) return no_memory();
    TRY(read_values(model, from, ORT_NODE_NINPUTS, ORT_NODE_INPUTS, with_data, &node->ninputs,
            &node->inputs));
    TRY(read_values(model, from, ORT_NODE_NOUTPUTS, ORT_NODE_OUTPUTS, with_data, &node->noutputs,
            &node->outputs));
    return read_attributes(node, from);
}

static ort_status_t *read_nodes(onnx_model_t *model, const ort_graph_t *graph, bool with_data)
{
    size_t count = 0;
    TRY(ORT_TRY_CALL(ORT_GRAPH_NNODES, const ort_graph_t *, size_t *)(graph, &count));
    model->nodes = calloc(count + 1, sizeof *model->nodes);
    const ort_node_t **const nodes = calloc(count + 1, sizeof *nodes);
    ort_status_t *status = model->nodes && nodes ? NULL : no_memory();
    if (!status)
        status = ORT_TRY_CALL(ORT_GRAPH_NODES, const ort_graph_t *, const ort_node_t **, size_t)(
                graph, nodes, count);
    for (size_t i = 0; i < count && !status; ++i) status = read_node(model, nodes[i], with_data);
    free(nodes);
    return status;
}

static bool is_arithmetic(const char *op)
{
    return strcmp(op, "Add") == 0 || strcmp(op, "Div") == 0 || strcmp(op, "Mul") == 0 ||
           strcmp(op, "Sub") == 0;
}

/// Whether output `k` of the node is a scalar, whatever the runtime tells of it.
static bool is_scalar_output(const onnx_model_t *model, const onnx_node_t *node, int k)
{
    if (strcmp(node->op, "DynamicQuantizeLinear") == 0) return k > 0;
    if (strncmp(node->op, "Reduce", 6) == 0)
        return !onnx_int(node, "keepdims", 1) && !onnx_attribute(node, "axes") &&
               !onnx_input(model, node, 1) && !onnx_int(node, "noop_with_empty_axes", 0);
    for (int i = 0; i < node->ninputs; ++i)
        if (!onnx_input(model, node, i) || onnx_input(model, node, i)->ndims != 0) return false;
    return is_arithmetic(node->op);
}

/// Scalars among the values whose rank the runtime does not tell.
static void find_scalars(onnx_model_t *model)
{
    for (int i = 0; i < model->nnodes; ++i)
        for (int k = 0; k < model->nodes[i].noutputs; ++k) {
            const int v = model->nodes[i].outputs[k];
            if (v >= 0 && model->values[v].may_lack_shape &&
                    is_scalar_output(model, &model->nodes[i], k))
                model->values[v].ndims = 0;
        }
}

static ort_status_t *read_graph(onnx_model_t *model, const ort_graph_t *graph, bool with_data)
{
    TRY(read_values(model, graph, ORT_GRAPH_NINPUTS, ORT_GRAPH_INPUTS, with_data, &model->ninputs,
            &model->inputs));
    TRY(read_values(model, graph, ORT_GRAPH_NOUTPUTS, ORT_GRAPH_OUTPUTS, with_data,
            &model->noutputs, &model->outputs));
    TRY(read_nodes(model, graph, with_data));
    find_scalars(model);
    return NULL;
}

ort_status_t *onnx_model_read(onnx_model_t **model, const ort_graph_t *graph, bool with_data)
{
    *model = NULL;
    onnx_model_t *const made = calloc(1, sizeof *made);
    if (!made) return no_memory();
    ort_status_t *const status = read_graph(made, graph, with_data);
    if (status) {
        onnx_model_destroy(made);
        return status;
    }
    *model = made;
    return NULL;
}

static void free_node(onnx_node_t *node)
{
    for (int i = 0; i < node->nattributes; ++i) {
        free(node->attributes[i].name);
        free(node->attributes[i].ints);
        free(node->attributes[i].floats);
        free(node->attributes[i].string);
    }
    free(node->attributes);
    free(node->inputs);
    free(node->outputs);
    free(node->op);
    free(node->domain);
}

void onnx_model_destroy(onnx_model_t *model)
{
    if (!model) return;
    for (int i = 0; i < model->nvalues; ++i) {
        free(model->values[i].name);
        free(model->values[i].data);
    }
    for (int i = 0; i < model->nnodes; ++i) free_node(&model->nodes[i]);
    free(model->values);
    free(model->nodes);
    free(model->inputs);
    free(model->outputs);
    free(model);
}
