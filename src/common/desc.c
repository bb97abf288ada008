// SPDX-License-Identifier: Apache-2.0
// What implementations ask of primitive descriptors, and add to them.
#include "desc.h"

#include <string.h>

#include "desc_storage.h"
#include "post_ops_check.h"

prim_status_t prim_desc_get_attr(const prim_desc_t *pd, const prim_attr_t **attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(attr);
    *attr = &pd->attr;
    return PRIM_SUCCESS;
}

/// What stands at a place.
static const prim_memory_desc_t *md_at(const prim_desc_t *pd, int place)
{
    const arg_places_t *const places = &pd->places;
    if (place < 0) return NULL;
    if (place < places->first_quant) return &pd->tensors[place].md;
    if (place < places->first_operand) return &pd->quant_mds[place - places->first_quant];
    if (place == places->nplaces - 1) return &pd->scratchpad_md;
    const int operand = place - places->first_operand;
    return prim__post_op_operand_md(
            &pd->attr.post_ops.entries[operand / STEP_OPERANDS], operand % STEP_OPERANDS);
}

static const prim_memory_desc_t *find_md(const prim_desc_t *pd, int arg)
{
    return md_at(pd, prim__arg_place(&pd->places, arg));
}

const prim_memory_desc_t *prim__pd_md(const prim_desc_t *pd, int arg)
{
    static const prim_memory_desc_t absent = {0};
    const prim_memory_desc_t *const md = find_md(pd, arg);
    return md ? md : &absent;
}

int prim__pd_arg_or_diff(const prim_desc_t *pd, int arg)
{
    static const int gradients[][2] = {{PRIM_ARG_SRC, PRIM_ARG_DIFF_SRC},
            {PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_WEIGHTS}, {PRIM_ARG_BIAS, PRIM_ARG_DIFF_BIAS},
            {PRIM_ARG_DST, PRIM_ARG_DIFF_DST}};
    for (size_t i = 0; i < sizeof gradients / sizeof *gradients; ++i)
        if (gradients[i][0] == arg && !prim__pd_has(pd, arg) && prim__pd_has(pd, gradients[i][1]))
            return gradients[i][1];
    return arg;
}

prim_memory_desc_t *prim__pd_md_mutable(prim_desc_t *pd, int arg)
{
    const int place = prim__arg_place(&pd->places, arg);
    return place >= 0 && place < pd->ntensors ? &pd->tensors[place].md : NULL;
}

const char *prim__pd_name(const prim_desc_t *pd)
{
    return pd->nnested > 0 ? pd->nested_name : pd->impl->name;
}

const prim_desc_t *prim__pd_hint(const prim_desc_t *pd)
{
    return pd->origin->hint;
}

bool prim__pd_has(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = find_md(pd, arg);
    return md && !prim__md_is_zero(md);
}

prim_status_t prim__pd_add_output(prim_desc_t *pd, int arg, const prim_memory_desc_t *md)
{
    if (pd->ntensors == pd->origin->ntensors + MAX_ADDED_OUTPUTS)
        return prim__fail(PRIM_RUNTIME_ERROR, "%s adds more than %d outputs", pd->impl->name,
                (int)MAX_ADDED_OUTPUTS);
    const tensor_t tensor = {.arg = arg, .is_output = true, .md = *md};
    prim__places_add(&pd->places, arg, pd->ntensors);
    tensor_t *const place = &pd->tensors[pd->ntensors++];
    memset(place, 0, sizeof *place);
    prim__tensor_copy(place, &tensor);
    return PRIM_SUCCESS;
}

size_t prim__pd_book_scratchpad(prim_desc_t *pd, size_t bytes)
{
    const size_t offset = (pd->scratchpad_bytes + 127) / 128 * 128;
    pd->scratchpad_bytes = offset + bytes;
    return offset;
}
