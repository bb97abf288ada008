// SPDX-License-Identifier: Apache-2.0
// Options, table and operands of the post-op chain.
#include "ocl_post_ops.h"

#include <stdio.h>

#include "common/alloc.h"
#include "common/data_type.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/memory/ocl_upload.h"

enum { GIVEN = -2 }; ///< PO_GIVEN_OPERAND

_Static_assert(PO_MAX_LEN == PRIM_MAX_POST_OPS, "a table has room for every chain");

// An entry of the device's table: a step, or the condition of a select.
typedef struct {
    const post_op_t *op;
    int arg;                      // that holds its operand; PRIM_ARG_UNDEF: it has none
    const prim_memory_desc_t *md; // of the operand
    bool is_condition;
} slot_t;

int prim__ocl_post_ops_len(const prim_post_ops_t *chain)
{
    int n = chain->len;
    for (int i = 0; i < chain->len; ++i) n += prim__post_op_noperands(&chain->entries[i]) == 2;
    return n;
}

static int list_slots(slot_t slots[PO_MAX_LEN], const prim_post_ops_t *chain)
{
    int n = 0;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const op = &chain->entries[i];
        const int noperands = prim__post_op_noperands(op);
        for (int k = 0; k == 0 || k < noperands; ++k)
            slots[n++] = (slot_t){op, prim__post_op_operand_arg(op, i, k),
                    prim__post_op_operand_md(op, k), k > 0};
    }
    return n;
}

static bool has_image(const slot_t *slot)
{
    return prim__md_is_image(slot->md);
}

static bool has_buffer(const slot_t *slot)
{
    return slot->arg != PRIM_ARG_UNDEF && !has_image(slot);
}

// Of the operand, or of the old dst; undefined where a step reads neither.
static prim_data_type_t type_read(const slot_t *slot, const prim_desc_t *pd)
{
    const post_op_t *const op = slot->op;
    if (slot->arg != PRIM_ARG_UNDEF) return slot->md->data_type;
    if (op->kind == PRIM_SUM && op->data_type == PRIM_DATA_TYPE_UNDEF)
        return prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return op->data_type;
}

// What is no kind of step stands for a condition.
static prim_primitive_kind_t kind_of(const slot_t *slot)
{
    return slot->is_condition ? PRIM_PRIMITIVE_UNDEF : slot->op->kind;
}

static bool is_plain(const ocl_md_t *md)
{
    return md->inner_nblks == 0 && !md->is_padded;
}

// Operand parameters of the kernel for a chain: a few sizes, so that programs are few.
static int bucket(const slot_t *slots, int nslots)
{
    int n = 0;
    for (int i = 0; i < nslots; ++i) n += has_buffer(&slots[i]);
    return n <= 1 ? n : n <= 4 ? 4 : PRIM_MAX_POST_OPS;
}

// The next buffer's number, PO_GIVEN_OPERAND for an image, or −1 for none.
static int operand_number(const slot_t *slot, int *noperands)
{
    if (has_image(slot)) return GIVEN;
    return has_buffer(slot) ? (*noperands)++ : -1;
}

// The operand's descriptor as the device has it. The stride of a dimension that is broadcast is 0,
// if no position in a block or in padding could be meant. All zeros for one that is known at
// execution: whoever takes such operands moves their starts to the element.
static ocl_md_t operand_md(const slot_t *slot)
{
    if (prim__md_has_runtime(slot->md)) return (ocl_md_t){0};
    ocl_md_t md = prim__ocl_md(slot->md);
    for (int d = 0; d < md.ndims && is_plain(&md); ++d) {
        if (md.dims[d] == 1) md.strides[d] = 0;
    }
    return md;
}

void prim__ocl_post_ops_operand_options(ocl_options_t *options, const prim_desc_t *pd)
{
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, &pd->attr.post_ops);
    int ndims = 0;
    for (int i = 0; i < nslots; ++i) {
        if (!has_buffer(&slots[i])) continue;
        const ocl_md_t md = prim__ocl_md(slots[i].md);
        if (!is_plain(&md)) return;
        ndims = md.ndims;
    }
    if (ndims > 0) prim__ocl_options_int(options, "PO_NDIMS", ndims);
}

