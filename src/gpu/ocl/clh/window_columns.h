// SPDX-License-Identifier: Apache-2.0
// Columns of a row of src under adjacent windows: LEFT before the first window's stride, MIDDLE as
// a vector, RIGHT behind them; WINDOW_COLUMNS in all.
// -D: MIDDLE: SW times the windows, 2, 4, 8 or 16; without it all this is left out; SRC, KW, SW, PW (the
// windows; 0 ≤ PW < KW), RAGGED (rows are no multiple of MIDDLE elements, so that vectors would not be
// aligned), WITH_WS (indices of maxima are wanted, so that nothing outside the row may win).
#ifndef CLH_WINDOW_COLUMNS_H
#define CLH_WINDOW_COLUMNS_H

#include "clh/always_inline.h"
#include "clh/io_vec.h"
#include "clh/unpack.h"

#if defined(MIDDLE)
#if !defined(KW) || !defined(SW) || !defined(PW) || !defined(RAGGED)
#error "clh/window_columns.h needs KW, SW, PW, RAGGED"
#endif

#if defined(WITH_WS) && WITH_WS
#define OUTSIDE_COLUMN (-INFINITY)
#else
#define OUTSIDE_COLUMN 0.0f
#endif
#define LEFT PW
#if KW - PW - SW > 0
#define RIGHT (KW - PW - SW)
#else
#define RIGHT 0
#endif
#define WINDOW_COLUMNS (LEFT + MIDDLE + RIGHT)

#if MIDDLE == 2
typedef float2 middle_t;
#define LOAD_MIDDLE SRC_LOAD2
#define UNPACK_MIDDLE UNPACK2
#elif MIDDLE == 4
typedef float4 middle_t;
#define LOAD_MIDDLE SRC_LOAD4
#define UNPACK_MIDDLE UNPACK4
#elif MIDDLE == 8
typedef float8 middle_t;
#define LOAD_MIDDLE SRC_LOAD8
#define UNPACK_MIDDLE UNPACK8
#elif MIDDLE == 16
typedef float16 middle_t;
#define LOAD_MIDDLE SRC_LOAD16
#define UNPACK_MIDDLE UNPACK16
#else
#error "MIDDLE is not 2, 4, 8 or 16"
#endif

// Outside the row: the element next to it if `repeats`, a constant, else OUTSIDE_COLUMN.
static inline float load_column(__global const SRC_T *row, int col, int width, bool repeats)
{
    const float x = SRC_LOAD(row, clamp(col, 0, width - 1));
    return repeats || (col >= 0 && col < width) ? x : OUTSIDE_COLUMN;
}

// WINDOW_COLUMNS elements of a row of `width`; `col` is the first of MIDDLE and a multiple of it, all of MIDDLE
// are in the row unless RAGGED. All loads are unconditional, so that they are in flight together.
ALWAYS_INLINE void load_columns(
        float *x, __global const SRC_T *row, int col, int width, bool repeats)
{
    for (int i = 0; i < LEFT; ++i) x[i] = load_column(row, col - LEFT + i, width, repeats);
#if RAGGED
    for (int i = 0; i < MIDDLE; ++i) x[LEFT + i] = load_column(row, col + i, width, repeats);
#else
    const middle_t y = LOAD_MIDDLE(AS_ALIGNED(SRC_T, MIDDLE, row + col), 0);
    UNPACK_MIDDLE(y, x + LEFT);
#endif
    for (int i = 0; i < RIGHT; ++i)
        x[LEFT + MIDDLE + i] = load_column(row, col + MIDDLE + i, width, repeats);
}

#endif

#endif
