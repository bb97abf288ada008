// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors: a problem, and the implementation that took it. For init_pd and execute.
#ifndef PRIM_COMMON_DESC_H
#define PRIM_COMMON_DESC_H

#include "arg_places.h"
#include "attr.h"
#include "memory_desc.h"
#include "op_desc.h"

struct impl; // impl.h

/// Primitives that one primitive may have inside.
enum { MAX_NESTED = 8 };

/// The problem as it was given, layouts still open; shared by a descriptor and its clones.
typedef struct desc_origin desc_origin_t;

/// The problem and the implementation that took it. Created by prim__op_create(); immutable once
/// the user has it, but for prim_desc_next_impl() on the owner's own copy.
struct prim_desc {
    const struct impl *impl;
    prim_engine_t *engine; ///< retained; where it runs
    prim_engine_t *peer;   ///< retained or NULL; the other engine of a cross-engine reorder
    op_desc_t op;
    prim_attr_t attr; ///< owned copy
    /// Owned; of the values of scales and zero points, in the order of their places. NULL without.
    prim_memory_desc_t *quant_mds;
    int ntensors;
    tensor_t *tensors; ///< owned; inputs and outputs, layouts fixed by init_pd
    arg_places_t places;
    bool has_runtime; ///< a tensor or an operand of a post-op has dimensions known at execution
                      ///< only

    desc_origin_t *origin; ///< retained

    /// Owned; the problems that it leaves to other implementations, by slot (nested.h).
    prim_desc_t *nested[MAX_NESTED];
    int nnested;
    prim_desc_t *leading; ///< owned; nested[0] of the walk's step before, until init_pd moves it on
    size_t nested_scratch_offset; ///< of the scratchpad that they share, one after the other
    char nested_name[96];         ///< "ocl:ip:matmul+tiled", see prim__pd_name()

    size_t scratchpad_bytes;
    prim_memory_desc_t scratchpad_md; ///< 1-D u8 in user mode, absent else

    int position;       ///< in the list, see prim_desc_next_impl()
    bool may_be_slower; ///< second pass: implementations that prefer a faster one are taken
    bool is_slower;     ///< this implementation is one of them
    char reason[192];   ///< why init_pd declined, cut if longer; empty: it did not
    char *declined;     ///< owned: "name: reason\n" for each implementation passed over
    uint64_t hash;      ///< of everything that makes two primitives the same
    bool is_tunable;    ///< init_pd had more than one configuration to choose from
    uint64_t choice;    ///< a hash of the one it took, 0 if there is but one
    const void *trial;  ///< of the backend's tuner on its own descriptors; NULL on all others
    /// The same in all processes, as far as programs depend on it; 0 without
    /// prim__desc_has_blob_id()
    uint64_t blob_id[2];
};

/// The tensor's descriptor; the absent tensor's if the problem has none such. Also knows the
/// operand of a binary or prelu post-op (PRIM_ARG_ATTR_MULTIPLE_POST_OP(i) | …), the values of
/// scales and zero points (PRIM_ARG_ATTR_SCALES | …) and PRIM_ARG_SCRATCHPAD.
const prim_memory_desc_t *prim__pd_md(const prim_desc_t *pd, int arg);
/// `arg`, or that of its gradient where a backward problem has only this: SRC or DIFF_SRC, WEIGHTS
/// or DIFF_WEIGHTS, BIAS or DIFF_BIAS, DST or DIFF_DST.
int prim__pd_arg_or_diff(const prim_desc_t *pd, int arg);
/// prim__pd_md() to write to, in init_pd only: layouts for `any`.
prim_memory_desc_t *prim__pd_md_mutable(prim_desc_t *pd, int arg);
/// The implementation's name for logs and users. One that nests adds the last words of what runs
/// inside: "ocl:ip:matmul+gemv_nt".
const char *prim__pd_name(const prim_desc_t *pd);
/// Whether the problem has the tensor.
bool prim__pd_has(const prim_desc_t *pd, int arg);
/// The forward pass of a backward problem, as its caller gave it; NULL: it was not given.
const prim_desc_t *prim__pd_hint(const prim_desc_t *pd);
/// Adds an output that the implementation needs, such as the workspace (init_pd only).
prim_status_t prim__pd_add_output(prim_desc_t *pd, int arg, const prim_memory_desc_t *md);

/// Books scratch memory for one execution (init_pd only). Returns its byte offset in the
/// scratchpad, a multiple of 128.
size_t prim__pd_book_scratchpad(prim_desc_t *pd, size_t bytes);

#endif