static void step_option(ocl_options_t *options, const char *what, int i, int value)
{
    char name[32];
    (void)snprintf(name, sizeof name, "PO_%s_%d", what, i);
    prim__ocl_options_int(options, name, value);
}

// The options of an unrolled chain whose step `beside` reads what lies where dst's element lies
// (−1: none).
static void static_options(
        ocl_options_t *options, const prim_desc_t *pd, const slot_t *slots, int nslots, int beside)
{
    prim__ocl_options_int(options, "PO_STATIC_LEN", nslots);
    int noperands = 0;
    for (int i = 0; i < nslots; ++i) {
        const int number = operand_number(&slots[i], &noperands);
        step_option(options, "KIND", i, (int)kind_of(&slots[i]));
        step_option(options, "ALG", i, (int)slots[i].op->alg);
        step_option(options, "OPERAND", i, i == beside ? GIVEN : number);
        step_option(options, "DT", i, (int)type_read(&slots[i], pd));
    }
    if (beside < 0) return;
    prim__ocl_options_int(options, "PO_BESIDE_DST", has_buffer(&slots[beside]) ? 1 : 2);
    prim__ocl_options_int(options, "PO_BESIDE_DT", (int)type_read(&slots[beside], pd));
}

static void add_options(ocl_options_t *options, const prim_desc_t *pd, bool is_static, int beside)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, chain);
    prim__ocl_options_int(options, "WITH_POST_OPS", chain->len > 0);
    if (chain->len == 0) return;
    prim__ocl_options_int(options, "PO_NBUFS", bucket(slots, nslots));
    if (nslots > chain->len) prim__ocl_options_int(options, "PO_HAS_SELECT", 1);
    if (!is_static) return;
    prim__ocl_post_ops_operand_options(options, pd);
    if (nslots <= OCL_STATIC_POST_OPS) static_options(options, pd, slots, nslots, beside);
}

bool prim__ocl_post_ops_take_vectors(const prim_desc_t *pd)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    if (prim__ocl_post_ops_len(chain) > chain->len || chain->len > OCL_STATIC_POST_OPS)
        return false;
    if (prim__md_has_runtime(dst) || !prim__md_is_plain(dst)) return false;
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, chain);
    for (int i = 0; i < nslots; ++i) {
        if (has_image(&slots[i])) return false;
        if (has_buffer(&slots[i]) &&
                (prim__md_has_runtime(slots[i].md) || !prim__md_is_plain(slots[i].md)))
            return false;
    }
    return true;
}

// Elements from one neighbour along the dimension to the next: 0 or 1; −1: any other number.
static int step_along(const slot_t *slot, int dim)
{
    if (!has_buffer(slot)) return 0;
    const int64_t stride = operand_md(slot).strides[dim];
    return stride == 0 || stride == 1 ? (int)stride : -1;
}

void prim__ocl_post_ops_options_vectors(
        ocl_options_t *options, const prim_desc_t *pd, int width, int dim)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    const bool is_short = width > 1 && pd->attr.post_ops.len > 0 &&
                          (dst == PRIM_F16 || dst == PRIM_BF16) &&
                          prim__ocl_device_trusts(pd->engine, OCL_FEATURE_FAST_EXP2);
    prim__ocl_options_int(options, "FAST_EXP2", is_short);
    prim__ocl_options_int(options, "SLOPES", 0);
    prim__ocl_options_int(options, "REAL_WIDTH", width);
    if (width == 1) return;
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, &pd->attr.post_ops);
    prim__ocl_post_ops_options(options, pd, true);
    if (nslots == 0) return;
    prim__ocl_options_int(options, "PO_SHORT", is_short);
    prim__ocl_options_int(options, "PO_VECTOR_DIM", dim);
    prim__ocl_options_int(options, "PO_STEPS", 1);
    for (int i = 0; i < nslots; ++i) step_option(options, "STEP", i, step_along(&slots[i], dim));
}

void prim__ocl_post_ops_options(ocl_options_t *options, const prim_desc_t *pd, bool is_static)
{
    add_options(options, pd, is_static, -1);
}

void prim__ocl_post_ops_options_beside(ocl_options_t *options, const prim_desc_t *pd, int beside)
{
    add_options(options, pd, true, beside);
}

