// SPDX-License-Identifier: Apache-2.0
// The state of the process: global options, the engine under test, counters. --reset does not touch
// any of it. Only the command line writes the options.
#ifndef BENCH_GLOBALS_H
#define BENCH_GLOBALS_H

#include <stdbool.h>
#include <stdint.h>

#include <prim/prim.h>

#include "bench_data.h"
#include "bench_option.h"

/// What is done with a case; an OR.
enum {
    MODE_LIST = 0,
    MODE_INIT = 1,
    MODE_EXEC = 2,
    MODE_CORR = 4,
    MODE_PERF = 8,
    MODE_FAST = 16,
    MODE_BITWISE = 32,
};

/// Bits of --mode-modifier.
enum {
    MODIFIER_PARALLEL_CREATE = 1,   ///< P
    MODIFIER_NO_REFERENCE_DATA = 2, ///< M
};

typedef enum { COLD_CACHE_NONE, COLD_CACHE_WEI, COLD_CACHE_ALL, COLD_CACHE_CUSTOM } cold_cache_t;
typedef enum { TIMER_WALL, TIMER_DEVICE } bench_timer_t;
/// How timed GPU runs are submitted: each by itself, or replays of a recording of some.
typedef enum { EXECUTION_DIRECT, EXECUTION_GRAPH } bench_execution_t;

/// --impl or --skip-impl: a comma list of names.
typedef struct {
    bool is_set;
    bool is_skip;     ///< take the first implementation that none of them names
    const char *text; ///< of bench_intern()
} impl_filter_t;

typedef struct {
    unsigned mode, modifiers; ///< as given; see the functions below for what follows
    prim_engine_kind_t engine_kind;
    size_t engine_index;
    bool only_numbered_tags, same_pd_check, check_ref_impl, canonical, fast_ref, mem_check;
    bool lists_failures; ///< --summary
    bool lists_impls;    ///< mode L: with the implementations that take the case
    cold_cache_t cold_cache;
    const char *tlb_sweep; ///< "+tlb:1G" behind the kind of --cold-cache, "" without one
    int memory_kind;       ///< index of its word; 0 is buffer, others do not exist here
    int stream_kind;       ///< 0 and 1 are in order, 2 is out of order, which does not exist here
    prim_runtime_t cpu_runtime; ///< of CPU streams; PRIM_RUNTIME_NONE: the library's choice
    bench_timer_t timer;
    bench_execution_t execution;
    prim_tune_mode_t tune;
    data_class_t data_class;
    int64_t fix_times, repeats, num_streams, start, verbose;
    int64_t sample, nsamples; ///< --sample: part `sample` of `nsamples` equal ones
    double max_ms;
    impl_filter_t impl_filter;
} bench_globals_t;

extern bench_globals_t bench;

/// Whether all these bits of the mode are set.
bool bench_mode_has(unsigned bits);

/// Modifier P, which mode F implies.
bool bench_creates_in_parallel(void);
/// Without modifier M, which modes F and R imply: inputs are filled and mirrored on the host.
bool bench_has_reference_data(void);
/// Whether case number `index` belongs to the sample of --sample.
bool bench_sample_has(int64_t index);
/// Milliseconds of measuring a problem: --max-ms-per-prb, 10 in mode F.
double bench_budget_ms(void);

/// What the global options ask for and benchdnn does not have, as a sentence; NULL when nothing.
const char *bench_missing_feature(void);
/// Whether the token is a global option.
bool globals_knows(const char *token);
/// Takes a global option. Returns 1 when it was one, 0 when not, -1 after an error sentence.
int globals_parse(const char *token);
/// Appends the global options that precede (`before_driver`) or follow --<driver> in a repro line.
void globals_print(text_t *out, bool before_driver);

/// Reads the comma list of --impl / --skip-impl, without quotes; an empty one switches it off.
void impl_filter_parse(impl_filter_t *filter, bool is_skip, const char *text);
/// Whether the filter lets an implementation through. An entry of the list names it by whole words
/// of its name, from the start or up to the end: `ocl:matmul:mma` has the names `ocl`,
/// `ocl:matmul`, `ocl:matmul:mma`, `matmul:mma` and `mma`, and neither `mat` nor `matmul`.
bool impl_filter_takes(const impl_filter_t *filter, const char *name);

/// Writes "C", "CP", …
const char *mode_name(unsigned mode);

#endif
