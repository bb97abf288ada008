// SPDX-License-Identifier: Apache-2.0
// What the schemas of the directions of convolution and deconvolution have in common.
#ifndef PRIM_COMMON_OPS_CONV_RULES_H
#define PRIM_COMMON_OPS_CONV_RULES_H

#include "repro.h"
#include "window.h"

extern const param_rule_t prim__conv_params[];
extern const prim_alg_kind_t prim__conv_algs[];
extern const repro_word_t prim__conv_repro[];

enum { NO_BIAS_RULE = -1 };

/// Which rules of a schema are the tensors of the forward pass, or their gradients.
typedef struct {
    int src, wei, bia, dst; ///< bia: NO_BIAS_RULE where the direction has none
    bool is_transposed;     ///< deconvolution: windows lie on dst, one for each position of src
} conv_roles_t;

/// Ranks, channels, groups, and windows that give dst's spatial sizes, or src's if it is
/// transposed. Sentences have the schema's names.
prim_status_t prim__conv_check(const shapes_t *shapes, const conv_roles_t *roles);
/// PRIM_UNIMPLEMENTED if a tensor holds integers: for gradients.
prim_status_t prim__conv_check_floats(const shapes_t *shapes);

#endif
