// SPDX-License-Identifier: Apache-2.0
// Optional features that a variant may need. A device's word (an extension, a limit) is not enough:
// drivers announce what their compiler gets wrong. So each feature has a self-test, a small kernel
// whose results are compared with the host's, and only a device that passed it is trusted.
//
//     REQUIRE(pd, prim__ocl_device_trusts(pd->engine, OCL_FEATURE_IMAGE_F32),
//             "the device's images of f32 did not pass their self-test");
//
// A new feature is a name in ocl_feature_t, a row of the table in ocl_feature.c, and a pair
// ocl_selftest_<what>.{c,cl} (ocl_selftest.h is what it starts from).
#ifndef PRIM_OCL_FEATURE_H
#define PRIM_OCL_FEATURE_H

#include "gpu/ocl/device/ocl_engine.h"
#include "gpu/ocl/program/ocl_program.h"

struct ocl_features;
struct ocl_selftest;

typedef enum {
    OCL_FEATURE_HALF,             ///< cl_khr_fp16: arithmetic on half and its vectors
    OCL_FEATURE_IMAGE_F32,        ///< 2-D RGBA images of float: read, clamped read, write
    OCL_FEATURE_IMAGE_F16,        ///< the same of half, read and written as float
    OCL_FEATURE_SVM,              ///< coarse-grained shared virtual memory as kernel arguments
    OCL_FEATURE_SUBGROUPS,        ///< cl_khr_subgroups: sizes, broadcast, reduce, scan
    OCL_FEATURE_SUBGROUP_SHUFFLE, ///< cl_khr_subgroup_shuffle, on top of them
    OCL_FEATURE_SUBGROUP_BLOCK,   ///< cl_intel_subgroups: words of neighbours in one read
    OCL_FEATURE_INT_DOT,          ///< clh/int_dot.h; value: its INT_DOT
    OCL_FEATURE_ASYNC_COPY,       ///< clh/async_copy.h with ASYNC_COPY = 1
    OCL_FEATURE_LANE_SHUFFLE,     ///< clh/lanes.h with LANE_SHUFFLE = 1
    // Matrix units, by the type of src and weights: f16, bf16, 8-bit integers, in this order.
    OCL_FEATURE_MMA_SYNC_F16, ///< clh/mma.h with MMA = 1, and what it needs
    OCL_FEATURE_MMA_SYNC_BF16,
    OCL_FEATURE_MMA_SYNC_INT8, ///< each pair of s8 and u8
    OCL_FEATURE_WGMMA_F16,     ///< clh/wgmma.h by ocl_retarget.h, with clh/copy_rows.h
    OCL_FEATURE_WGMMA_BF16,
    OCL_FEATURE_WGMMA_INT8,
    OCL_FEATURE_TENSOR_MAPS_F16, ///< clh/wgmma.h, with copies by tensor maps (TMA)
    OCL_FEATURE_TENSOR_MAPS_BF16,
    OCL_FEATURE_TENSOR_MAPS_INT8,
    OCL_FEATURE_LARGE_LOCAL, ///< arrays in local memory beyond `local_bytes`; value: KiB
    OCL_FEATURE_NONTEMPORAL, ///< clh/nontemporal.h, and clh/io_vec.h with NONTEMPORAL = 1
    OCL_FEATURE_PACKED_MAX,  ///< clh/pool_bytes.h, clh/packed_max.h with PACKED_MAX = 1
    OCL_FEATURE_GROUP_WAIT,  ///< clh/grid_barrier.h with RELAXED_ATOMICS = 1
    OCL_FEATURE_CACHE_HINTS, ///< clh/raw_vec.h with CACHE_HINTS = 1
    OCL_FEATURE_FAST_EXP2,   ///< clh/softmax_row.h with FAST_EXP2 = 1
    OCL_FEATURE_PACKED_BF16, ///< clh/io.h with PACKED_BF16 = 1
    OCL_NFEATURES,
} ocl_feature_t;

/// What -DINT_DOT=1 and 2 are.
enum { OCL_INT_DOT_EXTENSION = 1, OCL_INT_DOT_PTX };

enum { OCL_WHY_BYTES = 120 };

typedef struct {
    bool is_claimed;         ///< the device says that it has it
    bool is_trusted;         ///< and has shown it
    int value;               ///< what the test measured: work-items of a sub-group, …; else 0
    char why[OCL_WHY_BYTES]; ///< a sentence when it is not trusted, else ""
} ocl_verdict_t;

/// Whether variants may use the feature. The first question for a feature that the device claims
/// runs its self-test (it builds a kernel and waits for it), unless the cache folder knows the
/// verdict of this library, device and driver; later questions cost one atomic load. Callable from
/// init_pd, from any thread; leaves prim_last_error() alone. Ask it last, after everything that can
/// decline without it. A claimed feature that fails costs one log line (`warn`). While memory is
/// short the answer is no, and the next query tests again.
bool prim__ocl_device_trusts(const prim_engine_t *engine, ocl_feature_t feature);

/// The same of a feature of matrix units (`of_f16` names it) for one type of src and weights, so
/// that the self-tests of other types are not run. False for other types than f16, bf16, s8, u8.
bool prim__ocl_device_trusts_type(
        const prim_engine_t *engine, ocl_feature_t of_f16, prim_data_type_t type);

/// Whether variants may use the feature, with the reasons.
ocl_verdict_t prim__ocl_feature_verdict(const prim_engine_t *engine, ocl_feature_t feature);
/// Local memory that arrays of a kernel may have: beyond what the device reports, where
/// OCL_FEATURE_LARGE_LOCAL has shown it.
size_t prim__ocl_feature_local_bytes(const prim_engine_t *engine);
/// "image_f32"
const char *prim__ocl_feature_name(ocl_feature_t feature);

/// The names of the trusted features, "image_f32 image_f16", or "name: why\n" for each that is
/// claimed and not trusted. Runs what was not run yet. Lives as long as the engine.
/// @retval PRIM_OUT_OF_MEMORY also while memory is too short for a self-test
prim_status_t prim__ocl_features_text(
        const char **text, const prim_engine_t *engine, bool of_trusted);

/// The verdicts on what the device claims as lines of text, for prim__free(); and their return, to
/// an engine of the same device, driver and library. Lines of other tests than this library's are
/// passed over. Save fails as prim__ocl_features_text() does.
prim_status_t prim__ocl_features_save(char **text, const prim_engine_t *engine);
void prim__ocl_features_restore(const prim_engine_t *engine, const char *text);

/// One row of the table.
typedef struct {
    const char *name;
    const ocl_source_t *source; ///< the verdict on disk dies with every change of it
    /// By the traits alone.
    bool (*is_claimed)(const ocl_device_t *device);
    /// Builds `source` and runs it; true when every result is right. Reports through
    /// prim__ocl_selftest_say(), which returns false.
    bool (*check)(struct ocl_selftest *test);
} ocl_feature_row_t;

/// Judges by a row without keeping the verdict in the engine. False when memory was short: ask
/// again. A marker in the cache folder guards the test, so that a driver that dies in it is not
/// trusted by the next process, and not tested any more after the second crash.
bool prim__ocl_feature_judge(
        ocl_verdict_t *verdict, const ocl_engine_t *engine, const ocl_feature_row_t *row);

/// The engine's verdicts.
prim_status_t prim__ocl_features_create(struct ocl_features **features);
void prim__ocl_features_destroy(struct ocl_features *features);

#endif
