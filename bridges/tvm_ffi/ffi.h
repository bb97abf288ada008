// SPDX-License-Identifier: Apache-2.0
// Prim's operations as packed functions of TVM FFI over DLPack tensors: what the bridge's files
// share. doc/bridges/python.md describes the calls.
//
// A call becomes a call_t: its tensors with their descriptors, its parameters, its attributes. The
// primitive for it comes from a cache that is keyed by all of these (ffi_cache.c), and is executed
// on memories that are made for this call alone (ffi_execute.c), so any number of threads may call.
#ifndef FFI_H
#define FFI_H

#include "prim/prim.h"
#include "tvm/ffi/c_api.h"

/// @name What an operation is
/// @{

/// Roles of a tensor; OR them together.
enum {
    FFI_INPUT = 1,
    FFI_OUTPUT = 2,
    FFI_OPTIONAL = 4,
    FFI_REPEATED = 8, ///< stands for as many as the caller gives
    FFI_BYTES = 16,   ///< a workspace: u8, as many bytes as the primitive's own tensor has
    FFI_ALIGNED = 32, ///< dimensions of 1 are put in front, up to the largest rank, as NumPy does
    /// In training, unless the statistics are global, an output; else an input.
    FFI_STATISTICS = 64,
    FFI_CONDITION = 256, ///< bytes that are 0 or not: booleans are taken as s8
    FFI_WEIGHTS = 128,   ///< [OC, IC/groups, …]: the bridge makes a dimension of the groups
};

typedef struct {
    int arg;          ///< PRIM_ARG_…; 0 ends a table
    const char *name; ///< the keyword
    unsigned role;
} ffi_tensor_t;

/// Parameters, in the order of their table in ffi_params.c; a set of them is an OR of 1 << index.
enum {
    FFI_STRIDES,
    FFI_PADDING,
    FFI_PADDING_END,
    FFI_DILATION,
    FFI_KERNEL,
    FFI_GROUPS,
    FFI_AXIS,
    FFI_GROUP_SIZE,
    FFI_LOCAL_SIZE,
    FFI_ALPHA,
    FFI_BETA,
    FFI_K,
    FFI_P,
    FFI_EPSILON,
    FFI_FACTORS,
    FFI_SCALES,
    FFI_ALGORITHM,
    FFI_TRAINING,
    FFI_GLOBAL_STATS,
    FFI_RELU,
    FFI_NPARAMS
};

enum { FFI_MAX_SPATIAL = 3, FFI_MAX_FLOATS = 64, FFI_MAX_OPERANDS = 16 };

/// A list of integers as the caller gave it. One value for all spatial dimensions has n == 1.
typedef struct {
    int64_t n, values[FFI_MAX_SPATIAL];
} ffi_dims_t;

typedef struct {
    int64_t n;
    float values[FFI_MAX_FLOATS];
} ffi_floats_t;

/// Every byte is part of the cache's key: it starts as zeros, padding included.
typedef struct {
    ffi_dims_t strides, padding, padding_end, dilation, kernel;
    int64_t groups, axis, group_size, local_size;
    double alpha, beta, k, p, epsilon;
    ffi_floats_t factors, scales;
    int64_t alg; ///< prim_alg_kind_t
    int64_t training, global_stats, relu;
    // Attributes.
    int64_t fpmath, fpmath_int, accumulation, deterministic; ///< fpmath −1: the library's default
} ffi_params_t;

typedef struct ffi_call ffi_call_t;

typedef struct {
    const char *name;            ///< the function is prim.<name>
    const ffi_tensor_t *tensors; ///< inputs, then outputs
    unsigned params;             ///< those it takes
    const char *algs;            ///< prefix of its algorithms' names: "eltwise_"
    prim_alg_kind_t alg;         ///< unless the caller names one
    double alpha, beta;          ///< likewise
    prim_status_t (*create)(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr);
} ffi_op_t;

/// Ended by name NULL.
extern const ffi_op_t *const ffi_op_tables[];
extern const ffi_op_t ffi_element_ops[], ffi_product_ops[], ffi_window_ops[], ffi_norm_ops[];

/// @}
/// @name A call
/// @{

/// One tensor of a call.
typedef struct {
    int arg;       ///< PRIM_ARG_…, of attributes too
    unsigned role; ///< FFI_…; of scales, zero points and operands FFI_INPUT
    const DLTensor *tensor;
    prim_memory_desc_t md;
} ffi_bound_t;

typedef enum { FFI_POST_SUM, FFI_POST_ELTWISE, FFI_POST_BINARY, FFI_POST_PRELU } ffi_post_kind_t;

