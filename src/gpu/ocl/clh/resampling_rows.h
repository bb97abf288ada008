// SPDX-License-Identifier: Apache-2.0
// What the typed kernels of resampling share: data, and the rows of src under a row of dst.
#ifndef CLH_RESAMPLING_ROWS_H
#define CLH_RESAMPLING_ROWS_H

#ifndef HAS_DEPTH
#error "clh/resampling_rows.h needs HAS_DEPTH"
#endif

#include "clh/channels.h"
#include "clh/shared/resampling_data.h"

// One or two neighbours along an axis and their weights.
typedef struct {
    int n, index[2];
    float weight[2];
} source_t;

// Element y of the axis lies at (y + 0.5)·in/out − 0.5: nearest takes the integer part of
// (y + 0.5)·in/out, linear the two around it. (2·out + 1)·in fits 32 bits.
static inline source_t source_at(__constant const ocl_resize_t *axis, int y)
{
    source_t source = {1, {0, 0}, {1.0f, 0.0f}};
#if LINEAR
    const int position = max((2 * y + 1) * axis->in - axis->out, 0), unit = 2 * axis->out;
    const int left = (int)((uint)position / (uint)unit), rest = position - left * unit;
    source.index[0] = min(left, axis->in - 1);
    // A neighbour of no weight may be an infinity.
    if (left < axis->in - 1 && rest > 0) {
        source.n = 2;
        source.index[1] = left + 1;
        source.weight[1] = (float)rest / (float)unit;
        source.weight[0] = (float)(unit - rest) / (float)unit; // not 1 - the other: see clh/resampling.h
    }
#else
    source.index[0] = (int)((uint)((2 * y + 1) * axis->in) / (uint)(2 * axis->out));
#endif
    return source;
}

// The rows of src (offsets of their first elements in a plane) that a row of dst is made of. Each has
// its place, whether it is there or not: an array that is indexed at run time lives in memory.
#if LINEAR && HAS_DEPTH
#define SOURCE_ROWS 4
#define SOURCE_COLUMNS 2
#elif LINEAR
#define SOURCE_ROWS 2
#define SOURCE_COLUMNS 2
#else
#define SOURCE_ROWS 1
#define SOURCE_COLUMNS 1
#endif
typedef struct {
    int offset[SOURCE_ROWS];
    float weight[SOURCE_ROWS];
    bool is_there[SOURCE_ROWS];
} source_rows_t;

static inline source_rows_t source_rows_at(__constant const ocl_resampling_data_t *data, int d, int h)
{
    const source_t sd = source_at(&data->axes[0], d), sh = source_at(&data->axes[1], h);
    source_rows_t rows;
    for (int r = 0; r < SOURCE_ROWS; ++r) {
        const int i = r / 2, j = r % 2; // without a depth, i is 0
        rows.offset[r] = sd.index[i] * data->src.d + sh.index[j] * data->src.h;
        rows.weight[r] = sd.weight[i] * sh.weight[j];
        rows.is_there[r] = r == 0 || (i < sd.n && j < sh.n);
    }
    return rows;
}

#endif
