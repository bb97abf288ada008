// SPDX-License-Identifier: Apache-2.0
// From arguments to places: tables instead of a search.
#include "arg_places.h"

#include "post_ops_check.h"

#include <assert.h>

enum {
    ROLE_NONE,
    ROLE_REPEATED,
    ROLE_FIRST,
    ROLE_SCRATCHPAD = ARG_ROLES - 1,
    MAX_ROLE_ARG = PRIM_ARG_DIFF_SHIFT
};

/// A small number for each argument that a problem may have.
static const unsigned char roles[MAX_ROLE_ARG + 1] = {
        [PRIM_ARG_SRC_0] = ROLE_FIRST,
        [PRIM_ARG_SRC_1] = ROLE_FIRST + 1,
        [PRIM_ARG_SRC_2] = ROLE_FIRST + 2,
        [PRIM_ARG_SRC_3] = ROLE_FIRST + 3,
        [PRIM_ARG_DST_0] = ROLE_FIRST + 4,
        [PRIM_ARG_DST_1] = ROLE_FIRST + 5,
        [PRIM_ARG_DST_2] = ROLE_FIRST + 6,
        [PRIM_ARG_WEIGHTS_0] = ROLE_FIRST + 7,
        [PRIM_ARG_WEIGHTS_1] = ROLE_FIRST + 8,
        [PRIM_ARG_WEIGHTS_2] = ROLE_FIRST + 9,
        [PRIM_ARG_WEIGHTS_3] = ROLE_FIRST + 10,
        [PRIM_ARG_BIAS] = ROLE_FIRST + 11,
        [PRIM_ARG_MEAN] = ROLE_FIRST + 12,
        [PRIM_ARG_VARIANCE] = ROLE_FIRST + 13,
        [PRIM_ARG_SCALE] = ROLE_FIRST + 14,
        [PRIM_ARG_SHIFT] = ROLE_FIRST + 15,
        [PRIM_ARG_WORKSPACE] = ROLE_FIRST + 16,
        [PRIM_ARG_DIFF_SRC_0] = ROLE_FIRST + 17,
        [PRIM_ARG_DIFF_DST_0] = ROLE_FIRST + 18,
        [PRIM_ARG_DIFF_WEIGHTS_0] = ROLE_FIRST + 19,
        [PRIM_ARG_DIFF_BIAS] = ROLE_FIRST + 20,
        [PRIM_ARG_DIFF_SCALE] = ROLE_FIRST + 21,
        [PRIM_ARG_DIFF_SHIFT] = ROLE_FIRST + 22,
        [PRIM_ARG_DIFF_SRC_1] = ROLE_FIRST + 23,
        [PRIM_ARG_SCRATCHPAD] = ROLE_SCRATCHPAD,
};
enum { ROLE_DEPTHWISE = ROLE_FIRST + 24, NDEPTHWISE = 3 };
_Static_assert(ROLE_DEPTHWISE + NDEPTHWISE <= ROLE_SCRATCHPAD, "two arguments have one role");

static bool is_repeated(int arg)
{
    return arg >= PRIM_ARG_MULTIPLE_SRC && arg < PRIM_ARG_MULTIPLE_DST;
}

/// The tensors of a depthwise post-op.
static int depthwise_role(int arg)
{
    switch (arg - PRIM_ARG_ATTR_POST_OP_DW) {
    case PRIM_ARG_WEIGHTS: return ROLE_DEPTHWISE;
    case PRIM_ARG_BIAS: return ROLE_DEPTHWISE + 1;
    case PRIM_ARG_DST: return ROLE_DEPTHWISE + 2;
    default: return ROLE_NONE;
    }
}

static int role_of(int arg)
{
    if (is_repeated(arg)) return ROLE_REPEATED;
    if (arg & PRIM_ARG_ATTR_POST_OP_DW) return depthwise_role(arg);
    return arg >= 0 && arg <= MAX_ROLE_ARG ? roles[arg] : ROLE_NONE;
}

void prim__places_add(arg_places_t *places, int arg, int index)
{
    const int role = role_of(arg);
    assert(role != ROLE_NONE);
    if (role == ROLE_REPEATED) ++places->nrepeated;
    if (places->tensor[role] < 0) places->tensor[role] = (int16_t)index;
}

/// Places for `quants` from `place` on; returns the next free one. If one of the repeated sources
/// has values, all of them have a place.
static int add_quants(
        int16_t *table, const arg_places_t *places, const quant_t *quants, int nquants, int place)
{
    for (int i = 0; i < nquants; ++i) {
        const int role = role_of(quants[i].arg);
        if (role == ROLE_NONE || table[role] >= 0) continue;
        table[role] = (int16_t)place;
        place += role == ROLE_REPEATED ? places->nrepeated : 1;
    }
    return place;
}

void prim__places_init(
        arg_places_t *places, const tensor_t *tensors, int ntensors, const prim_attr_t *attr)
{
    *places = (arg_places_t){0};
    for (int role = 0; role < ARG_ROLES; ++role)
        places->tensor[role] = places->scale[role] = places->zero_point[role] = -1;
    for (int i = 0; i < ntensors; ++i) prim__places_add(places, tensors[i].arg, i);

    int place = places->first_quant = ntensors + MAX_ADDED_OUTPUTS;
    place = add_quants(places->scale, places, attr->scales, attr->nscales, place);
    place = add_quants(places->zero_point, places, attr->zero_points, attr->nzero_points, place);
    places->first_operand = place;
    for (int i = 0; i < attr->post_ops.len; ++i) {
        for (int k = 0; k < STEP_OPERANDS; ++k) {
            const int arg = prim__post_op_operand_arg(&attr->post_ops.entries[i], i, k);
            places->operands[i][k] = (uint8_t)(arg % PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE);
        }
    }
    places->nplaces = place + STEP_OPERANDS * attr->post_ops.len + 1;
    places->tensor[ROLE_SCRATCHPAD] = (int16_t)(places->nplaces - 1);
    assert(places->nplaces <= MAX_PLACES);
}

int prim__operand_place(const arg_places_t *places, int index, int k)
{
    return places->first_operand + STEP_OPERANDS * index + k;
}

static int find_operand(const arg_places_t *places, int arg)
{
    const int index = arg / PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    const int operand = arg % PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE;
    if (operand == 0 || index >= PRIM_MAX_POST_OPS) return -1;
    for (int k = 0; k < STEP_OPERANDS; ++k)
        if (places->operands[index][k] == operand) return prim__operand_place(places, index, k);
    return -1;
}

/// The place of an argument that is no tensor with a role of its own.
static int far_place(const arg_places_t *places, int arg)
{
    if (arg < 0) return -1;
    if (arg >= PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE) return find_operand(places, arg);
    const int16_t *table = places->tensor;
    int tensor = arg;
    if (arg & PRIM_ARG_ATTR_SCALES) {
        table = places->scale;
        tensor -= PRIM_ARG_ATTR_SCALES;
    } else if (arg & PRIM_ARG_ATTR_ZERO_POINTS) {
        table = places->zero_point;
        tensor -= PRIM_ARG_ATTR_ZERO_POINTS;
    }
    const int role = role_of(tensor);
    if (role != ROLE_REPEATED) return table[role];
    const int index = tensor - PRIM_ARG_MULTIPLE_SRC;
    return index < places->nrepeated && table[role] >= 0 ? table[role] + index : -1;
}

int prim__arg_place(const arg_places_t *places, int arg)
{
    const bool is_near = (unsigned)arg <= MAX_ROLE_ARG;
    return is_near ? places->tensor[roles[arg]] : far_place(places, arg);
}
