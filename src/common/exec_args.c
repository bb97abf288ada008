// SPDX-License-Identifier: Apache-2.0
// Arguments of an execution: duplicates, absence, engines, descriptors, buffers, and run-time
// dimensions that agree with each other.
#include "exec_args.h"

#include <stdio.h>
#include <string.h>

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "memory_desc_difference.h"
#include "post_ops_check.h"

typedef struct {
    const prim_desc_t *pd;
    prim_memory_t **memory; ///< by place
} call_t;

enum { NAME_BYTES = 80, DIFFERENCE_BYTES = 640 };

/// "dst", "src 3" of a repeated tensor; the number of an argument that the operation has not.
static void name_tensor(char *text, size_t bytes, const prim_desc_t *pd, int arg)
{
    const tensor_rule_t *const rule = prim__schema_rule(prim__schema_of(&pd->op), arg);
    if (arg == PRIM_ARG_SCRATCHPAD)
        (void)snprintf(text, bytes, "scratchpad");
    else if (!rule)
        (void)snprintf(text, bytes, "%d", arg);
    else if (rule->flags & TENSOR_REPEATED)
        (void)snprintf(text, bytes, "%s %d", rule->name, arg - rule->arg);
    else
        (void)snprintf(text, bytes, "%s", rule->name);
}

/// "argument 17 (dst)"; on failures only.
static const char *name_arg(char text[NAME_BYTES], const prim_desc_t *pd, int arg)
{
    if (arg >= PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE) {
        const bool is_condition = arg % PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE == PRIM_ARG_SRC_2;
        (void)snprintf(text, NAME_BYTES, "argument %d (%s of post-op %d)", arg,
                is_condition ? "condition" : "operand",
                arg / PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1);
        return text;
    }
    const char *const what = arg & PRIM_ARG_ATTR_SCALES        ? "scales of "
                             : arg & PRIM_ARG_ATTR_ZERO_POINTS ? "zero points of "
                                                               : "";
    char name[NAME_BYTES / 4];
    name_tensor(name, sizeof name, pd, arg & ~(PRIM_ARG_ATTR_SCALES | PRIM_ARG_ATTR_ZERO_POINTS));
    (void)snprintf(text, NAME_BYTES, "argument %d (%s%s)", arg, what, name);
    return text;
}

static const prim_memory_t *find(const call_t *call, int arg)
{
    const int place = prim__arg_place(&call->pd->places, arg);
    return place >= 0 ? call->memory[place] : NULL;
}

/// Whether `value` may stand for `wanted`, which may be open until execution.
static bool fits(prim_dim_t wanted, prim_dim_t value)
{
    return wanted == value || wanted == PRIM_RUNTIME_DIM_VAL;
}

/// `md` with every run-time value of `wanted` filled in.
static bool fills_in(const prim_memory_desc_t *wanted, const prim_memory_desc_t *md)
{
    if (wanted->ndims != md->ndims || wanted->data_type != md->data_type ||
            wanted->format_kind != md->format_kind || wanted->inner_nblks != md->inner_nblks ||
            !fits(wanted->offset0, md->offset0))
        return false;
    for (int d = 0; d < wanted->ndims; ++d)
        if (!fits(wanted->dims[d], md->dims[d]) || !fits(wanted->strides[d], md->strides[d]) ||
                !fits(wanted->padded_dims[d], md->padded_dims[d]) ||
                !fits(wanted->padded_offsets[d], md->padded_offsets[d]))
            return false;
    const size_t blks_bytes = (size_t)wanted->inner_nblks * sizeof(prim_dim_t);
    return memcmp(wanted->inner_blks, md->inner_blks, blks_bytes) == 0 &&
           memcmp(wanted->inner_idxs, md->inner_idxs, blks_bytes) == 0;
}

static bool matches(const prim_memory_desc_t *wanted, const prim_memory_desc_t *md)
{
    if (memcmp(wanted, md, sizeof *md) == 0) return true;
    return prim__md_has_runtime(wanted) ? fills_in(wanted, md) : prim__md_equal(wanted, md);
}