/// One entry of the chain of post-ops. The operand of entry i has the argument of that entry.
typedef struct {
    ffi_post_kind_t kind;
    prim_alg_kind_t alg;
    float alpha, beta;
} ffi_post_op_t;

/// Scales or zero points of an argument.
typedef struct {
    int arg; ///< PRIM_ARG_ATTR_SCALES or …ZERO_POINTS | the argument
    int mask, ngroup_dims;
    prim_dims_t group_dims;
} ffi_quant_t;

/// Weights in a layout of their own (ffi_packed.c).
typedef struct ffi_packed ffi_packed_t;

struct ffi_call {
    const ffi_op_t *op;
    prim_engine_t *engine;
    prim_stream_t *stream;
    bool waits; ///< for the stream, before it returns: buffers of another library
    ffi_params_t params;
    unsigned given; ///< the parameters that the caller named
    int ntensors, capacity;
    ffi_bound_t *tensors;
    int npost_ops, nquants;
    ffi_post_op_t post_ops[PRIM_MAX_POST_OPS];
    ffi_quant_t quants[FFI_MAX_OPERANDS];
    const char *error_kind;      ///< of the exception, unless the status decides
    TVMFFIByteArray engine_name; ///< as given; size 0: that of the tensors
    void *given_stream;
    TVMFFIByteArray query;      ///< size 0: execute
    const ffi_packed_t *packed; ///< what the weights are, if they are packed
};

/// Fills `call` from the packed arguments. `call` starts as zeros; ffi_call_clear() frees it.
prim_status_t ffi_call_parse(ffi_call_t *call, const TVMFFIAny *args, int nargs);
/// Descriptors of all tensors, aligned and with groups; masks of scales.
prim_status_t ffi_call_describe(ffi_call_t *call);
void ffi_call_clear(ffi_call_t *call);
/// Adds a tensor. `tensor` NULL (an optional one left out) adds nothing.
prim_status_t ffi_call_bind(ffi_call_t *call, int arg, unsigned role, const DLTensor *tensor);

/// Reports a failure with a sentence; `kind` is the exception ("TypeError"), NULL for that of the
/// status.
prim_status_t ffi_fail(ffi_call_t *call, prim_status_t status, const char *kind, const char *format,
        ...) __attribute__((format(printf, 4, 5)));

/// @}
/// @name For the operations' `create`
/// @{

/// The tensor's descriptor; NULL when the call has none.
const prim_memory_desc_t *ffi_md(const ffi_call_t *call, int arg);
/// PRIM_FORWARD_TRAINING or PRIM_FORWARD_INFERENCE.
prim_prop_kind_t ffi_prop_kind(const ffi_call_t *call);
/// `axis` counted from the front of a tensor of so many dimensions; as it is where it is none of
/// them.
int ffi_axis(const ffi_call_t *call, int ndims);

/// The window of a convolution or pooling, one value for each spatial dimension, as Prim takes it.
typedef struct {
    prim_dims_t strides, dilates, pad_l, pad_r, kernel;
} ffi_window_t;
/// @retval PRIM_INVALID_ARGUMENTS a list has neither one nor `nspatial` values
prim_status_t ffi_window(ffi_window_t *window, const ffi_call_t *call, int nspatial);

/// @}
/// @name Values
/// @{

/// NULL: not a tensor.
const DLTensor *ffi_as_tensor(const TVMFFIAny *value);
bool ffi_as_string(TVMFFIByteArray *string, const TVMFFIAny *value);
bool ffi_as_int(int64_t *number, const TVMFFIAny *value);
bool ffi_as_double(double *number, const TVMFFIAny *value);
bool ffi_string_is(const TVMFFIByteArray *string, const char *text);
/// A list's length and elements: a number alone (1), a Shape, an Array or List. −1: none of these.
int64_t ffi_list_length(const TVMFFIAny *value);
bool ffi_list_int(int64_t *number, const TVMFFIAny *value, int64_t index);
bool ffi_list_double(double *number, const TVMFFIAny *value, int64_t index);

/// PRIM_DATA_TYPE_UNDEF: Prim has no such type.
prim_data_type_t ffi_data_type(DLDataType type);
DLDataType ffi_dl_type(prim_data_type_t type);
/// @retval PRIM_INVALID_ARGUMENTS with a TypeError: the type; with a ValueError: strides
prim_status_t ffi_describe(ffi_call_t *call, prim_memory_desc_t *md, const DLTensor *tensor);
bool ffi_is_contiguous(const DLTensor *tensor);
int64_t ffi_elems(const DLTensor *tensor);

