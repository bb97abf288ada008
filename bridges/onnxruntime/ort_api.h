// SPDX-License-Identifier: Apache-2.0
// What the provider uses of ONNX Runtime's C interface. Its function tables only grow, so a
// function is a slot of a table (the names are those of onnxruntime_c_api.h); the first runtime
// that has all of these is 1.23.
#ifndef ORT_API_H
#define ORT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of the interface that is asked for: ONNX Runtime 1.23. Tensors on devices need 1.24.
enum { ORT_VERSION = 23, ORT_VERSION_OF_KERNELS = 24 };

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
typedef struct ort_memory_device ort_memory_device_t;
typedef struct ort_stream ort_stream_t;
typedef struct ort_compute_context ort_compute_context_t;
typedef struct ort_kernel_registry ort_kernel_registry_t;
typedef struct ort_kernel_builder ort_kernel_builder_t;
typedef struct ort_kernel_def ort_kernel_def_t;
typedef struct ort_kernel_info ort_kernel_info_t;

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
    ORT_MEMORY_INFO_ID = 72,
    ORT_CONTEXT_INPUT = 90,
    ORT_CONTEXT_OUTPUT = 91,
    ORT_RELEASE_STATUS = 93,
    ORT_RELEASE_MEMORY_INFO = 94,
    ORT_RELEASE_TENSOR_INFO = 99,
    ORT_LOG = 247,
    ORT_READ_ATTRIBUTE = 272,
    ORT_VALUE_INFO_NAME = 289,
    ORT_VALUE_INFO_TYPE = 290,
    ORT_CREATE_PAIRS = 295,
    ORT_ADD_PAIR = 296,
    ORT_GET_PAIR = 297,
    ORT_GET_PAIRS = 298,
    ORT_RELEASE_PAIRS = 300,
    ORT_DEVICE_TYPE = 307,
    ORT_GET_EP_API = 317,
    ORT_TENSOR_BYTES = 318,
    ORT_CREATE_MEMORY_INFO = 320,
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
enum {
    ORT_EP_CREATE_DEVICE = 0,
    ORT_EP_CLAIM_NODES = 2,
    ORT_EP_ADD_ALLOCATOR = 5,
    ORT_EP_VALUE_DEVICE = 7,
    ORT_EP_DEVICE_TYPE = 9,
    ORT_EP_DEVICE_MEMORY_TYPE = 10,
    ORT_EP_DEVICE_VENDOR = 11,
    ORT_EP_DEVICE_ID = 12,
    ORT_EP_CREATE_REGISTRY = 18, ///< since 1.24, and so are the following
    ORT_EP_RELEASE_REGISTRY = 19,
    ORT_EP_ADD_KERNEL = 20,
    ORT_EP_CREATE_BUILDER = 21,
    ORT_EP_RELEASE_BUILDER = 22,
    ORT_EP_SET_OPERATOR = 23,
    ORT_EP_SET_DOMAIN = 24,
    ORT_EP_SET_VERSIONS = 25,
    ORT_EP_SET_PROVIDER = 26,
    ORT_EP_SET_INPUT_MEMORY = 27,
    ORT_EP_SET_OUTPUT_MEMORY = 28,
    ORT_EP_BUILD_KERNEL = 32,
    ORT_EP_RELEASE_KERNEL = 33,
};

/// Values of the runtime's enums.
enum { ORT_FAIL = 1, ORT_INVALID_ARGUMENT = 2 };
enum { ORT_DEVICE_CPU = 0 };
/// Kinds of devices with memory, and of their memories and allocators.
enum { ORT_MEMORY_OF_CPU = 0, ORT_MEMORY_OF_GPU = 1 };
enum { ORT_MEMORY_DEFAULT = 0, ORT_DEVICE_ALLOCATOR = 0 };
/// Where kernels have an input or an output that is not on their device.
enum { ORT_INPUT_ON_CPU = -2, ORT_OUTPUT_ON_CPU = -1 };
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

/// OrtAllocator, up to 1.23.
struct ort_allocator {
    uint32_t version;
    void *(*alloc)(ort_allocator_t *self, size_t bytes);
    void (*free)(ort_allocator_t *self, void *address);
    const ort_memory_info_t *(*get_info)(const ort_allocator_t *self);
    ort_function_t reserve, get_stats, alloc_on_stream;
};

/// OrtDataTransferImpl.
typedef struct ort_data_transfer {
    uint32_t version;
    void (*release)(struct ort_data_transfer *self);
    bool (*can_copy)(const struct ort_data_transfer *self, const ort_memory_device_t *src,
            const ort_memory_device_t *dst);
    ort_status_t *(*copy_tensors)(struct ort_data_transfer *self, const ort_value_t **src,
            ort_value_t **dst, ort_stream_t **streams, size_t n);
} ort_data_transfer_t;

/// OrtKernelImpl, of 1.24.
typedef struct ort_kernel {
    uint32_t version, flags;
    ort_status_t *(*compute)(struct ort_kernel *self, ort_kernel_context_t *context);
    void (*release)(struct ort_kernel *self);
    ort_function_t pack_weight, set_packed_weight;
} ort_kernel_t;

/// OrtEp, up to 1.24.
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
    ort_status_t *(*get_registry)(struct ort_ep *self, const ort_kernel_registry_t **registry);
    ort_function_t is_concurrent;
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
