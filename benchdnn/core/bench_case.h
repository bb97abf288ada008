// SPDX-License-Identifier: Apache-2.0
// One case from its options to its status.
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench_perf.h"
#include "bench_settings.h"
#include "bench_text.h"
#include "driver.h"

/// The outcome of a case.
typedef enum {
    STATUS_UNTESTED_FAILED,
    STATUS_LISTED,
    STATUS_SKIPPED,
    STATUS_INVALID_ARGUMENTS,
    STATUS_UNIMPLEMENTED,
    STATUS_INITIALIZED,
    STATUS_EXECUTED,
    STATUS_PASSED,
    STATUS_MISTRUSTED,
    STATUS_FAILED,
} status_t;

typedef struct {
    status_t status;
    const char *reason; ///< in parentheses on the status line; NULL for none
    int64_t errors, total;
    const char *impl_name; ///< "" before there is one
    perf_t perf;
} result_t;

/// A case with storage of its own, so that several can be under way at once.
typedef struct {
    prb_t prb;
    problem_t problem;
    attr_spec_t attr;
    option_value_t values[BENCH_MAX_OPTIONS];
    context_t ctx_init, ctx_exe;
    int64_t mb_option; ///< as given by --mb, for %mb%
    impl_filter_t impl_filter;
    char *perf_template;
    int64_t index;
    text_t repro;
    result_t result;
    prim_attr_t *prim_attr;
    prim_desc_t *pd;
    prim_t *primitive;
} bench_case_t;

/// Makes the primitive, or settles the case without one (listed, skipped, refused). May run in
/// several threads for different cases.
void case_create(bench_case_t *c);
/// Runs and judges what case_create left open.
void case_execute(bench_case_t *c);
/// Takes NULL.
void case_destroy(bench_case_t *c);

/// Builds the repro line.
void case_print_repro(text_t *out, const bench_case_t *c);
/// What the class of the data is drawn from: the problem, its options and attributes, without its
/// name, the engine and the implementation.
void case_print_identity(text_t *out, const prb_t *prb);
/// The descriptor with its name, as in the repro line.
void case_print_problem(text_t *out, const prb_t *prb, bool canonical);

const char *status_name(status_t status);

#endif