/// Sets a parameter by its name.
/// @retval PRIM_NOT_REQUIRED there is no parameter of that name
prim_status_t ffi_param_set(ffi_call_t *call, const TVMFFIByteArray *name, const TVMFFIAny *value);
void ffi_params_init(ffi_call_t *call);
/// "relu" of the algorithms that begin with "eltwise_"; PRIM_ALG_UNDEF: none.
prim_alg_kind_t ffi_alg(const char *prefix, const TVMFFIByteArray *name);

/// @}
/// @name Attributes
/// @{

/// A word of the call that is about attributes; `*used` becomes the number of values that it took.
/// @retval PRIM_NOT_REQUIRED it is about something else
prim_status_t ffi_attr_set(ffi_call_t *call, const TVMFFIByteArray *word, const TVMFFIAny *values,
        int nvalues, int *used);
prim_status_t ffi_attr_describe(ffi_call_t *call);
/// NULL without a setting.
prim_status_t ffi_attr_create(prim_attr_t **attr, const ffi_call_t *call);

/// @}
/// @name Engines and streams
/// @{

/// "cpu", "gpu", "gpu:1": the engine and its stream, which live as long as the process.
prim_status_t ffi_engine_find(
        prim_engine_t **engine, prim_stream_t **stream, const TVMFFIByteArray *name);
/// The engine of a call, by the name it was given or by its tensors.
prim_status_t ffi_engine_of_call(ffi_call_t *call);
/// The engine on the context of an OpenCL buffer; `*is_own`: Prim made the context.
prim_status_t ffi_engine_of_buffer(prim_engine_t **engine, prim_stream_t **stream, bool *is_own,
        void *buffer, int device_index);

/// The context and device behind a cl_mem (ffi_ocl.c; without OpenCL PRIM_UNIMPLEMENTED).
prim_status_t ffi_ocl_place(void **context, void **device, void *buffer, int device_index);
prim_status_t ffi_ocl_engine_create(prim_engine_t **engine, void *context, void *device);
/// Whether the engine stands on them.
bool ffi_ocl_is_at(const prim_engine_t *engine, const void *context, const void *device);

/// @}
/// @name Primitives
/// @{

/// A primitive that the cache or a call holds.
typedef struct ffi_entry ffi_entry_t;

/// The primitive of the call, made unless the cache has it. ffi_entry_release() gives it up.
prim_status_t ffi_entry_acquire(ffi_entry_t **entry, const ffi_call_t *call);
void ffi_entry_release(ffi_entry_t *entry);
const prim_t *ffi_entry_primitive(const ffi_entry_t *entry);

typedef struct {
    int64_t capacity, size, hits, misses;
} ffi_cache_info_t;
void ffi_cache_get_info(ffi_cache_info_t *info);
/// The descriptor of the call, which nothing keeps.
prim_status_t ffi_desc_create(prim_desc_t **pd, const ffi_call_t *call);
/// How many primitives are kept; 0: none.
void ffi_cache_set_capacity(int64_t capacity);

prim_status_t ffi_execute(ffi_call_t *call, const prim_t *primitive);

/// A memory of the tensor's bytes on the engine. `*copies`: the tensor is the host's and the engine
/// is not; the memory has its bytes then, and outputs have to be read back.
prim_status_t ffi_memory_create(prim_memory_t **memory, bool *copies, prim_engine_t *engine,
        const DLTensor *tensor, const prim_memory_desc_t *md);

/// @}

/// @name Recordings and packed weights
/// @{

/// Whether the thread records the stream of the call: it takes the call's memories then.
bool ffi_is_captured(const ffi_call_t *call);
prim_status_t ffi_capture(
        ffi_call_t *call, prim_memory_t *memory, const DLTensor *tensor, bool is_written);

/// The layout that the operation wants for the weights of the call: a pointer.
prim_status_t ffi_packed_create(ffi_call_t *call, TVMFFIAny *result);
/// The descriptor of the packed weights of the call.
prim_status_t ffi_packed_describe(ffi_call_t *call, ffi_bound_t *bound);

/// @}

/// A function beside the operations: prim.<name>.
typedef struct {
    const char *name;
    prim_status_t (*run)(ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result);
} ffi_service_t;
/// Ended by name NULL.
extern const ffi_service_t ffi_array_services[], ffi_engine_services[], ffi_recording_services[],
        ffi_packed_services[];

prim_status_t ffi_return_string(TVMFFIAny *result, const char *text);

#endif
