// SPDX-License-Identifier: Apache-2.0
// The dispatch walk: first the implementations that accept, then those that could but know a faster
// one; with the sentence of each that declined.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "dispatch.h"
#include "log.h"

prim_status_t prim__decline(prim_desc_t *pd, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(pd->reason, sizeof pd->reason, format, args);
    va_end(args);
    return PRIM_UNIMPLEMENTED;
}

bool prim__may_be_slower(prim_desc_t *pd)
{
    pd->is_slower = true;
    return pd->may_be_slower;
}

/// Makes `pd` the problem as given, for `impl` to try.
static void reset(prim_desc_t *pd, const impl_t *impl)
{
    const desc_origin_t *const origin = pd->origin;
    memset((char *)pd + sizeof *pd, 0, origin->pd_bytes - sizeof *pd);
    memset(&pd->scratchpad_md, 0, sizeof pd->scratchpad_md);
    memcpy(pd->tensors, origin->tensors, (size_t)origin->ntensors * sizeof *pd->tensors);
    pd->ntensors = origin->ntensors;
    pd->places = origin->places;
    memcpy(&pd->op, &origin->op, sizeof pd->op);
    pd->impl = impl;
    pd->scratchpad_bytes = 0;
    pd->is_slower = false;
    pd->is_tunable = false;
    pd->choice = 0;
    pd->reason[0] = '\0';
}

/// Adds "name: reason\n" to pd->declined and logs it.
static prim_status_t note_decliner(prim_desc_t *pd, const char *reason)
{
    const char *const kind = prim_primitive_kind_name(pd->op.kind);
    prim__log(LOG_DISPATCH, kind, "primitive,create:dispatch,%s,%s,%s,%s",
            prim_engine_kind_name(pd->engine->ops->kind), kind, pd->impl->name, reason);

    const size_t old_len = pd->declined ? strlen(pd->declined) : 0;
    const size_t bytes = old_len + strlen(pd->impl->name) + strlen(reason) + sizeof ": \n";
    char *const text = prim__calloc(bytes);
    if (!text) return prim__fail_memory(bytes);
    (void)snprintf(
            text, bytes, "%s%s: %s\n", pd->declined ? pd->declined : "", pd->impl->name, reason);
    prim__free(pd->declined);
    pd->declined = text;
    return PRIM_SUCCESS;
}

static bool has_runtime(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i)
        if (prim__md_has_runtime(&pd->tensors[i].md)) return true;
    for (int i = 0; i < pd->attr.post_ops.len; ++i)
        if (prim__md_has_runtime(&pd->attr.post_ops.entries[i].src1_md)) return true;
    return false;
}

/// What stays to be done once an implementation has accepted.
static prim_status_t settle(prim_desc_t *pd)
{
    pd->reason[0] = '\0';
    for (int i = 0; i < pd->ntensors; ++i) {
        prim_memory_desc_t *const md = &pd->tensors[i].md;
        prim__md_normalize(md);
        if (prim__md_is_any(md))
            return prim__fail(PRIM_RUNTIME_ERROR, "%s left the layout of argument %d open",
                    pd->impl->name, pd->tensors[i].arg);
    }
    if (pd->attr.scratchpad_mode == PRIM_SCRATCHPAD_USER && pd->scratchpad_bytes > 0)
        TRY(prim_memory_desc_init_by_strides(&pd->scratchpad_md, 1,
                (const prim_dim_t[]){(prim_dim_t)pd->scratchpad_bytes}, PRIM_U8, NULL));
    pd->has_runtime = has_runtime(pd);
    pd->hash = prim__desc_hash(pd);
    prim__desc_set_blob_id(pd);
    return PRIM_SUCCESS;
}

static bool has_image(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i)
        if (prim__md_is_image(&pd->tensors[i].md)) return true;
    for (int i = 0; i < pd->attr.post_ops.len; ++i)
        if (prim__md_is_image(&pd->attr.post_ops.entries[i].src1_md)) return true;
    return false;
}

/// Whether it takes the problem, in the end.
static prim_status_t ask(prim_desc_t *pd, const impl_t *impl)
{
    REQUIRE(pd, impl->takes_images || !has_image(pd),
            "a tensor is an image; this variant takes buffers");
    return impl->init_pd(pd);
}

prim_status_t prim__desc_redo(prim_desc_t *pd)
{
    const impl_t *const impl = pd->impl;
    reset(pd, impl);
    TRY(ask(pd, impl));
    return settle(pd);
}

/// Results that come and go would change the order of sums, and with it the last bits: what has to
/// be deterministic is left as it is.
static prim_status_t tune(prim_desc_t *pd)
{
    const engine_ops_t *const ops = pd->engine->ops;
    const bool is_wanted = pd->is_tunable && pd->attr.tune_mode != PRIM_TUNE_NONE &&
                           !pd->attr.is_deterministic && ops->desc_tune;
    return is_wanted && ops->desc_tune(pd) ? prim__desc_redo(pd) : PRIM_SUCCESS;
}

/// Lets `impl` try; sets *accepted, or notes why not.
static prim_status_t try_impl(bool *accepted, prim_desc_t *pd, const impl_t *impl)
{
    reset(pd, impl);
    const prim_status_t st = ask(pd, impl);
    *accepted = st == PRIM_SUCCESS && pd->is_slower == pd->may_be_slower;
    if (*accepted) {
        TRY(settle(pd));
        return tune(pd);
    }
    if (st != PRIM_SUCCESS && st != PRIM_UNIMPLEMENTED) return st;
    // The second pass meets everyone again; only what the first one did not get to hear is news.
    if (pd->may_be_slower && (st == PRIM_SUCCESS || !pd->is_slower)) return PRIM_SUCCESS;
    const char *const reason = pd->reason[0]        ? pd->reason
                               : st == PRIM_SUCCESS ? "knows a faster one"
                                                    : prim_last_error();
    return note_decliner(pd, reason);
}

prim_status_t prim__dispatch_next(prim_desc_t *pd)
{
    const impl_t *const *const list = pd->origin->list;
    for (;;) {
        ++pd->position;
        const impl_t *const impl = list[pd->position];
        if (impl) {
            assert(impl->pd_size >= sizeof *pd && impl->pd_size <= pd->origin->pd_bytes);
            bool accepted = false;
            TRY(try_impl(&accepted, pd, impl));
            if (accepted) return PRIM_SUCCESS;
        } else if (pd->may_be_slower) {
            return PRIM_LAST_IMPL_REACHED;
        } else {
            pd->may_be_slower = true;
            pd->position = -1;
        }
    }
}