// Whether the step reads a float of dst's size where dst's element lies.
static bool is_beside(const slot_t *slot, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_data_type_t type = type_read(slot, pd);
    if (type != PRIM_F32 && type != PRIM_F16 && type != PRIM_BF16) return false;
    if (prim_data_type_size(type) != prim_data_type_size(dst->data_type)) return false;
    return slot->op->kind == PRIM_SUM ||
           (has_buffer(slot) && prim__md_same_layout_moved(slot->md, dst));
}

bool prim__ocl_post_op_is_short(const post_op_t *step)
{
    static const prim_alg_kind_t algs[] = {PRIM_ELTWISE_RELU, PRIM_ELTWISE_LINEAR,
            PRIM_ELTWISE_CLIP, PRIM_ELTWISE_CLIP_V2, PRIM_ELTWISE_ABS, PRIM_ELTWISE_SQUARE,
            PRIM_BINARY_ADD, PRIM_BINARY_SUB, PRIM_BINARY_MUL, PRIM_BINARY_MAX, PRIM_BINARY_MIN};
    for (size_t a = 0; a < sizeof algs / sizeof *algs; ++a) {
        if (step->alg == algs[a]) return true;
    }
    return step->kind == PRIM_SUM;
}

int prim__ocl_post_ops_beside_dst(const prim_desc_t *pd)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, chain);
    if (nslots > chain->len || nslots > OCL_STATIC_POST_OPS) return -1;
    if (prim__md_has_runtime(prim__pd_md(pd, PRIM_ARG_DST))) return -1;
    int found = -1;
    for (int i = 0; i < nslots; ++i) {
        if (kind_of(&slots[i]) == PRIM_ELTWISE) continue;
        if (found >= 0 || !is_beside(&slots[i], pd)) return -1;
        found = i;
    }
    return found;
}

static void fill(ocl_post_ops_t *table, const prim_desc_t *pd)
{
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, &pd->attr.post_ops);
    int noperands = 0;
    table->len = nslots;
    for (int i = 0; i < nslots; ++i) {
        const post_op_t *const op = slots[i].op;
        table->entries[i] = (ocl_post_op_t){.kind = (int32_t)kind_of(&slots[i]),
                .alg = (int32_t)op->alg,
                .alpha = op->alpha,
                .beta = op->beta,
                .scale = op->scale,
                .zero_point = op->zero_point,
                .dt = (int32_t)type_read(&slots[i], pd),
                .operand = operand_number(&slots[i], &noperands)};
        if (has_buffer(&slots[i])) table->entries[i].md = operand_md(&slots[i]);
    }
}

prim_status_t prim__ocl_primitive_add_post_ops(ocl_primitive_t *primitive)
{
    const prim_desc_t *const pd = primitive->base.pd;
    if (pd->attr.post_ops.len == 0) return PRIM_SUCCESS;
    ocl_post_ops_t *const table = prim__calloc(sizeof *table);
    if (!table) return prim__fail_memory(sizeof *table);
    fill(table, pd);
    const size_t bytes =
            offsetof(ocl_post_ops_t, entries) + (size_t)table->len * sizeof table->entries[0];
    const prim_status_t st = prim__ocl_upload(&primitive->post_ops, pd->engine, table, bytes);
    prim__free(table);
    return st;
}

static void add_image(ocl_args_t *args, const exec_ctx_t *ctx, int arg)
{
    const ocl_memory_t *const memory = prim__ocl_memory(prim__ctx_memory(ctx, arg));
    if (!memory->buffer && !args->missing) args->missing = arg;
    prim__ocl_args_image_object(args, memory->buffer);
}

void prim__ocl_args_post_ops(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *primitive)
{
    slot_t slots[PO_MAX_LEN];
    const int nslots = list_slots(slots, &primitive->base.pd->attr.post_ops);
    if (nslots == 0) return;
    prim__ocl_args_buffer(args, primitive->post_ops);
    int noperands = 0;
    for (int i = 0; i < nslots; ++i) {
        if (!has_buffer(&slots[i])) continue;
        prim__ocl_args_tensor(args, ctx, slots[i].arg);
        ++noperands;
    }
    for (const int nbufs = bucket(slots, nslots); noperands < nbufs; ++noperands) {
        prim__ocl_args_nothing(args);
    }
    for (int i = 0; i < nslots; ++i) {
        if (has_image(&slots[i])) add_image(args, ctx, slots[i].arg);
    }
}
