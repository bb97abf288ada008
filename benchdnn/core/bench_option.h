// SPDX-License-Identifier: Apache-2.0
// Options of a driver as data: their kinds, values and defaults. The core parses lists and tuples,
// multiplies them, suppresses defaults in repro lines and prints values back.
#ifndef BENCH_OPTION_H
#define BENCH_OPTION_H

#include <prim/prim.h>

#define BENCH_MAX_OPTIONS 20 ///< in a driver's table
#define BENCH_MAX_TUPLE 256  ///< members of a tuple: the inputs of concat and sum
#define BENCH_MAX_TAG 48     ///< characters of a layout's name, end mark included
#define BENCH_MAX_STRIDED 3  ///< tensors of --strides=

/// A driver-level case; see driver.h.
typedef struct prb prb_t;
/// A growing string; see bench_text.h.
typedef struct text text_t;

typedef enum {
    DIR_UNDEF,
    FWD_D,  ///< forward training
    FWD_I,  ///< forward inference
    FWD_B,  ///< forward training with bias
    BWD_D,  ///< backward data
    BWD_W,  ///< backward weights
    BWD_WB, ///< backward weights and bias
    BWD_DW, ///< backward data and weights
} direction_t;

typedef enum {
    OPTION_DIRECTION, ///< FWD_D …
    OPTION_DT,        ///< a data type or a tuple of them: u8:s8:f32
    OPTION_TAG,       ///< a layout or a tuple of them: abx:any
    OPTION_STRIDES,   ///< element strides for up to three tensors: 8x1:4x1:, empty parts dense
    OPTION_WORD,      ///< one of `words`, in any case
    OPTION_TEXT,      ///< a text that `takes_text` accepts, kept as it is
    OPTION_FLAGS,     ///< letters out of `words` (each of one letter), values OR-ed
    OPTION_INT,       ///< an integer or a tuple of them
    OPTION_FLOAT,     ///< a number or a tuple of them
    OPTION_BOOL,
} option_kind_t;

/// A word and what it means. Several words may have one value; the first is printed.
typedef struct {
    const char *word;
    int value;
} word_t;

/// One option of a driver.
typedef struct {
    const char *name;  ///< without dashes: "dt"
    const char *alias; ///< an old spelling, or NULL
    option_kind_t kind;
    const char *fallback;     ///< the default, as on the command line; "" is the empty value
    int min_count, max_count; ///< members of the tuple; 0, 0 is exactly one
    const word_t *words;      ///< OPTION_WORD and OPTION_FLAGS; ends with an entry without a word
    bool (*takes_text)(const char *text); ///< OPTION_TEXT
    bool is_scalar;                       ///< the whole value is one; no comma list
    bool inside_attr;       ///< its loop lies inside those of the attributes and contexts
    bool is_always_printed; ///< in the repro line even when default
    bool is_printed_last;   ///< in the repro line after the attributes
    /// The index + 1 of an OPTION_DT whose value `undef` makes this option meaningless: its list
    /// then counts once (matmul's bia_mask under bia-dt). 0: none.
    int needs_dt;
} option_t;

/// One value of an option.
typedef struct {
    int count; ///< members of the tuple; 0 for the empty value
    union {
        direction_t direction;
        prim_data_type_t dt[BENCH_MAX_TUPLE];
        const char *tag[BENCH_MAX_TUPLE]; ///< of bench_intern()
        struct {
            int ndims[BENCH_MAX_STRIDED]; ///< 0: dense
            prim_dims_t dims[BENCH_MAX_STRIDED];
        } strides;
        int word;
        const char *text; ///< of bench_intern(); NULL for the empty value
        int64_t ints[BENCH_MAX_TUPLE];
        double floats[BENCH_MAX_TUPLE];
        bool boolean;
    } as;
} option_value_t;

// An option called "mb" replaces the mini-batch of the descriptor (dims[0] of every tensor in the
// dims family) unless it is 0; the core does that and never prints it.

#endif
