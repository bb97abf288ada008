// SPDX-License-Identifier: Apache-2.0
// What the schemas of convolution's directions have in common.
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
} conv_roles_t;

/// Ranks, channels, groups, and windows that give dst's spatial sizes. Sentences have the schema's
/// names.
prim_status_t prim__conv_check(const shapes_t *shapes, const conv_roles_t *roles);

#endif
