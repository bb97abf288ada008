// SPDX-License-Identifier: Apache-2.0
// What the schemas of the directions of convolution and deconvolution have in common.
#ifndef PRIM_COMMON_OPS_CONV_RULES_H
#define PRIM_COMMON_OPS_CONV_RULES_H

#include "common/verbose_repro_words.h"
#include "product_rules.h"
#include "schema_create.h"
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
/// The same for the gradients, which take no integers.
prim_status_t prim__conv_check_data(const shapes_t *shapes, bool is_transposed);
prim_status_t prim__conv_check_weights(const shapes_t *shapes, bool is_transposed);

/// What their creators are called with beside the request.
typedef struct {
    prim_prop_kind_t prop_kind;
    prim_alg_kind_t alg_kind;
    const prim_memory_desc_t *src; ///< or its gradient: windows have its spatial dimensions
    window_arrays_t windows;
} conv_call_t;

prim_status_t prim__conv_create(prim_desc_t **pd, const op_schema_t *schema,
        const conv_call_t *call, const request_t *request);

#endif
