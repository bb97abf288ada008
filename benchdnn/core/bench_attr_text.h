// SPDX-License-Identifier: Apache-2.0
// The grammar of --attr-…: parsing and printing of one list element of each option.
#ifndef BENCH_ATTR_TEXT_H
#define BENCH_ATTR_TEXT_H

#include "bench_attr.h"

// All parsers return false after an error sentence. `text` is one element of the list; empty is the
// option's default.
bool parse_scales(const char *text, quant_spec_t *scales);
bool parse_zero_points(const char *text, quant_spec_t *zero_points);
bool parse_post_ops(const char *text, post_ops_spec_t *post_ops);

/// Appends every attribute that is not default as " --attr-…=…" options.
void print_attr(text_t *out, const attr_spec_t *attr, bool canonical);

extern const word_t policy_words[];
extern const word_t scratchpad_words[];
extern const word_t fpmath_words[];
extern const word_t acc_mode_words[];

/// The argument that a name ("src", "msrc3", "attr_post_op_dw_wei") stands for; false when none.
bool parse_arg_name(const char *text, int *arg);
/// The name of an argument in scales and zero points ("src", "msrc3").
void print_arg_name(text_t *out, int arg);

#endif
