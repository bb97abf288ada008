// SPDX-License-Identifier: Apache-2.0
// Dispatch: walks over the list twice, first for implementations that accept, then for those that
// could but prefer a faster one; keeps the sentence of each that declined.
#include "dispatch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "desc_key.h"
#include "desc_storage.h"
#include "log.h"
#include "post_ops_check.h"
#include "text_buffer.h"

/// Makes `pd` the problem as given, for `impl` to try.
static void reset(prim_desc_t *pd, const impl_t *impl)
{
    const desc_origin_t *const origin = pd->origin;
    prim__desc_drop_nested(pd);
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

static bool has_line(const char *text, const char *line, size_t length)
{
    for (; text && *text; text += strcspn(text, "\n") + 1)
        if (strncmp(text, line, length) == 0) return true;
    return false;
}

prim_status_t prim__desc_add_declined(prim_desc_t *pd, const char *text)
{
    const size_t old_len = pd->declined ? strlen(pd->declined) : 0;
    const size_t bytes = old_len + strlen(text) + 1;
    char *const all = prim__calloc(bytes);
    if (!all) return prim__fail_memory(bytes);
    if (old_len > 0) memcpy(all, pd->declined, old_len);
    char *end = all + old_len;
    for (size_t length; (length = strcspn(text, "\n")) > 0; text += length + 1) {
        if (has_line(pd->declined, text, length + 1)) continue;
        memcpy(end, text, length + 1);
        end += length + 1;
    }
    prim__free(pd->declined);
    pd->declined = all;
    return PRIM_SUCCESS;
}

/// Adds "name: reason\n" to pd->declined and logs it.
static prim_status_t note_decliner(prim_desc_t *pd, const char *reason)
{
    const char *const kind = prim_primitive_kind_name(pd->op.kind);
    prim__log(LOG_DISPATCH, kind, "primitive,create:dispatch,%s,%s,%s,%s",
            prim_engine_kind_name(pd->engine->ops->kind), kind, pd->impl->name, reason);

    const size_t bytes = strlen(pd->impl->name) + strlen(reason) + sizeof ": \n";
    char *const line = prim__calloc(bytes);
    if (!line) return prim__fail_memory(bytes);
    (void)snprintf(line, bytes, "%s: %s\n", pd->impl->name, reason);
    const prim_status_t st = prim__desc_add_declined(pd, line);
    prim__free(line);
    return st;
}

static bool has_runtime(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i)
        if (prim__md_has_runtime(&pd->tensors[i].md)) return true;
    return prim__post_ops_any_md(&pd->attr.post_ops, prim__md_has_runtime);
}

/// Whether an earlier slot runs the same operation: one word stands for all of them.
static bool is_named(const prim_desc_t *pd, int slot)
{
    for (int i = 0; i < slot; ++i)
        if (pd->nested[i]->op.kind == pd->nested[slot]->op.kind) return true;
    return false;
}

/// One region for the scratchpads of all, as they run one after the other; and "+word" for the
/// implementation of each operation, its name's last.
static void settle_nested(prim_desc_t *pd)
{
    size_t scratch_bytes = 0;
    text_buffer_t name = prim__text_buffer(pd->nested_name, sizeof pd->nested_name);
    prim__text_add(&name, "%s", pd->impl->name);
    for (int i = 0; i < pd->nnested; ++i) {
        const prim_desc_t *const nested = pd->nested[i];
        const char *const words = prim__pd_name(nested);
        const char *const variant = strrchr(words, ':');
        if (!is_named(pd, i)) prim__text_add(&name, "+%s", variant ? variant + 1 : words);
        if (nested->scratchpad_bytes > scratch_bytes) scratch_bytes = nested->scratchpad_bytes;
    }
    if (scratch_bytes > 0) pd->nested_scratch_offset = prim__pd_book_scratchpad(pd, scratch_bytes);
}

/// What stays to be done once an implementation has accepted.
static prim_status_t finish_accepted(prim_desc_t *pd)
{
    pd->reason[0] = '\0';
    for (int i = 0; i < pd->ntensors; ++i) {
        prim_memory_desc_t *const md = &pd->tensors[i].md;
        prim__md_normalize(md);
        if (prim__md_is_any(md))
            return prim__fail(PRIM_RUNTIME_ERROR, "%s left the layout of argument %d open",
                    pd->impl->name, pd->tensors[i].arg);
    }
    if (pd->nnested > 0) settle_nested(pd);
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
    return prim__post_ops_any_md(&pd->attr.post_ops, prim__md_is_image);
}

static bool has_broadcast(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i)
        if (prim__md_is_broadcast(&pd->tensors[i].md)) return true;
    return prim__post_ops_any_md(&pd->attr.post_ops, prim__md_is_broadcast);
}

static prim_status_t call_init_pd(prim_desc_t *pd, const impl_t *impl)
{
    REQUIRE(pd, impl->takes_images || !has_image(pd),
            "a tensor is an image; this variant takes buffers");
    REQUIRE(pd, impl->takes_depthwise || prim__post_ops_find_depthwise(&pd->attr.post_ops) < 0,
            "a depthwise convolution is among the post-ops; this variant runs one convolution");
    REQUIRE(pd, !impl->declines_broadcasts || !has_broadcast(pd),
            "a tensor is a broadcast by a stride of 0; this variant was not tested with one");
    const prim_status_t st = impl->init_pd(pd);
    prim_desc_destroy(pd->leading); // of an init_pd that did not come as far
    pd->leading = NULL;
    return st;
}

