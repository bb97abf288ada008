// SPDX-License-Identifier: Apache-2.0
// What the schemas of the directions of convolution and deconvolution have in common.
#ifndef PRIM_COMMON_OPS_CONV_RULES_H
#define PRIM_COMMON_OPS_CONV_RULES_H

#include "repro.h"
#include "window.h"

extern const param_rule_t prim__conv_params[];
extern const prim_alg_kind_t prim__conv_algs[];
extern const repro_word_t prim__conv_repro[];

/// The tensors of the gradients by src and by weights, in the order of these.
extern const tensor_rule_t prim__conv_data_tensors[], prim__conv_weights_tensors[];
enum { CONV_DATA_DIFF_DST, CONV_DATA_WEI, CONV_DATA_DIFF_SRC, CONV_NDATA_TENSORS };
enum {
    CONV_WEIGHTS_SRC,
    CONV_WEIGHTS_DIFF_DST,
    CONV_WEIGHTS_DIFF_WEI,
    CONV_WEIGHTS_DIFF_BIA,
    CONV_NWEIGHTS_TENSORS
};

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