/// Presence, engine and buffer: what tensors and attribute arguments have in common.
static prim_status_t check_memory(
        const call_t *call, const prim_memory_t *memory, const prim_engine_t *engine, int arg)
{
    char name[NAME_BYTES];
    CHECK(memory, "%s is missing", name_arg(name, call->pd, arg));
    char difference[DIFFERENCE_BYTES];
    CHECK(memory->engine == engine, "%s belongs to another engine than the primitive: %s",
            name_arg(name, call->pd, arg),
            prim__engine_difference(difference, sizeof difference, memory->engine, engine));
    CHECK(engine->ops->memory_has_buffer(memory) || memory->bytes == 0, "%s has no buffer",
            name_arg(name, call->pd, arg));
    return PRIM_SUCCESS;
}

static prim_status_t check_tensor(const call_t *call, int place, int arg,
        const prim_memory_desc_t *wanted, const prim_engine_t *engine)
{
    const prim_memory_t *const memory = call->memory[place];
    TRY(check_memory(call, memory, engine, arg));
    if (matches(wanted, &memory->md)) return PRIM_SUCCESS;
    char name[NAME_BYTES], difference[DIFFERENCE_BYTES];
    prim__md_difference(difference, sizeof difference, &memory->md, wanted);
    return prim__fail(PRIM_INVALID_ARGUMENTS, "%s has another descriptor than the primitive's: %s",
            name_arg(name, call->pd, arg), difference);
}

static prim_status_t check_quants(
        const call_t *call, const quant_t *quants, int nquants, int base_arg)
{
    for (int i = 0; i < nquants; ++i) {
        const quant_t *const quant = &quants[i];
        const int arg = base_arg | quant->arg;
        const prim_memory_t *const memory = find(call, arg);
        TRY(check_memory(call, memory, call->pd->engine, arg));

        const prim_memory_t *const tensor = find(call, quant->arg);
        prim_dims_t dims;
        const prim_dim_t nvalues =
                quant->mask != 0 && tensor ? prim__quant_dims(dims, quant, &tensor->md) : 1;
        char name[NAME_BYTES];
        CHECK(memory->md.data_type == quant->data_type, "%s has type %s instead of %s",
                name_arg(name, call->pd, arg), prim_data_type_name(memory->md.data_type),
                prim_data_type_name(quant->data_type));
        CHECK(prim__md_nelems(&memory->md) == nvalues, "%s has %lld values instead of %lld",
                name_arg(name, call->pd, arg), (long long)prim__md_nelems(&memory->md),
                (long long)nvalues);
        CHECK(prim__md_is_row_major(&memory->md), "%s is not dense row-major",
                name_arg(name, call->pd, arg));
    }
    return PRIM_SUCCESS;
}

/// Every memory to its place. An argument that the problem has not is no mistake.
static prim_status_t place_all(const call_t *call, int nargs, const prim_arg_t *args)
{
    const arg_places_t *const places = &call->pd->places;
    const bool has_scratchpad = call->pd->scratchpad_md.ndims != 0;
    char name[NAME_BYTES];
    memset(call->memory, 0, (size_t)places->nplaces * sizeof *call->memory);
    for (int i = 0; i < nargs; ++i) {
        const int place = prim__arg_place(places, args[i].arg);
        const bool is_wanted = args[i].arg != PRIM_ARG_SCRATCHPAD || has_scratchpad;
        if (place < 0 || !is_wanted) continue;
        CHECK(!call->memory[place], "%s is given twice", name_arg(name, call->pd, args[i].arg));
        call->memory[place] = args[i].memory;
    }
    return PRIM_SUCCESS;
}

/// Whether the operation may write its output over the input that is the same memory. What else is
/// this memory then is no other tensor, but the same one once more.
static bool runs_in_place(const call_t *call, int output)
{
    const int arg = call->pd->tensors[output].arg;
    const tensor_rule_t *rule = prim__schema_of(&call->pd->op)->tensors;
    for (; rule->arg != PRIM_ARG_UNDEF; ++rule)
        if (rule->arg == arg && rule->in_place != PRIM_ARG_UNDEF)
            return find(call, rule->in_place) == call->memory[output];
    return false;
}

/// An output whose strides or dimensions were open at creation is no broadcast.
static prim_status_t check_runtime_output(const call_t *call, int output)
{
    const prim_desc_t *const pd = call->pd;
    const prim_memory_desc_t *const md = &call->memory[output]->md;
    if (!pd->has_runtime || !prim__md_is_broadcast(md)) return PRIM_SUCCESS;
    char name[NAME_BYTES];
    name_tensor(name, sizeof name, pd, pd->tensors[output].arg);
    return prim__md_check_output(md, prim__schema_of(&pd->op)->name, name);
}

