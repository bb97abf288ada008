// SPDX-License-Identifier: Apache-2.0
// Reorder: copies a tensor to another layout, type or engine. doc/primitives/reorder.md has the
// rules in words.
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NTENSORS };

static prim_status_t check(const shapes_t *shapes)
{
    return prim__check_same_dims(shapes, DST, SRC);
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_FROM,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_ON_ITS_SIDE,
                .query = PRIM_QUERY_SRC_MD,
                .engine_query = PRIM_QUERY_REORDER_SRC_ENGINE,
                .scales = MASK_ANY | MASK_GROUPS,
                .zero_points = MASK_ANY | MASK_GROUPS},
        [DST] = {.arg = PRIM_ARG_TO,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_ON_ITS_SIDE,
                .query = PRIM_QUERY_DST_MD,
                .engine_query = PRIM_QUERY_REORDER_DST_ENGINE,
                .scales = MASK_ANY | MASK_GROUPS,
                .zero_points = MASK_ANY | MASK_GROUPS},
        {0},
};

static void add_sides(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    if (!pd->peer) return;
    bool is_from_peer = false;
    for (int i = 0; i < pd->ntensors; ++i)
        if (pd->tensors[i].arg == word->arg) is_from_peer = pd->tensors[i].is_on_peer;
    prim__text_add(out, " --cross-engine=%s", is_from_peer ? "cpu2gpu" : "gpu2cpu");
}

static void add_runtime_mask(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const int mask = prim__repro_runtime_mask(pd, word->arg);
    if (mask != 0) prim__text_add(out, " --runtime-dim-mask=%d", mask);
}

static const int sides[] = {PRIM_ARG_FROM, PRIM_ARG_TO, PRIM_ARG_UNDEF};

static const repro_word_t repro[] = {
        {.add = prim__repro_type, .text = " --sdt=", .arg = PRIM_ARG_FROM},
        {.add = prim__repro_type, .text = " --ddt=", .arg = PRIM_ARG_TO},
        {.add = prim__repro_tag, .text = " --stag=", .arg = PRIM_ARG_FROM},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_TO},
        {.add = prim__repro_strides, .args = sides},
        {.add = add_sides, .arg = PRIM_ARG_FROM},
        {.is_attr = true},
        {.add = add_runtime_mask, .arg = PRIM_ARG_FROM},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_FROM},
        {0},
};

extern const impl_t *const *const prim__reorder_lists[];

const op_schema_t prim__reorder_schema = {
        .kind = PRIM_REORDER,
        .direction = FORWARD,
        .name = "reorder",
        .driver = "reorder",
        .takes_runtime = true,
        .tensors = tensors,
        .post_ops = ALLOW_SUM,
        .check = check,
        .repro = repro,
        .lists = prim__reorder_lists,
};

// The GPU's side runs it; between two CPU engines that of dst.
prim_status_t prim_reorder_desc_create(prim_desc_t **pd, const prim_memory_desc_t *src_md,
        prim_engine_t *src_engine, const prim_memory_desc_t *dst_md, prim_engine_t *dst_engine,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(src_engine);
    CHECK_NOT_NULL(dst_engine);
    const bool src_is_gpu = src_engine->ops->kind == PRIM_GPU;
    const bool dst_is_gpu = dst_engine->ops->kind == PRIM_GPU;
    const bool is_cross = src_engine != dst_engine;
    if (src_is_gpu && dst_is_gpu && is_cross)
        return prim__fail(
                PRIM_UNIMPLEMENTED, "a reorder between two GPU engines must go through the host");

    const bool runs_on_src = src_is_gpu && !dst_is_gpu;
    prim_engine_t *const peer = runs_on_src ? dst_engine : src_engine;
    prim_engine_t *const engines[NTENSORS] = {[SRC] = src_engine, [DST] = dst_engine};
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    const op_desc_t op = {.kind = PRIM_REORDER};
    const request_t request = {.engine = runs_on_src ? src_engine : dst_engine,
            .sides = engines,
            .peer = is_cross ? peer : NULL,
            .mds = mds,
            .attr = attr};
    return prim__op_create(pd, &prim__reorder_schema, &op, &request);
}