prim_status_t prim__desc_redo(prim_desc_t *pd)
{
    const impl_t *const impl = pd->impl;
    assert(pd->nnested == 0);
    reset(pd, impl);
    TRY(call_init_pd(pd, impl));
    return finish_accepted(pd);
}

/// Results that come and go would change the order of sums, and with it the last bits: what has to
/// be deterministic is left as it is. Nested problems were tuned when they were created.
static prim_status_t tune(prim_desc_t *pd)
{
    const engine_ops_t *const ops = pd->engine->ops;
    const bool is_wanted = pd->is_tunable && pd->nnested == 0 &&
                           pd->attr.tune_mode != PRIM_TUNE_NONE && !pd->attr.is_deterministic &&
                           ops->desc_tune;
    return is_wanted && ops->desc_tune(pd) ? prim__desc_redo(pd) : PRIM_SUCCESS;
}

/// Lets `impl` try; sets *accepted, or notes why not.
static prim_status_t try_impl(bool *accepted, prim_desc_t *pd, const impl_t *impl)
{
    reset(pd, impl);
    const prim_status_t st = call_init_pd(pd, impl);
    *accepted = st == PRIM_SUCCESS && pd->is_slower == pd->may_be_slower;
    if (*accepted) {
        TRY(finish_accepted(pd));
        return tune(pd);
    }
    // All implementations of the nested problem have been tried.
    if (st == PRIM_LAST_IMPL_REACHED) return PRIM_SUCCESS;
    if (st != PRIM_SUCCESS && st != PRIM_UNIMPLEMENTED) return st;
    // The second pass tries every implementation again; only reasons that the first one has not
    // noted are new.
    if (pd->may_be_slower && (st == PRIM_SUCCESS || !pd->is_slower)) return PRIM_SUCCESS;
    const char *const reason = pd->reason[0]        ? pd->reason
                               : st == PRIM_SUCCESS ? "prefers a faster implementation"
                                                    : prim_last_error();
    return note_decliner(pd, reason);
}

/// Which implementation to try next: the same one again as long as what it nests may have another
/// implementation, then the next of the list. NULL at its end.
static const impl_t *move_on(prim_desc_t *pd)
{
    if (pd->nnested > 0 && pd->impl->nests) {
        pd->leading = pd->nested[0];
        pd->nested[0] = NULL;
    } else {
        ++pd->position;
    }
    return pd->origin->list[pd->position];
}

prim_status_t prim__dispatch_next(prim_desc_t *pd)
{
    for (;;) {
        const impl_t *const impl = move_on(pd);
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

/// Tells every reason in one sentence; takes the line ends out of pd->declined for it.
static prim_status_t fail_unimplemented(prim_desc_t *pd)
{
    char *const reasons = pd->declined;
    for (char *c = reasons; c && *c; ++c)
        if (*c == '\n') *c = c[1] ? ';' : '\0';
    return prim__fail(PRIM_UNIMPLEMENTED, "no implementation of %s on %s takes this problem%s%s",
            prim_primitive_kind_name(pd->origin->op.kind),
            prim_engine_kind_name(pd->engine->ops->kind), reasons ? ": " : "",
            reasons ? reasons : "");
}

/// Takes `pd`, which has no implementation yet, whether it finds one or not.
static prim_status_t find_first(prim_desc_t **out, prim_desc_t *pd)
{
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, prim__dispatch_next(pd));
    *out = pd;
    return PRIM_SUCCESS;

fail:
    if (st == PRIM_LAST_IMPL_REACHED) st = fail_unimplemented(pd);
    prim_desc_destroy(pd);
    return st;
}

prim_status_t prim__desc_create_from(prim_desc_t **out, const impl_t *const *list,
        prim_engine_t *engine, prim_engine_t *peer, const op_desc_t *op, const tensor_t *tensors,
        int ntensors, const prim_attr_t *attr)
{
    prim_desc_t *pd = NULL;
    TRY(prim__desc_alloc(&pd, list, engine, peer, op, tensors, ntensors, attr));
    return find_first(out, pd);
}

prim_status_t prim__desc_create_backward(prim_desc_t **out, const impl_t *const *list,
        prim_engine_t *engine, const op_desc_t *op, const tensor_t *tensors, int ntensors,
        const prim_attr_t *attr, const prim_desc_t *hint, bool is_bound)
{
    prim_desc_t *pd = NULL;
    TRY(prim__desc_alloc(&pd, list, engine, NULL, op, tensors, ntensors, attr));
    const prim_status_t st = prim__desc_keep_hint(pd, hint, is_bound);
    if (st == PRIM_SUCCESS) return find_first(out, pd);
    prim_desc_destroy(pd);
    return st;
}

prim_status_t prim_desc_next_impl(prim_desc_t *pd)
{
    CHECK_NOT_NULL(pd);
    prim_desc_t *next = NULL;
    TRY(prim_desc_clone(&next, pd));
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, prim__dispatch_next(next));
    prim__desc_replace(pd, next);
    return PRIM_SUCCESS;

fail:
    prim_desc_destroy(next);
    if (st == PRIM_LAST_IMPL_REACHED)
        return prim__fail(st, "%s is the last implementation that takes this %s", prim__pd_name(pd),
                prim_primitive_kind_name(pd->op.kind));
    return st;
}
