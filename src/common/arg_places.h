// SPDX-License-Identifier: Apache-2.0
// Where the arguments of a problem stand in an execution: a number for each, worked out once at
// creation, so that neither an execution nor an implementation searches for an argument.
#ifndef PRIM_COMMON_ARG_PLACES_H
#define PRIM_COMMON_ARG_PLACES_H

#include "attr.h"
#include "op_desc.h"

enum {
    ARG_ROLES = 32,         ///< arguments that are not numbered sources have a role each
    MAX_ADDED_OUTPUTS = 4,  ///< that an implementation may add to a problem
    MAX_PLACES = 2048 + 128 ///< 1024 sources with a scale each, and the rest
};

/// The places, in this order: tensors as the problem lists them, with room for added outputs;
/// scales; zero points; operands of post-ops, STEP_OPERANDS places for each entry of the chain; the
/// scratchpad. A place is −1 where the problem has no such argument.
typedef struct {
    int nplaces;
    int nrepeated;     ///< numbered sources (PRIM_ARG_MULTIPLE_SRC + i); theirs are neighbours
    int first_quant;   ///< scales and zero points stand from here …
    int first_operand; ///< … to here, the operands follow
    /// By entry of the chain: the operands' roles, or 0.
    uint8_t operands[PRIM_MAX_POST_OPS][STEP_OPERANDS];
    int16_t tensor[ARG_ROLES], scale[ARG_ROLES], zero_point[ARG_ROLES];
} arg_places_t;

/// Fills `places` for `ntensors` tensors with these attributes.
void prim__places_init(
        arg_places_t *places, const tensor_t *tensors, int ntensors, const prim_attr_t *attr);
/// Gives an added output the place of the index-th tensor.
void prim__places_add(arg_places_t *places, int arg, int index);
/// The place of operand `k` of entry `index` of the chain, whether the entry has that many or not.
int prim__operand_place(const arg_places_t *places, int index, int k);
/// The place of an argument, −1 if the problem has none such. The user's scratchpad has the last.
int prim__arg_place(const arg_places_t *places, int arg);

#endif
