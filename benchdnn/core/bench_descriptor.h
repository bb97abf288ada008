// SPDX-License-Identifier: Apache-2.0
// Parsing of problem descriptors into problem_t, and their printing for repro lines.
#ifndef BENCH_DESCRIPTOR_H
#define BENCH_DESCRIPTOR_H

#include "bench_problem.h"

/// Parses ic3ih7oc8kh3n"name" by a driver's field table. False after an error sentence.
bool parse_fields(problem_t *problem, const field_t *fields, const char *text);
/// Parses 2x3x4:1x3x1_n"name" with a number of tensors in min..max.
bool parse_tensors(problem_t *problem, int min_tensors, int max_tensors, const char *text);
/// Replaces the mini-batch: mb, or dims[0] of every tensor in the dims family.
void problem_set_mb(problem_t *problem, bool is_dims_family, int64_t mb);
/// Whether every tensor of the problem has fewer than 2^53 elements, so that offsets and sums of
/// them stay in int64_t; else false after an error sentence.
bool problem_is_countable(const problem_t *problem);
/// Appends the tensors as they were given, without the name.
void print_tensors(text_t *out, const problem_t *problem);
/// Appends every field of the table, comma separated (%DESC%).
void print_field_values(text_t *out, const field_t *fields, const problem_t *problem);

#endif
