// SPDX-License-Identifier: Apache-2.0
// Operations that the library does not have, written down as schemas: their tensors are the hardest
// that the rules have to tell. For schema_test.c.
#ifndef PRIM_TEST_SCHEMA_DRAFTS_H
#define PRIM_TEST_SCHEMA_DRAFTS_H

#include "common/ops/schema.h"

/// A recurrent layer. Algorithms are numbers of the draft's own.
enum { DRAFT_RNN = 1, DRAFT_LSTM, DRAFT_GRU, DRAFT_AUGRU };
/// Optional parts of its cell, in u.norm.flags.
enum { DRAFT_PEEPHOLE = 1, DRAFT_PROJECTION = 2 };
extern const tensor_rule_t draft_rnn[];

/// Layer normalisation, backwards: gradients of scale and shift only if they are asked for.
extern const tensor_rule_t draft_lnorm_backward[];

/// Scaled dot-product attention: a mask and a scale that may be left out.
extern const tensor_rule_t draft_attention[];

#endif
