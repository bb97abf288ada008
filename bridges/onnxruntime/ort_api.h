// SPDX-License-Identifier: Apache-2.0
// What the provider uses of ONNX Runtime's C interface. Its function tables only grow, so a
// function is a slot of a table (the names are those of onnxruntime_c_api.h); the first runtime
// that has all of these is 1.23.
#ifndef ORT_API_H
#define ORT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of the interface that is asked for: ONNX Runtime 1.23.
enum { ORT_VERSION = 23 };

// The runtime's objects.
typedef struct ort_status ort_status_t;
typedef struct ort_value ort_value_t;
typedef struct ort_value_info ort_value_info_t;
typedef struct ort_type_info ort_type_info_t;
typedef struct ort_tensor_info ort_tensor_info_t;
typedef struct ort_graph ort_graph_t;
typedef struct ort_node ort_node_t;
typedef struct ort_attribute ort_attribute_t;
typedef struct ort_device ort_device_t;
typedef struct ort_ep_device ort_ep_device_t;
typedef struct ort_pairs ort_pairs_t;
typedef struct ort_session_options ort_session_options_t;
typedef struct ort_run_options ort_run_options_t;
typedef struct ort_logger ort_logger_t;
typedef struct ort_support ort_support_t; ///< what a provider claims of a graph
typedef struct ort_kernel_context ort_kernel_context_t;
typedef struct ort_allocator ort_allocator_t;
typedef struct ort_memory_info ort_memory_info_t;
typedef struct ort_data_transfer ort_data_transfer_t;
typedef struct ort_compute_context ort_compute_context_t;

typedef void (*ort_function_t)(void);
typedef const ort_function_t *ort_table_t;

/// What CreateEpFactories() is given.
typedef struct {
    ort_table_t (*get_api)(uint32_t version);
    const char *(*get_version)(void);
} ort_base_t;

/// Slots of OrtApi.
enum {
    ORT_CREATE_STATUS = 0,
    ORT_GET_TENSOR_DATA = 51,
    ORT_TYPE_AS_TENSOR = 55,
    ORT_TENSOR_ELEMENT_TYPE = 60,
    ORT_TENSOR_NDIMS = 61,
    ORT_TENSOR_DIMS = 62,
    ORT_VALUE_TENSOR_INFO = 65,
    ORT_CONTEXT_INPUT = 90,
    ORT_CONTEXT_OUTPUT = 91,
    ORT_RELEASE_STATUS = 93,
    ORT_RELEASE_TENSOR_INFO = 99,
    ORT_LOG = 247,
    ORT_READ_ATTRIBUTE = 272,
    ORT_VALUE_INFO_NAME = 289,
    ORT_VALUE_INFO_TYPE = 290,
    ORT_GET_PAIRS = 298,
    ORT_RELEASE_PAIRS = 300,
    ORT_DEVICE_TYPE = 307,
    ORT_GET_EP_API = 317,
    ORT_VALUE_INFO_INITIALIZER = 326,
    ORT_VALUE_INFO_IS_CONSTANT = 331,
    ORT_GRAPH_NINPUTS = 338,
    ORT_GRAPH_INPUTS = 339,
    ORT_GRAPH_NOUTPUTS = 340,
    ORT_GRAPH_OUTPUTS = 341,
    ORT_GRAPH_NNODES = 344,
    ORT_GRAPH_NODES = 345,
    ORT_GRAPH_PARENT = 346,
    ORT_NODE_OPERATOR = 350,
    ORT_NODE_DOMAIN = 351,
    ORT_NODE_VERSION = 352,
    ORT_NODE_NINPUTS = 353,
    ORT_NODE_INPUTS = 354,
    ORT_NODE_NOUTPUTS = 355,
    ORT_NODE_OUTPUTS = 356,
    ORT_NODE_NATTRIBUTES = 359,
    ORT_NODE_ATTRIBUTES = 360,
    ORT_ATTRIBUTE_TYPE = 363,
    ORT_ATTRIBUTE_NAME = 364,
    ORT_NODE_NSUBGRAPHS = 365,
    ORT_GET_CONFIG_ENTRIES = 379,
    ORT_HAS_SHAPE = 390, ///< since 1.24
};

/// Slots of OrtEpApi.
enum { ORT_EP_CREATE_DEVICE = 0, ORT_EP_CLAIM_NODES = 2 };

