// SPDX-License-Identifier: Apache-2.0
// What the files of the bridge share: oneDNN's declarations over Prim's types. Numbers of
// enumerators, flags and arguments are the same (dnnl_values.c checks that), so values pass through
// as they are.
#ifndef PRIM_BRIDGES_ONEDNN_DNNL_BRIDGE_H
#define PRIM_BRIDGES_ONEDNN_DNNL_BRIDGE_H

// oneDNN declares its objects as pointers to structs that it leaves open. Here they are Prim's: a
// dnnl_engine_t is a prim_engine_t *, and the compiler checks both sides without a cast.
#define dnnl_engine prim_engine
#define dnnl_stream prim_stream
#define dnnl_memory prim_memory
#define dnnl_primitive prim
#define dnnl_primitive_desc prim_desc
#define dnnl_primitive_attr prim_attr
#define dnnl_post_ops prim_post_ops
#define DNNL_EXPERIMENTAL_PROFILING
#include "oneapi/dnnl/dnnl.h"

#include "prim/prim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// oneDNN allocates descriptors; Prim's are values.
struct dnnl_memory_desc {
    prim_memory_desc_t md;
};

/// The value inside, or NULL for NULL.
const prim_memory_desc_t *bridge_md(const_dnnl_memory_desc_t md);

/// The same for tensors that may be left out: oneDNN passes a descriptor without dimensions, Prim
/// NULL.
const prim_memory_desc_t *bridge_optional_md(const_dnnl_memory_desc_t md);

/// A descriptor that Prim lends, as oneDNN's.
const_dnnl_memory_desc_t bridge_lent_md(const prim_memory_desc_t *md);

/// dnnl_unimplemented, with "<function>: Prim has no <what>" in Prim's log and prim_last_error().
dnnl_status_t bridge_lacks(const char *function, const char *what);

/// Takes oneDNN's environment variables over, once. Programs make an engine before anything else.
void bridge_read_environment(void);

/// The memories that stand for `args` in an execution: those that have another descriptor than the
/// primitive wants, and its size, are views of the same bytes. oneDNN looks at the bytes alone.
typedef struct {
    prim_arg_t *args;
    prim_memory_t **views; ///< to be destroyed
    int nargs, nviews;
} bridge_args_t;

prim_status_t bridge_args_init(
        bridge_args_t *out, const prim_t *primitive, int nargs, const dnnl_exec_arg_t *args);
void bridge_args_fini(bridge_args_t *args);

/// Another descriptor over the bytes of `memory`, which has to outlive it.
prim_status_t bridge_view(
        prim_memory_t **view, const prim_memory_t *memory, const prim_memory_desc_t *md);

#ifdef __cplusplus
}
#endif

#endif
