// SPDX-License-Identifier: Apache-2.0
/// @file prim_types.h
/// Types, enumerations and constants of Prim. Every number is that of oneDNN v3, so that a thin
/// layer of wrappers can translate between the two by value.
#ifndef PRIM_TYPES_H
#define PRIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prim_tags.h"

#ifdef __cplusplus
extern "C" {
#endif

/// On every function that the library exports.
#if defined(_WIN32)
#define PRIM_API __declspec(dllexport)
#else
#define PRIM_API __attribute__((visibility("default")))
#endif

/// @name Status
/// @{

/// What a function returns. prim_last_error() tells the reason of a failure.
typedef enum {
    PRIM_SUCCESS = 0,
    PRIM_OUT_OF_MEMORY = 1,     ///< the host or the device has no memory left
    PRIM_INVALID_ARGUMENTS = 2, ///< the arguments break a rule of the function
    PRIM_UNIMPLEMENTED = 3,     ///< valid arguments that no implementation on this engine takes
    PRIM_LAST_IMPL_REACHED = 4, ///< prim_desc_next_impl() went past the last implementation
    PRIM_RUNTIME_ERROR = 5,     ///< the device or its driver failed
    PRIM_NOT_REQUIRED = 6,      ///< the queried thing does not exist for this object
} prim_status_t;

/// @}
/// @name Tensors
/// @{

/// The largest number of dimensions of a tensor.
#define PRIM_MAX_NDIMS 12

/// A dimension, a stride or an offset, in elements.
typedef int64_t prim_dim_t;

/// One value for each dimension; the first ndims entries count.
typedef prim_dim_t prim_dims_t[PRIM_MAX_NDIMS];

/// A dimension or stride that is known at execution only.
#define PRIM_RUNTIME_DIM_VAL INT64_MIN
/// The size in bytes of a descriptor that has runtime dimensions.
#define PRIM_RUNTIME_SIZE_VAL ((size_t)PRIM_RUNTIME_DIM_VAL)

/// The type of an element. Integers saturate and round to nearest even on a store.
typedef enum {
    PRIM_DATA_TYPE_UNDEF = 0,
    PRIM_F16 = 1,     ///< IEEE binary16
    PRIM_BF16 = 2,    ///< upper half of binary32
    PRIM_F32 = 3,     ///< IEEE binary32
    PRIM_S32 = 4,     ///< two's complement, 32 bits
    PRIM_S8 = 5,      ///< two's complement, 8 bits
    PRIM_U8 = 6,      ///< unsigned, 8 bits
    PRIM_F64 = 7,     ///< IEEE binary64
    PRIM_BOOLEAN = 8, ///< one byte, 0 or 1
    PRIM_F8_E5M2 = 9,
    PRIM_F8_E4M3 = 10,
    PRIM_S4 = 11,
    PRIM_U4 = 12,
    PRIM_E8M0 = 13,
    PRIM_F4_E2M1 = 14,
    PRIM_F4_E3M0 = 15,
} prim_data_type_t;

/// How the elements lie in memory.
typedef enum {
    PRIM_FORMAT_KIND_UNDEF = 0,   ///< the absent tensor
    PRIM_FORMAT_KIND_ANY = 1,     ///< the implementation chooses
    PRIM_FORMAT_KIND_BLOCKED = 2, ///< strides and inner blocks
    PRIM_FORMAT_KIND_OPAQUE = 3,  ///< only the implementation that made it can read it
    /// An OpenCL image of texels of four elements (prim_memory_desc_init_image2d()); not oneDNN's.
    PRIM_FORMAT_KIND_IMAGE2D = 64,
} prim_format_kind_t;

/// Describes a tensor: what it holds and how it lies in memory. A plain value: copy it, keep it,
/// throw it away; build one with prim_memory_desc_init_by_tag() and its siblings rather than by
/// hand. ndims == 0 is the absent tensor (a bias that is not there).
///
/// The element at logical position (i0, i1, …) lies, counted in elements from the start of the
/// buffer, at `offset0 + Σ strides[d]·o[d] + inner offset`, where every dimension's index
/// i + padded_offsets is first cut by its inner blocks (innermost last, as in the tag) and o[d] is
/// what remains. A blocked dimension that is not a multiple of its block is padded; the padding
/// holds zeros.
///
/// Every function that takes a descriptor checks it first; one that no function of the library
/// would make is PRIM_INVALID_ARGUMENTS. Dimensions, offset0, strides and the end of the tensor
/// stay within 2^56 bytes, the strides of dimensions of 0 and 1 too. No two elements overlap, but
/// along a dimension whose stride is 0 (a broadcast), and then no operation writes the tensor. A
/// dimension of 0 has no padding. With layout `any`, offset0 is 0.
typedef struct {
    int ndims;
    prim_data_type_t data_type;
    prim_dims_t dims;           ///< the logical shape
    prim_dims_t padded_dims;    ///< the shape in memory, rounded up to full blocks
    prim_dims_t padded_offsets; ///< where the logical tensor starts inside the padded one
    prim_dim_t offset0;         ///< elements between the buffer's start and the first element
    prim_format_kind_t format_kind;
    int inner_nblks;        ///< number of inner blocks; 0 for plain layouts
    prim_dims_t strides;    ///< of the outer (block) index of each dimension, in elements
    prim_dims_t inner_blks; ///< sizes of the inner blocks, outermost first: 1..999999
    prim_dims_t inner_idxs; ///< which dimension each inner block cuts
} prim_memory_desc_t;

/// @}
/// @name Operations
/// @{

/// What a primitive computes.
typedef enum {
    PRIM_PRIMITIVE_UNDEF = 0,
    PRIM_REORDER = 1,
    PRIM_SHUFFLE = 2,
    PRIM_CONCAT = 3,
    PRIM_SUM = 4,
    PRIM_CONVOLUTION = 5,
    PRIM_DECONVOLUTION = 6,
    PRIM_ELTWISE = 7,
    PRIM_LRN = 8,
    PRIM_BATCH_NORMALIZATION = 9,
    PRIM_INNER_PRODUCT = 10,
    PRIM_RNN = 11,
    PRIM_BINARY = 13,
    PRIM_MATMUL = 14,
    PRIM_RESAMPLING = 15,
    PRIM_POOLING = 16,
    PRIM_REDUCTION = 17,
    PRIM_PRELU = 18,
    PRIM_SOFTMAX = 19,
    PRIM_LAYER_NORMALIZATION = 20,
    PRIM_GROUP_NORMALIZATION = 21,
} prim_primitive_kind_t;

/// What the pass is for.
typedef enum {
    PRIM_PROP_KIND_UNDEF = 0,
    PRIM_FORWARD_TRAINING = 64, ///< keeps what a backward pass needs (statistics, workspace)
    PRIM_FORWARD_INFERENCE = 96,
    PRIM_FORWARD = PRIM_FORWARD_TRAINING,
    PRIM_FORWARD_SCORING = PRIM_FORWARD_INFERENCE,
    PRIM_BACKWARD = 128,
    PRIM_BACKWARD_DATA = 160,
    PRIM_BACKWARD_WEIGHTS = 192,
    PRIM_BACKWARD_BIAS = 193,
} prim_prop_kind_t;

/// Which formula or method. x is the source, α and β the two parameters.
typedef enum {
    PRIM_ALG_UNDEF = 0,
    PRIM_CONVOLUTION_DIRECT = 0x1,
    PRIM_CONVOLUTION_WINOGRAD = 0x2,
    PRIM_CONVOLUTION_AUTO = 0x3, ///< the library chooses; the descriptor reports what it chose
    PRIM_DECONVOLUTION_DIRECT = 0xa,
    PRIM_DECONVOLUTION_WINOGRAD = 0xb,

    PRIM_ELTWISE_RELU = 0x20,        ///< x > 0 ? x : α·x
    PRIM_ELTWISE_TANH = 0x21,        ///< tanh x
    PRIM_ELTWISE_ELU = 0x22,         ///< x > 0 ? x : α·(eˣ − 1)
    PRIM_ELTWISE_SQUARE = 0x23,      ///< x²
    PRIM_ELTWISE_ABS = 0x24,         ///< |x|
    PRIM_ELTWISE_SQRT = 0x25,        ///< √x
    PRIM_ELTWISE_LINEAR = 0x26,      ///< α·x + β
    PRIM_ELTWISE_SOFT_RELU = 0x27,   ///< ln(1 + e^(α·x)) / α
    PRIM_ELTWISE_HARDSIGMOID = 0x28, ///< min(max(α·x + β, 0), 1)
    PRIM_ELTWISE_LOGISTIC = 0x29,    ///< 1 / (1 + e⁻ˣ)
    PRIM_ELTWISE_EXP = 0x2a,         ///< eˣ
    PRIM_ELTWISE_GELU_TANH = 0x2b,   ///< x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
    PRIM_ELTWISE_SWISH = 0x2c,       ///< x / (1 + e^(−α·x))
    PRIM_ELTWISE_LOG = 0x2d,         ///< ln x
    PRIM_ELTWISE_CLIP = 0x2e,      ///< min(max(x, α), β); the gradient passes where α < x ≤ β
    PRIM_ELTWISE_CLIP_V2 = 0x2f,   ///< min(max(x, α), β); the gradient passes where α < x < β
    PRIM_ELTWISE_POW = 0x30,       ///< α·x^β
    PRIM_ELTWISE_GELU_ERF = 0x31,  ///< x/2·(1 + erf(x/√2))
    PRIM_ELTWISE_ROUND = 0x32,     ///< to nearest, halves to even
    PRIM_ELTWISE_MISH = 0x33,      ///< x·tanh(ln(1 + eˣ))
    PRIM_ELTWISE_HARDSWISH = 0x34, ///< x·min(max(α·x + β, 0), 1)
    /// The same functions, whose gradient will be computed from dst instead of src.
    PRIM_ELTWISE_RELU_USE_DST_FOR_BWD = 0x100,
    PRIM_ELTWISE_TANH_USE_DST_FOR_BWD = 0x101,
    PRIM_ELTWISE_ELU_USE_DST_FOR_BWD = 0x102,
    PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD = 0x103,
    PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD = 0x104,
    PRIM_ELTWISE_EXP_USE_DST_FOR_BWD = 0x105,
    PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD = 0x106,

    PRIM_POOLING_MAX = 0x1ff,
    PRIM_POOLING_AVG_INCLUDE_PADDING = 0x2ff, ///< divides by the size of the kernel
    PRIM_POOLING_AVG_EXCLUDE_PADDING = 0x3ff, ///< divides by the number of real elements

    PRIM_LRN_ACROSS_CHANNELS = 0xaff, ///< windows of neighbouring channels
    PRIM_LRN_WITHIN_CHANNEL = 0xbff,  ///< windows along the spatial dimensions

    PRIM_BINARY_ADD = 0x1fff0,
    PRIM_BINARY_MUL = 0x1fff1,
    PRIM_BINARY_MAX = 0x1fff2,
    PRIM_BINARY_MIN = 0x1fff3,
    PRIM_BINARY_DIV = 0x1fff4,
    PRIM_BINARY_SUB = 0x1fff5,
    PRIM_BINARY_GE = 0x1fff6, ///< comparisons give 1 or 0
    PRIM_BINARY_GT = 0x1fff7,
    PRIM_BINARY_LE = 0x1fff8,
    PRIM_BINARY_LT = 0x1fff9,
    PRIM_BINARY_EQ = 0x1fffa,
    PRIM_BINARY_NE = 0x1fffb,
    PRIM_BINARY_SELECT = 0x1fffc, ///< src2 != 0 ? src0 : src1

    PRIM_RESAMPLING_NEAREST = 0x2fff0,
    PRIM_RESAMPLING_LINEAR = 0x2fff1,

    PRIM_REDUCTION_MAX = 0x2fff2,
    PRIM_REDUCTION_MIN = 0x2fff3,
    PRIM_REDUCTION_SUM = 0x2fff4,
    PRIM_REDUCTION_MUL = 0x2fff5,                 ///< the product
    PRIM_REDUCTION_MEAN = 0x2fff6,                ///< Σx / n
    PRIM_REDUCTION_NORM_LP_MAX = 0x2fff7,         ///< max(Σ|x|^p, ε)^(1/p)
    PRIM_REDUCTION_NORM_LP_SUM = 0x2fff8,         ///< (Σ|x|^p + ε)^(1/p)
    PRIM_REDUCTION_NORM_LP_POWER_P_MAX = 0x2fff9, ///< max(Σ|x|^p, ε)
    PRIM_REDUCTION_NORM_LP_POWER_P_SUM = 0x2fffa, ///< Σ|x|^p + ε

    PRIM_SOFTMAX_ACCURATE = 0x30000,
    PRIM_SOFTMAX_LOG = 0x30001, ///< ln of the softmax
} prim_alg_kind_t;

/// Flags of the normalisations; OR them together.
typedef enum {
    PRIM_NORM_FLAGS_NONE = 0,
    PRIM_USE_GLOBAL_STATS = 1,    ///< mean and variance are inputs
    PRIM_USE_SCALE = 2,           ///< multiply by SCALE, one value a channel
    PRIM_USE_SHIFT = 4,           ///< add SHIFT, one value a channel
    PRIM_FUSE_NORM_RELU = 8,      ///< clamp at 0; training keeps the mask in the workspace
    PRIM_FUSE_NORM_ADD_RELU = 16, ///< add SRC_1, then as above
} prim_normalization_flags_t;

/// @}
/// @name Attributes
/// @{

/// Where intermediate memory of an execution comes from.
typedef enum {
    PRIM_SCRATCHPAD_LIBRARY = 0,
    PRIM_SCRATCHPAD_USER = 1, ///< the caller passes PRIM_ARG_SCRATCHPAD
} prim_scratchpad_mode_t;

/// Which reduced precision a float computation may use instead of its own.
typedef enum {
    PRIM_FPMATH_STRICT = 0,
    PRIM_FPMATH_BF16 = 1,
    PRIM_FPMATH_F16 = 2,
    PRIM_FPMATH_ANY = 3,
    PRIM_FPMATH_TF32 = 4,
} prim_fpmath_mode_t;

/// The type sums are accumulated in.
typedef enum {
    PRIM_ACCUMULATION_STRICT = 0, ///< f32 for floats (f64 for f64), s32 for integers
    PRIM_ACCUMULATION_RELAXED = 1,
    PRIM_ACCUMULATION_ANY = 2,
    PRIM_ACCUMULATION_S32 = 3,
    PRIM_ACCUMULATION_F32 = 4,
    PRIM_ACCUMULATION_F16 = 5,
} prim_accumulation_mode_t;

/// How a new descriptor gets its configuration where no tuning result is known (prim_tune.h).
typedef enum {
    PRIM_TUNE_NONE = 0,  ///< by the cost model
    PRIM_TUNE_QUICK = 1, ///< measures the few that the cost model ranks best
    PRIM_TUNE_FULL = 2,  ///< measures all, and each for longer
} prim_tune_mode_t;

/// The largest number of entries of a post-op chain.
#define PRIM_MAX_POST_OPS 32

/// @}
/// @name Engines and streams
/// @{

/// Where computation happens.
typedef enum {
    PRIM_ANY_ENGINE = 0,
    PRIM_CPU = 1, ///< the host's processors
    PRIM_GPU = 2, ///< any OpenCL device
} prim_engine_kind_t;

/// Properties of a stream; OR them together.
typedef enum {
    PRIM_STREAM_IN_ORDER = 1,
    PRIM_STREAM_OUT_OF_ORDER = 2, ///< only waits and events order executions
    PRIM_STREAM_DEFAULT = PRIM_STREAM_IN_ORDER,
    PRIM_STREAM_PROFILING = 4, ///< record the device time of each execution
} prim_stream_flags_t;

/// What runs the threads of the CPU engine, and what the GPU engine is built on.
typedef enum {
    PRIM_RUNTIME_NONE = 0,
    PRIM_RUNTIME_SEQ = 1,
    PRIM_RUNTIME_OMP = 2,
    PRIM_RUNTIME_THREADPOOL = 8,
    PRIM_RUNTIME_OCL = 256,
} prim_runtime_t;

typedef struct prim_engine prim_engine_t;       ///< a device
typedef struct prim_stream prim_stream_t;       ///< a queue of executions on an engine
typedef struct prim_memory prim_memory_t;       ///< a tensor's bytes on an engine
typedef struct prim_attr prim_attr_t;           ///< what is fused into a primitive, and its modes
typedef struct prim_post_ops prim_post_ops_t;   ///< a chain of element-wise steps
typedef struct prim_desc prim_desc_t;           ///< a problem with the implementation that took it
typedef struct prim prim_t;                     ///< ready to execute; immutable, shared by threads
typedef struct prim_recording prim_recording_t; ///< a sequence of executions to be replayed

/// One argument of prim_execute().
typedef struct {
    int arg; ///< PRIM_ARG_…
    prim_memory_t *memory;
} prim_arg_t;

/// One memory in the place of another: for prim_recording_replay().
typedef struct {
    prim_memory_t *from, *to;
} prim_memory_swap_t;

/// Allocate the buffer in prim_memory_create() / leave the memory without one.
#define PRIM_MEMORY_ALLOCATE ((void *)(size_t)-1)
#define PRIM_MEMORY_NONE NULL

/// @}
/// @name Execution arguments
/// @{

#define PRIM_ARG_UNDEF 0
#define PRIM_ARG_SRC_0 1
#define PRIM_ARG_SRC PRIM_ARG_SRC_0
#define PRIM_ARG_FROM PRIM_ARG_SRC_0
#define PRIM_ARG_SRC_1 2
#define PRIM_ARG_SRC_2 3
#define PRIM_ARG_SRC_3 4
#define PRIM_ARG_DST_0 17
#define PRIM_ARG_DST PRIM_ARG_DST_0
#define PRIM_ARG_TO PRIM_ARG_DST_0
#define PRIM_ARG_DST_1 18
#define PRIM_ARG_DST_2 19
#define PRIM_ARG_WEIGHTS_0 33
#define PRIM_ARG_WEIGHTS PRIM_ARG_WEIGHTS_0
#define PRIM_ARG_WEIGHTS_1 34
#define PRIM_ARG_WEIGHTS_2 35
#define PRIM_ARG_WEIGHTS_3 36
#define PRIM_ARG_BIAS 41
#define PRIM_ARG_MEAN 49
#define PRIM_ARG_VARIANCE 50
#define PRIM_ARG_SCALE 51
#define PRIM_ARG_SHIFT 52
#define PRIM_ARG_WORKSPACE 64
#define PRIM_ARG_SCRATCHPAD 80
#define PRIM_ARG_DIFF_SRC_0 129
#define PRIM_ARG_DIFF_SRC PRIM_ARG_DIFF_SRC_0
#define PRIM_ARG_DIFF_SRC_1 130
#define PRIM_ARG_DIFF_DST_0 145
#define PRIM_ARG_DIFF_DST PRIM_ARG_DIFF_DST_0
#define PRIM_ARG_DIFF_WEIGHTS_0 161
#define PRIM_ARG_DIFF_WEIGHTS PRIM_ARG_DIFF_WEIGHTS_0
#define PRIM_ARG_DIFF_BIAS 169
#define PRIM_ARG_DIFF_SCALE 255
#define PRIM_ARG_DIFF_SHIFT 256
#define PRIM_ARG_MULTIPLE_SRC 1024     ///< + index of the input of concat and sum
#define PRIM_ARG_MULTIPLE_DST 2048     ///< + index
#define PRIM_ARG_ATTR_SCALES 4096      ///< | argument the scales belong to
#define PRIM_ARG_ATTR_ZERO_POINTS 8192 ///< | argument the zero points belong to
/// | PRIM_ARG_WEIGHTS, | PRIM_ARG_BIAS of a depthwise post-op; | PRIM_ARG_DST in scales and zero
/// points
#define PRIM_ARG_ATTR_POST_OP_DW 16384
#define PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
/// | PRIM_ARG_SRC_1: binary, | PRIM_ARG_SRC_2: condition of a select, | PRIM_ARG_WEIGHTS: prelu
#define PRIM_ARG_ATTR_MULTIPLE_POST_OP(index) (PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((index) + 1))

/// @}
/// @name Service
/// @{

/// Which version this is and what it was built with.
typedef struct {
    int major, minor, patch;
    const char *hash; ///< the source revision, or "N/A"
    prim_runtime_t cpu_runtime, gpu_runtime;
} prim_version_t;

/// Receives one log line, without a line end. May be called from any thread, one call at a time.
typedef void (*prim_log_callback_t)(void *user, const char *line);

/// Host memory for the library's own objects and host tensors. Both are called from any thread.
typedef struct {
    /// Returns `bytes` bytes aligned to `alignment` (a power of two), or NULL.
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    /// Takes back what allocate gave; never NULL.
    void (*release)(void *user, void *pointer);
    void *user;
} prim_allocator_t;

/// The device memory that an engine holds for the library's own buffers: memories it allocated,
/// scratchpads, constant data of primitives.
typedef struct {
    uint64_t in_use_bytes;        ///< of the buffers in use
    uint64_t requested_bytes;     ///< sum of the requests: a reused buffer may be larger
    uint64_t reserved_bytes;      ///< held from the device: in use, and idle for reuse
    uint64_t peak_in_use_bytes;   ///< since the engine was made, or trimmed last
    uint64_t peak_reserved_bytes; ///< likewise
    uint64_t limit_bytes;         ///< what reserved_bytes may reach; 0: whatever the device has
    uint64_t nbuffers;            ///< buffers in use
    uint64_t nidle_buffers;       ///< idle buffers
    uint64_t ncreated;            ///< buffers the device has made so far
    uint64_t nreused;             ///< requests served by an idle buffer so far
} prim_memory_stats_t;

/// @}

#ifdef __cplusplus
}
#endif

#endif
