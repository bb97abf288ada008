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

static prim_memory_desc_t tensor(
        int ndims, const prim_dim_t *dims, prim_data_type_t type, const char *tag)
{
    prim_memory_desc_t md;
    prim_memory_desc_init_by_string_tag(&md, ndims, dims, type, tag);
    return md;
}

/// A large problem of the operation, number `which` of a few; NULL when there is none such.
static prim_desc_t *probe(prim_engine_t *engine, prim_primitive_kind_t kind, int which)
{
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_S8};
    const prim_data_type_t type = types[which % 3], to = type == PRIM_S8 ? PRIM_F32 : type;
    const prim_dim_t rows = which < 3 ? 2048 : which < 6 ? 32 : 4;
    prim_memory_desc_t src, wei, dst;
    prim_desc_t *pd = NULL;
    if (kind == PRIM_MATMUL || kind == PRIM_INNER_PRODUCT) {
        const bool is_ip = kind == PRIM_INNER_PRODUCT;
        src = tensor(2, (const prim_dim_t[]){rows, 2048}, type, "ab");
        wei = tensor(2, (const prim_dim_t[]){2048, 2048}, type, is_ip || which >= 6 ? "any" : "ab");
        dst = tensor(2, (const prim_dim_t[]){rows, 2048}, to, "ab");
        if (is_ip)
            prim_inner_product_forward_desc_create(
                    &pd, engine, PRIM_FORWARD_INFERENCE, &src, &wei, NULL, &dst, NULL);
        else
            prim_matmul_desc_create(&pd, engine, &src, &wei, NULL, &dst, NULL);
    } else if (kind == PRIM_CONVOLUTION) {
        const char *const tag = which >= 3 ? "acdb" : "abcd";
        const prim_dim_t one[] = {1, 1}, side = which >= 6 ? 7 : 56;
        src = tensor(4, (const prim_dim_t[]){8, 256, side, side}, type, tag);
        wei = tensor(4, (const prim_dim_t[]){256, 256, 3, 3}, type, "any");
        dst = tensor(4, (const prim_dim_t[]){8, 256, side, side}, to, tag);
        prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                PRIM_CONVOLUTION_DIRECT, &src, &wei, NULL, &dst, one, NULL, one, one, NULL);
    } else if (kind == PRIM_SOFTMAX) {
        src = tensor(2, (const prim_dim_t[]){2048, which < 3 ? 300 : 5000}, to, "ab");
        prim_softmax_forward_desc_create(
                &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &src, &src, 1, NULL);
    } else if (kind == PRIM_ELTWISE) {
        src = tensor(2, (const prim_dim_t[]){2048, 2048}, to, "ab");
        prim_eltwise_forward_desc_create(
                &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &src, &src, 0.f, 0.f, NULL);
    }
    return pd;
}

void pool_find_tiles(pool_t *pool)
{
    enum { NPROBES = 9 };
    prim_engine_t *engine = NULL;
    if (prim_engine_create(&engine, PRIM_GPU, 0) != PRIM_SUCCESS) return;
    for (int i = 0; i < NPROBES; ++i) {
        prim_desc_t *const pd = probe(engine, pool->generator->kind, i);
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
