// SPDX-License-Identifier: Apache-2.0
// Implementations. This is the header an implementation starts from: it includes those of what its
// functions work with, the primitive descriptor (problem + choice) and the primitive (ready to
// run).
#ifndef PRIM_COMMON_IMPL_H
#define PRIM_COMMON_IMPL_H

#include "decline.h"
#include "desc.h"
#include "engine.h"
#include "follow.h"
#include "memory.h"
#include "primitive.h"
#include "status.h"
#include "stream.h"

/// An implementation of an operation; a const object named prim__<backend>_<op>_<variant>.
typedef struct impl {
    const char *name;      ///< "<backend>:<op>:<variant>"
    size_t pd_size;        ///< sizeof the struct that embeds prim_desc_t as its first member
    size_t primitive_size; ///< sizeof the struct that embeds prim_t as its first member
    /// Accepts or declines the problem and fixes the configuration: formats for `any`, scratchpad,
    /// kernel parameters. Does no device work and builds nothing. What it adds to prim_desc_t is
    /// plain data (copied by memcpy, no owned pointers). Use REQUIRE and PREFER_OTHER_UNLESS.
    prim_status_t (*init_pd)(prim_desc_t *pd);
    /// Builds kernels and constant buffers. May be NULL. If it fails, fini still runs.
    prim_status_t (*init)(prim_t *primitive);
    /// Reentrant: all mutable state is in `ctx`.
    prim_status_t (*execute)(const prim_t *primitive, const exec_ctx_t *ctx);
    /// Frees what init made, also half of it. May be NULL.
    void (*fini)(prim_t *primitive);
    /// Looks at the kinds of its tensors. All others are never tried with a problem that has
    /// images.
    bool takes_images;
    /// Never tried with an input that is a broadcast by strides of 0.
    bool declines_broadcasts;
    /// Takes a depthwise convolution among the post-ops. All others are never tried with such a
    /// chain.
    bool takes_depthwise;
    /// The operation that it leaves the work to, in slot 0 (nested.h): the walk over the list asks
    /// it once for each implementation of that. NULL: none, or the best one of slot 0 alone.
    const struct op_schema *nests;
    /// Also the last one of that list, which takes every problem. Without it, the last of its own
    /// list, which does too, has its turn instead.
    bool nests_generic;
} impl_t;

#endif