/// No output shares its memory with another tensor unless it may: an implementation reads elements
/// after it wrote others.
static prim_status_t check_outputs(const call_t *call)
{
    const prim_desc_t *const pd = call->pd;
    char name[NAME_BYTES], other_name[NAME_BYTES];
    for (int i = 0; i < pd->ntensors; ++i) {
        if (!pd->tensors[i].is_output || call->memory[i]->bytes == 0) continue;
        TRY(check_runtime_output(call, i));
        for (int j = 0; j < pd->ntensors; ++j)
            CHECK(i == j || call->memory[i] != call->memory[j] || runs_in_place(call, i),
                    "%s is the memory of %s too, and %s does not run in place like this",
                    name_arg(name, pd, pd->tensors[i].arg),
                    name_arg(other_name, pd, pd->tensors[j].arg), prim__schema_of(&pd->op)->name);
    }
    return PRIM_SUCCESS;
}

/// Whether `dim` is `full` or, where the operation broadcasts, 1.
static bool broadcasts(prim_dim_t dim, prim_dim_t full)
{
    return dim == full || dim == 1;
}

/// The tensor at `place`, which `arg` names, must broadcast to dst.
static prim_status_t check_broadcast(const call_t *call, int place, int arg)
{
    const prim_memory_desc_t *const md = &call->memory[place]->md;
    const prim_memory_desc_t *const dst = &find(call, PRIM_ARG_DST)->md;
    char name[NAME_BYTES];
    for (int d = 0; d < dst->ndims; ++d)
        CHECK(broadcasts(md->dims[d], dst->dims[d]), "%s: dimension %d is %lld where dst has %lld",
                name_arg(name, call->pd, arg), d, (long long)md->dims[d], (long long)dst->dims[d]);
    return PRIM_SUCCESS;
}

/// Operands whose shape, or that of dst, was open at creation have to broadcast to dst.
static prim_status_t check_operands(const call_t *call)
{
    const prim_post_ops_t *const post_ops = &call->pd->attr.post_ops;
    for (int i = 0; i < post_ops->len; ++i) {
        const post_op_t *const entry = &post_ops->entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k) {
            const int place = prim__operand_place(&call->pd->places, i, k);
            const int arg = prim__post_op_operand_arg(entry, i, k);
            TRY(check_tensor(
                    call, place, arg, prim__post_op_operand_md(entry, k), call->pd->engine));
            if (call->pd->has_runtime) TRY(check_broadcast(call, place, arg));
        }
    }
    return PRIM_SUCCESS;
}

/// Shapes that were open at creation were not checked against each other then.
static prim_status_t check_runtime_dims(const call_t *call)
{
    if (!call->pd->has_runtime) return PRIM_SUCCESS;
    const op_schema_t *const schema = prim__schema_of(&call->pd->op);
    if (!schema->takes_runtime) return PRIM_SUCCESS;
    const prim_memory_desc_t *mds[MAX_RULES] = {0};
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const int arg = schema->tensors[i].arg;
        if (prim__pd_has(call->pd, arg)) mds[i] = &find(call, arg)->md;
    }
    return schema->check(&(shapes_t){.schema = schema, .op = &call->pd->op, .mds = mds});
}

prim_status_t prim__exec_args_resolve(
        prim_memory_t **memory, const prim_desc_t *pd, int nargs, const prim_arg_t *args)
{
    const call_t call = {pd, memory};
    TRY(place_all(&call, nargs, args));
    for (int i = 0; i < pd->ntensors; ++i) {
        const tensor_t *const tensor = &pd->tensors[i];
        const prim_engine_t *const engine = tensor->is_on_peer ? pd->peer : pd->engine;
        TRY(check_tensor(&call, i, tensor->arg, &tensor->md, engine));
    }
    TRY(check_outputs(&call));
    if (pd->scratchpad_md.ndims != 0)
        TRY(check_tensor(&call, pd->places.nplaces - 1, PRIM_ARG_SCRATCHPAD, &pd->scratchpad_md,
                pd->engine));
    const prim_attr_t *const attr = &pd->attr;
    TRY(check_quants(&call, attr->scales, attr->nscales, PRIM_ARG_ATTR_SCALES));
    TRY(check_quants(&call, attr->zero_points, attr->nzero_points, PRIM_ARG_ATTR_ZERO_POINTS));
    TRY(check_operands(&call));
    return check_runtime_dims(&call);
}
