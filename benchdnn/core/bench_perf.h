// SPDX-License-Identifier: Apache-2.0
// Timing figures of a case and their report by template.
#ifndef BENCH_PERF_H
#define BENCH_PERF_H

#include <stdbool.h>
#include <stdint.h>

/// Times of a case in milliseconds.
typedef struct {
    bool is_measured;
    int64_t runs;
    double min_ms, total_ms, max_ms;
    /// Creation of descriptor and primitive: the first (cache miss), and again (hit).
    double create_desc_ms[2], create_ms[2];
    double input_bytes, output_bytes;
} perf_t;

/// Monotonic time in milliseconds.
double now_ms(void);

#endif
