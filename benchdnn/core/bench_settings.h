// SPDX-License-Identifier: Apache-2.0
// The option state of a driver: one list for each of its own options and for each shared one. It
// persists over problems, lines and batch files until replaced or --reset.
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include <regex.h>

#include "bench_globals.h"
#include "bench_list.h"
#include "driver.h"

/// Shared list options, in the nesting order of the product.
typedef enum {
    SHARED_SCALES,
    SHARED_ZERO_POINTS,
    SHARED_POST_OPS,
    SHARED_SCRATCHPAD,
    SHARED_FPMATH,
    SHARED_ACC_MODE,
    SHARED_DETERMINISTIC,
    SHARED_DROPOUT,
    SHARED_ROUNDING,
    SHARED_CTX_INIT,
    SHARED_CTX_EXE,
    SHARED_COUNT,
} shared_option_t;

/// Threads for creation or execution; 0 is auto.
typedef struct {
    int64_t max;
    char text[32]; ///< as given, "" for auto
} context_t;

/// One value of a shared option.
typedef union {
    quant_spec_t quant;
    post_ops_spec_t post_ops;
    int word;
    bool boolean;
    struct {
        prim_fpmath_mode_t mode;
        bool applies_to_int;
    } fpmath;
    char text[BENCH_MAX_ATTR_TEXT];
    context_t context;
} shared_value_t;

typedef struct {
    const driver_t *driver;
    list_t own[BENCH_MAX_OPTIONS]; ///< of option_value_t
    list_t shared[SHARED_COUNT];   ///< of shared_value_t
    bool has_match;
    regex_t match;
    impl_filter_t impl_filter;
    char *perf_template; ///< the only one that --reset leaves alone
} settings_t;

/// All options at their defaults. settings_free() ends it.
void settings_init(settings_t *settings, const driver_t *driver);
void settings_reset(settings_t *settings);
void settings_free(settings_t *settings);

/// Takes one option of the driver or a shared one. 1: taken, 0: unknown, -1: error sentence.
int settings_parse(settings_t *settings, const char *token);

/// Number of options in a driver's table, and the index of one; -1 when it has none by this name.
int driver_option_count(const driver_t *driver);
int driver_option_index(const driver_t *driver, const char *name);

/// The text that a `--name=` token gives, or NULL when it is another option.
const char *token_value(const char *token, const char *name);

/// Prints the help of a driver's options.
void settings_print_help(const driver_t *driver);

#endif
