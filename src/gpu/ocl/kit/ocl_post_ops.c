// SPDX-License-Identifier: Apache-2.0
// Options, table and operands of the post-op chain.
#include "ocl_post_ops.h"

#include <stdio.h>

#include "common/alloc.h"
#include "gpu/ocl/memory/ocl_upload.h"

enum { MAX_STATIC_LEN = 4 };

_Static_assert(PO_MAX_LEN == PRIM_MAX_POST_OPS, "a table has room for every chain");

static bool has_image(const post_op_t *op)
{
    return prim__md_is_image(&op->src1_md);
}

static bool has_buffer(const post_op_t *op)
{
    return prim__post_op_has_operand(op) && !has_image(op);
}

// Of the operand, or of the old dst; undefined where a step reads neither.
static prim_data_type_t type_read(const post_op_t *op, const prim_desc_t *pd)
{
    if (prim__post_op_has_operand(op)) return op->src1_md.data_type;
    if (op->kind == PRIM_SUM && op->data_type == PRIM_DATA_TYPE_UNDEF)
        return prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return op->data_type;
}

static bool is_plain(const ocl_md_t *md)
{
    return md->inner_nblks == 0 && !md->is_padded;
}

// Operand parameters of the kernel for a chain: a few sizes, so that programs are few.
static int bucket(const prim_post_ops_t *chain)
{
    int n = 0;
    for (int i = 0; i < chain->len; ++i) n += has_buffer(&chain->entries[i]);
    return n <= 1 ? n : n <= 4 ? 4 : PRIM_MAX_POST_OPS;
}

// PO_IMAGE_OPERAND, the next buffer's number, or −1 for none.
static int operand_number(const post_op_t *op, int *noperands)
{
    if (has_image(op)) return -2;
    return has_buffer(op) ? (*noperands)++ : -1;
}

// The operand's descriptor as the device has it. The stride of a dimension that is broadcast is 0,
// if no position in a block or in padding could be meant. All zeros for one that is known at
// execution: whoever takes such operands moves their starts to the element.
static ocl_md_t operand_md(const post_op_t *op)
{
    if (prim__md_has_runtime(&op->src1_md)) return (ocl_md_t){0};
    ocl_md_t md = prim__ocl_md(&op->src1_md);
    for (int d = 0; d < md.ndims && is_plain(&md); ++d) {
        if (md.dims[d] == 1) md.strides[d] = 0;
    }
    return md;
}

void prim__ocl_post_ops_operand_options(ocl_options_t *options, const prim_desc_t *pd)
{
    const prim_post_ops_t *chain = &pd->attr.post_ops;
    int ndims = 0;
    for (int i = 0; i < chain->len; ++i) {
        if (!has_buffer(&chain->entries[i])) continue;
        const ocl_md_t md = prim__ocl_md(&chain->entries[i].src1_md);
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

void prim__ocl_post_ops_options(ocl_options_t *options, const prim_desc_t *pd, bool is_static)
{
    const prim_post_ops_t *chain = &pd->attr.post_ops;
    prim__ocl_options_int(options, "WITH_POST_OPS", chain->len > 0);
    if (chain->len == 0) return;
    prim__ocl_options_int(options, "PO_NBUFS", bucket(chain));
    if (!is_static) return;
    prim__ocl_post_ops_operand_options(options, pd);
    if (chain->len > MAX_STATIC_LEN) return;
    prim__ocl_options_int(options, "PO_STATIC_LEN", chain->len);
    int noperands = 0;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *op = &chain->entries[i];
        step_option(options, "KIND", i, (int)op->kind);
        step_option(options, "ALG", i, (int)op->alg);
        step_option(options, "OPERAND", i, operand_number(op, &noperands));
        step_option(options, "DT", i, (int)type_read(op, pd));
    }
}

static void fill(ocl_post_ops_t *table, const prim_desc_t *pd)
{
    const prim_post_ops_t *chain = &pd->attr.post_ops;
    int noperands = 0;
    table->len = chain->len;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *op = &chain->entries[i];
        table->entries[i] = (ocl_post_op_t){.kind = (int32_t)op->kind,
                .alg = (int32_t)op->alg,
                .alpha = op->alpha,
                .beta = op->beta,
                .scale = op->scale,
                .zero_point = op->zero_point,
                .dt = (int32_t)type_read(op, pd),
                .operand = operand_number(op, &noperands)};
        if (has_buffer(op)) table->entries[i].md = operand_md(op);
    }
}

prim_status_t prim__ocl_primitive_add_post_ops(ocl_primitive_t *primitive)
{
    const prim_desc_t *pd = primitive->base.pd;
    if (pd->attr.post_ops.len == 0) return PRIM_SUCCESS;
    ocl_post_ops_t *table = prim__calloc(sizeof *table);
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
    const ocl_memory_t *memory = prim__ocl_memory(prim__ctx_memory(ctx, arg));
    if (!memory->buffer && !args->missing) args->missing = arg;
    prim__ocl_args_image_object(args, memory->buffer);
}

void prim__ocl_args_post_ops(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *primitive)
{
    const prim_post_ops_t *chain = &primitive->base.pd->attr.post_ops;
    if (chain->len == 0) return;
    prim__ocl_args_buffer(args, primitive->post_ops);
    int noperands = 0;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *op = &chain->entries[i];
        if (!has_buffer(op)) continue;
        prim__ocl_args_tensor(args, ctx, prim__post_op_operand_arg(op, i));
        ++noperands;
    }
    for (const int nbufs = bucket(chain); noperands < nbufs; ++noperands) {
        prim__ocl_args_nothing(args);
    }
    for (int i = 0; i < chain->len; ++i) {
        if (has_image(&chain->entries[i]))
            add_image(args, ctx, prim__post_op_operand_arg(&chain->entries[i], i));
    }
}
