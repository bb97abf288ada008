// SPDX-License-Identifier: Apache-2.0
// Places of storages in one buffer: none overlaps another that is alive, and the lifetimes of
// ResNet-50 with the scratchpads of Winograd's convolutions leave no gaps at any batch.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph_place.h"

enum { MAX_STORAGES = 256 };

typedef struct {
    graph_storage_t storages[MAX_STORAGES];
    int n, step;
} lives_t;

static int begin(lives_t *lives, double bytes)
{
    assert_true(lives->n < MAX_STORAGES);
    lives->storages[lives->n] = (graph_storage_t){.kind = STORAGE_PLANNED,
            .bytes = (size_t)bytes,
            .first = lives->step,
            .last = lives->step};
    return lives->n++;
}

static void use(lives_t *lives, int storage)
{
    lives->storages[storage].last = lives->step;
}

static double activations(int batch, int channels, int size)
{
    return 4. * batch * channels * size * size;
}

/// What ocl:conv:winograd books for a pass: transformed sources, sums and weights.
static double scratchpad(int batch, int channels, int size, int tile)
{
    const double points = (tile + 2) * (tile + 2), row = (size + tile - 1) / tile;
    const double image = 4 * points * row * row * 2 * channels, limit = 512 << 20;
    int nimages = batch;
    while (nimages > 1 && (batch % nimages != 0 || nimages * image > limit)) --nimages;
    return nimages * image + 4 * points * channels * channels;
}

/// A block of ResNet-50 after `x`; `tile`: of Winograd's convolution, 0: there is none.
static int add_block(lives_t *lives, int x, int batch, int channels, int in_channels, int in_size,
        int size, int tile)
{
    int shortcut = x;
    if (in_channels != 4 * channels || in_size != size) {
        lives->step++;
        shortcut = begin(lives, activations(batch, 4 * channels, size));
        use(lives, x);
    }
    lives->step++;
    const int first = begin(lives, activations(batch, channels, in_size));
    use(lives, x);
    lives->step++;
    const int second = begin(lives, activations(batch, channels, size));
    use(lives, first);
    if (tile && in_size == size) (void)begin(lives, scratchpad(batch, channels, size, tile));
    lives->step++;
    const int sum = begin(lives, activations(batch, 4 * channels, size));
    use(lives, second);
    use(lives, shortcut);
    return sum;
}

/// `nstages`: so many stages have Winograd's convolutions.
static void resnet_50(lives_t *lives, int batch, int tile, int nstages)
{
    static const int nblocks[] = {3, 4, 6, 3};
    *lives = (lives_t){0};
    const int stem = begin(lives, activations(batch, 64, 112));
    lives->step++;
    int x = begin(lives, activations(batch, 64, 56)), in_channels = 64, in_size = 56;
    use(lives, stem);
    for (int s = 0; s < 4; ++s) {
        const int channels = 64 << s, size = 56 >> s;
        for (int b = 0; b < nblocks[s]; ++b) {
            x = add_block(
                    lives, x, batch, channels, in_channels, in_size, size, s < nstages ? tile : 0);
            in_channels = 4 * channels;
            in_size = size;
        }
    }
}

/// Places them, checks that nothing overlaps; returns what the buffer has beyond what is alive, in
/// %.
static double waste(lives_t *lives)
{
    graph_storage_t *order[MAX_STORAGES], *beside[MAX_STORAGES];
    for (int i = 0; i < lives->n; ++i) order[i] = &lives->storages[i];
    const size_t live = graph__find_peaks(order, lives->n, lives->step + 1);
    const size_t bytes = graph__place(order, lives->n, beside, live);
    for (int i = 0; i < lives->n; ++i) {
        const graph_storage_t *const a = &lives->storages[i];
        assert_true(a->offset_bytes + a->bytes <= bytes && a->offset_bytes % 512 == 0);
        for (int j = 0; j < i; ++j) {
            const graph_storage_t *const b = &lives->storages[j];
            if (a->first > b->last || b->first > a->last) continue;
            assert_true(a->offset_bytes + a->bytes <= b->offset_bytes ||
                        b->offset_bytes + b->bytes <= a->offset_bytes);
        }
    }
    return 100 * ((double)bytes / (double)live - 1);
}

static void scratchpads_leave_no_gaps(void **state)
{
    (void)state;
    static lives_t lives;
    for (int batch = 1; batch <= 256; ++batch) {
        for (int tile = 0; tile <= 4; tile += 2) {
            for (int nstages = 1; nstages <= (tile ? 4 : 1); ++nstages) {
                resnet_50(&lives, batch, tile, nstages);
                const double percent = waste(&lives);
                if (percent > 2)
                    fail_msg(
                            "batch %d, tile %d, %d stages: %.1f %%", batch, tile, nstages, percent);
            }
        }
    }
}

static void lives_at_random_do_not_overlap(void **state)
{
    (void)state;
    static lives_t lives;
    unsigned seed = 1;
    for (int round = 0; round < 200; ++round) {
        lives = (lives_t){0};
        const int n = 1 + round % 64;
        for (int i = 0; i < n; ++i) {
            seed = seed * 1103515245u + 12345u;
            lives.step = (int)(seed >> 16) % n;
            const int storage = begin(&lives, 1 + (seed >> 8) % 100000);
            lives.step += (int)(seed >> 20) % 8;
            use(&lives, storage);
        }
        lives.step = n + 8;
        assert_true(waste(&lives) < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(scratchpads_leave_no_gaps),
            cmocka_unit_test(lives_at_random_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
