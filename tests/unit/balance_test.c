// SPDX-License-Identifier: Apache-2.0
// How work is split: the worked example, and what must hold for every number of work-items and
// threads.
#include "common/parallel.h"
#include "support/unit_test.h"

/// 153 work-items over 16 threads: nine ranges of 10, then seven of 9.
static void worked_example(void **state)
{
    (void)state;
    prim_dim_t expected = 0;
    for (int i = 0; i < 16; ++i) {
        prim_dim_t start = -1, end = -1;
        prim__balance211(153, 16, i, &start, &end);
        assert_int_equal(start, expected);
        assert_int_equal(end - start, i < 9 ? 10 : 9);
        expected = end;
    }
    assert_int_equal(expected, 153);
}

static void check_split(prim_dim_t n, int nthr)
{
    prim_dim_t next = 0, previous_share = INT64_MAX;
    for (int i = 0; i < nthr; ++i) {
        prim_dim_t start = -1, end = -1;
        prim__balance211(n, nthr, i, &start, &end);
        const prim_dim_t share = end - start;
        assert_int_equal(start, next);                           // no gap, no overlap
        assert_true(share == n / nthr || share == n / nthr + 1); // even
        assert_true(share <= previous_share);                    // the larger ones first
        previous_share = share;
        next = end;
    }
    assert_int_equal(next, n);
}

static void every_split_is_even(void **state)
{
    (void)state;
    static const prim_dim_t large[] = {1000003, INT32_MAX, (prim_dim_t)1 << 40, INT64_MAX};
    for (int nthr = 1; nthr <= 70; ++nthr) {
        for (prim_dim_t n = 0; n <= 300; ++n) check_split(n, nthr);
        for (size_t i = 0; i < COUNT_OF(large); ++i) check_split(large[i], nthr);
    }
}

/// Every cell of the ny × nx grid goes to exactly one thread, in rectangles whose sides differ by
/// at most one work-item within a row of the grid and among the columns.
static void check_grid(int nthr, int ny, int nx, int nthr_x)
{
    enum { MAX_SIDE = 20 };
    unsigned char owners[MAX_SIDE][MAX_SIDE] = {{0}};
    assert_true(ny <= MAX_SIDE && nx <= MAX_SIDE);
    const int ncolumns = nthr_x < nthr ? nthr_x : nthr;
    for (int i = 0; i < nthr; ++i) {
        prim_dim_t y0 = -1, y1 = -1, x0 = -1, x1 = -1;
        prim__balance2d(nthr, i, ny, &y0, &y1, nx, &x0, &x1, nthr_x);
        assert_true(0 <= y0 && y0 <= y1 && y1 <= ny && 0 <= x0 && x0 <= x1 && x1 <= nx);
        assert_true(x1 - x0 == nx / ncolumns || x1 - x0 == nx / ncolumns + 1);
        const int fewest = nthr / ncolumns; // threads of a column: this many or one more
        assert_true(y1 - y0 >= ny / (fewest + 1) && y1 - y0 <= (ny + fewest - 1) / fewest);
        for (prim_dim_t y = y0; y < y1; ++y) {
            for (prim_dim_t x = x0; x < x1; ++x) owners[y][x]++;
        }
    }
    for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) assert_int_equal(owners[y][x], 1);
    }
}

static void every_grid_is_covered_once(void **state)
{
    (void)state;
    static const int sides[] = {0, 1, 2, 3, 7, 16, 20};
    for (int nthr = 1; nthr <= 17; ++nthr) {
        for (int nthr_x = 1; nthr_x <= 19; ++nthr_x) {
            for (size_t y = 0; y < COUNT_OF(sides); ++y) {
                for (size_t x = 0; x < COUNT_OF(sides); ++x)
                    check_grid(nthr, sides[y], sides[x], nthr_x);
            }
        }
    }
}

typedef struct {
    int ithr;
    prim_dim_t y0, y1, x0, x1;
} cell_t;

/// Seven threads in three columns: 3 + 2 + 2 threads; 10 columns of work-items are 4 + 3 + 3, 12
/// rows are thirds in the first column and halves in the others.
static void grid_by_hand(void **state)
{
    (void)state;
    static const cell_t cells[] = {{0, 0, 4, 0, 4}, {1, 4, 8, 0, 4}, {2, 8, 12, 0, 4},
            {3, 0, 6, 4, 7}, {4, 6, 12, 4, 7}, {5, 0, 6, 7, 10}, {6, 6, 12, 7, 10}};
    for (size_t i = 0; i < COUNT_OF(cells); ++i) {
        cell_t got = {.ithr = cells[i].ithr};
        prim__balance2d(7, got.ithr, 12, &got.y0, &got.y1, 10, &got.x0, &got.x1, 3);
        assert_int_equal(got.y0, cells[i].y0);
        assert_int_equal(got.y1, cells[i].y1);
        assert_int_equal(got.x0, cells[i].x0);
        assert_int_equal(got.x1, cells[i].x1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(worked_example),
            cmocka_unit_test(every_split_is_even),
            cmocka_unit_test(every_grid_is_covered_once),
            cmocka_unit_test(grid_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
