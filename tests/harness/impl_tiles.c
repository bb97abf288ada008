// SPDX-License-Identifier: Apache-2.0
// The sizes of tiles that implementations choose among: what they offer to the tuner for problems
// large enough for every tile.
#include "impl_pool.h"

#ifdef PRIM_TEST_OCL
#include <string.h>

#include "common/dispatch.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "prim/prim.h"

/// Whether a parameter is a length that some dimension is cut into.
static bool is_length(const char *name, size_t length)
{
    static const char *const names[] = {
            "bm", "bn", "bk", "tm", "tn", "rows", "items", "elems", "vec", "pixels", "boxes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return true;
    return false;
}

static void add(tiles_t *tiles, int size)
{
    enum { LARGEST = 512 }; // beyond, sizes around it cost more than they tell
    for (int i = 0; i < tiles->n; ++i)
        if (tiles->sizes[i] == size) return;
    if (size > 1 && size <= LARGEST && tiles->n < MAX_TILES) tiles->sizes[tiles->n++] = size;
}

static void add_offers(tiles_t *tiles, prim_desc_t *pd)
{
    static ocl_tune_list_t list;
    list = (ocl_tune_list_t){.n = 0};
    const ocl_tune_trial_t trial = {.list = &list};
    pd->trial = &trial;
    const prim_status_t st = prim__desc_redo(pd);
    pd->trial = NULL;
    if (st != PRIM_SUCCESS || !list.names) return;
    const char *name = list.names;
    for (int p = 0; p < OCL_TUNE_PARAMS && *name; ++p) {
        const size_t length = strcspn(name, " ");
        for (int i = 0; is_length(name, length) && i < list.n; ++i)
            add(tiles, list.candidates[i].params.values[p]);
        name += length + (name[length] == ' ');
    }
}

static void add_all_offers(pool_t *pool, prim_desc_t *pd)
{
    do {
        prim_desc_t *const inner = pd->nnested > 0 ? pd->nested[0] : pd;
        for (int k = 0; k < pool->nimpls; ++k) {
            const pool_impl_t *const entry = &pool->impls[k];
            if (entry->impl == pd->impl && (!entry->nested || entry->nested == inner->impl))
                add_offers(&pool->tiles[k], inner);
        }
    } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
}

void pool_find_tiles(pool_t *pool)
{
    prim_engine_t *engine = NULL;
    if (!pool->generator->probe) return;
    if (prim_engine_create(&engine, PRIM_GPU, 0) != PRIM_SUCCESS) return;
    for (int i = 0; i < NPROBES; ++i) {
        prim_desc_t *const pd = pool->generator->probe(engine, i);
        if (pd) add_all_offers(pool, pd);
        prim_desc_destroy(pd);
    }
    prim_engine_destroy(engine);
}
#else
void pool_find_tiles(pool_t *pool)
{
    (void)pool;
}
#endif