/// Values of the runtime's enums.
enum { ORT_FAIL = 1, ORT_INVALID_ARGUMENT = 2 };
enum { ORT_DEVICE_CPU = 0 };
enum { ORT_LOG_INFO = 1, ORT_LOG_WARNING = 2 };
enum {
    ORT_FLOAT = 1,
    ORT_UINT8 = 2,
    ORT_INT8 = 3,
    ORT_INT32 = 6,
    ORT_INT64 = 7,
    ORT_BOOL = 9,
    ORT_FLOAT16 = 10,
    ORT_BFLOAT16 = 16
};
enum {
    ORT_ATTRIBUTE_INT = 1,
    ORT_ATTRIBUTE_INTS = 2,
    ORT_ATTRIBUTE_FLOAT = 3,
    ORT_ATTRIBUTE_FLOATS = 4,
    ORT_ATTRIBUTE_STRING = 5
};

/// OrtNodeFusionOptions.
typedef struct {
    uint32_t version;
    bool drop_constant_initializers;
} ort_fusion_options_t;

/// OrtNodeComputeInfo: how a claimed group runs.
typedef struct ort_compute {
    uint32_t version;
    ort_status_t *(*create_state)(
            struct ort_compute *self, ort_compute_context_t *context, void **state);
    ort_status_t *(*compute)(struct ort_compute *self, void *state, ort_kernel_context_t *context);
    void (*release_state)(struct ort_compute *self, void *state);
} ort_compute_t;

/// OrtEp, up to 1.23.
typedef struct ort_ep {
    uint32_t version;
    const char *(*get_name)(const struct ort_ep *self);
    ort_status_t *(*get_capability)(
            struct ort_ep *self, const ort_graph_t *graph, ort_support_t *support);
    ort_status_t *(*compile)(struct ort_ep *self, const ort_graph_t **graphs,
            const ort_node_t **fused_nodes, size_t count, ort_compute_t **computes,
            ort_node_t **context_nodes);
    void (*release_computes)(struct ort_ep *self, ort_compute_t **computes, size_t count);
    ort_function_t get_preferred_layout, should_convert_layout, set_dynamic_options;
    ort_status_t *(*on_run_start)(struct ort_ep *self, const ort_run_options_t *options);
    ort_status_t *(*on_run_end)(struct ort_ep *self, const ort_run_options_t *options, bool syncs);
    ort_function_t create_allocator, create_stream, get_compatibility;
} ort_ep_t;

/// OrtEpFactory, up to 1.23.
typedef struct ort_factory {
    uint32_t version;
    const char *(*get_name)(const struct ort_factory *self);
    const char *(*get_vendor)(const struct ort_factory *self);
    ort_status_t *(*get_devices)(struct ort_factory *self, const ort_device_t *const *devices,
            size_t ndevices, ort_ep_device_t **ep_devices, size_t room, size_t *count);
    ort_status_t *(*create_ep)(struct ort_factory *self, const ort_device_t *const *devices,
            const ort_pairs_t *const *metadata, size_t ndevices,
            const ort_session_options_t *options, const ort_logger_t *logger, ort_ep_t **ep);
    void (*release_ep)(struct ort_factory *self, ort_ep_t *ep);
    uint32_t (*get_vendor_id)(const struct ort_factory *self);
    const char *(*get_version)(const struct ort_factory *self);
    ort_function_t validate_compatibility;
    ort_status_t *(*create_allocator)(struct ort_factory *self, const ort_memory_info_t *info,
            const ort_pairs_t *options, ort_allocator_t **allocator);
    void (*release_allocator)(struct ort_factory *self, ort_allocator_t *allocator);
    ort_status_t *(*create_data_transfer)(struct ort_factory *self, ort_data_transfer_t **transfer);
    bool (*is_stream_aware)(const struct ort_factory *self);
    ort_function_t create_stream;
} ort_factory_t;

/// The tables of the running ONNX Runtime; set by CreateEpFactories().
extern ort_table_t ort_api, ort_ep_api;
/// Whether a tensor's information has a shape; NULL before 1.24.
extern ort_function_t ort_has_shape;

/// A slot as a function of the given type.
#define ORT_CALL(table, slot, result, ...) ((result(*)(__VA_ARGS__))(table)[slot])
/// A slot of OrtApi that returns a status.
#define ORT_TRY_CALL(slot, ...) ORT_CALL(ort_api, slot, ort_status_t *, __VA_ARGS__)

/// A failure with its sentence.
ort_status_t *ort_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// A line in the session's log.
void ort_log(const ort_logger_t *logger, int severity, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

// The entry points of the library.
__attribute__((visibility("default"))) ort_status_t *CreateEpFactories(const char *name,
        const ort_base_t *base, const ort_logger_t *logger, ort_factory_t **factories, size_t room,
        size_t *count);
__attribute__((visibility("default"))) ort_status_t *ReleaseEpFactory(ort_factory_t *factory);

#endif
