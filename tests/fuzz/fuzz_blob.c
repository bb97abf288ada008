// SPDX-License-Identifier: Apache-2.0
// Calls with bytes that an application keeps: blobs of primitives and texts of tuning results, as
// they are, cut and with changed bytes.
#include <stdlib.h>
#include <string.h>

#include "fuzz_world.h"

/// As much of `from` as is asked for, in memory that ends there.
static void *cut(const void *from, size_t bytes)
{
    void *const copy = malloc(bytes > 0 ? bytes : 1);
    if (!copy) exit(2);
    memcpy(copy, from, bytes);
    return copy;
}

/// Cuts the blob, or flips one to three bits of it.
static void *damage(const fuzz_side_t *side, size_t *bytes, fuzz_input_t *in)
{
    const bool is_short = fuzz_seldom(in, 3);
    *bytes = side->blob_bytes;
    if (is_short) *bytes = (size_t)fuzz_below(in, 65536) * side->blob_bytes / 65536;
    unsigned char *const blob = cut(side->blob, *bytes);
    for (int n = 1 + fuzz_below(in, 3); n > 0 && *bytes > 0 && !is_short; --n) {
        // The start has the key and the sizes.
        const size_t place = fuzz_seldom(in, 2) ? (size_t)fuzz_below(in, 256)
                                                : (size_t)fuzz_below(in, 65536) * *bytes / 65536;
        blob[place < *bytes ? place : 0] ^= (unsigned char)(1 << (n + fuzz_below(in, 5)));
    }
    return blob;
}

static void create_from(const fuzz_side_t *side, const void *blob, size_t bytes, bool is_good)
{
    static char untouched;
    prim_t *primitive = (prim_t *)&untouched;
    const prim_desc_t *pd = NULL;
    const prim_status_t status = prim_create_from_cache_blob(&primitive, side->pd, bytes, blob);
    fuzz_expect(__func__, status, is_good ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    FUZZ_PROMISE(
            is_good || primitive == (prim_t *)&untouched, "failures leave outputs as they are");
    if (!is_good) return;
    fuzz_expect(__func__, prim_get_desc(primitive, &pd), PRIM_SUCCESS);
    const prim_memory_desc_t md = fuzz_tensor_md();
    FUZZ_PROMISE(prim_memory_desc_equal(&md, prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0)),
            "a primitive tells its descriptor");
    prim_destroy(primitive);
}

/// The size first; too little room changes nothing.
static void get(const fuzz_side_t *side, fuzz_input_t *in)
{
    size_t bytes = 0, room = (size_t)fuzz_below(in, 65536) * side->blob_bytes / 65536;
    const size_t less = room;
    fuzz_expect(__func__, prim_get_cache_blob(side->step, &bytes, NULL), PRIM_SUCCESS);
    FUZZ_PROMISE(bytes == side->blob_bytes, "a primitive's blob has one size");
    void *const blob = malloc(bytes);
    if (!blob) exit(2);
    fuzz_expect(__func__, prim_get_cache_blob(side->step, &room, blob), PRIM_INVALID_ARGUMENTS);
    FUZZ_PROMISE(room == less, "failures leave outputs as they are");
    fuzz_expect(__func__, prim_get_cache_blob(side->step, &bytes, blob), PRIM_SUCCESS);
    FUZZ_PROMISE(memcmp(blob, side->blob, bytes) == 0, "a primitive's blob is the same again");
    free(blob);
}

static void make_without(const fuzz_side_t *side, fuzz_input_t *in)
{
    prim_t *primitive = NULL;
    prim_desc_t *const pds[] = {side->pd, fuzz_seldom(in, 4) ? NULL : side->pd};
    const int n = fuzz_below(in, 4) - 1;
    const bool is_right = n >= 0 && n < 3 && (n < 2 || pds[1]);
    if (n < 3)
        fuzz_expect(__func__, prim_prepare(side->engine, n, pds),
                is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_create(&primitive, side->pd), PRIM_SUCCESS);
    prim_destroy(primitive);
}

void fuzz_call_blob(fuzz_input_t *in)
{
    const fuzz_side_t *const side = fuzz_side(in);
    const int kind = fuzz_below(in, 4);
    size_t bytes = 0;
    if (kind == 0) {
        make_without(side, in);
    } else if (side->kind == PRIM_CPU) {
        prim_t *primitive = NULL;
        fuzz_expect(__func__, prim_get_cache_blob(side->step, &bytes, NULL), PRIM_UNIMPLEMENTED);
        fuzz_expect(__func__, prim_create_from_cache_blob(&primitive, side->pd, 8, "no blob"),
                PRIM_UNIMPLEMENTED);
    } else if (kind == 1) {
        get(side, in);
    } else if (kind == 2) {
        create_from(side, side->blob, side->blob_bytes, true);
    } else {
        void *const blob = damage(side, &bytes, in);
        const bool is_same = bytes == side->blob_bytes && memcmp(blob, side->blob, bytes) == 0;
        create_from(side, blob, bytes, is_same);
        free(blob);
    }
}

/// The results as they are, for free().
static char *export_text(const fuzz_side_t *side, size_t *bytes)
{
    fuzz_expect(__func__, prim_tune_export(side->engine, bytes, NULL), PRIM_SUCCESS);
    char *const text = malloc(*bytes);
    if (!text) exit(2);
    size_t less = *bytes - 1;
    fuzz_expect(__func__, prim_tune_export(side->engine, &less, text), PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_tune_export(side->engine, bytes, text), PRIM_SUCCESS);
    FUZZ_PROMISE(strlen(text) + 1 == *bytes, "the text has the size that was told");
    return text;
}

/// What the engine wrote, and lines as its results are, some bytes changed.
static void import_changed(const fuzz_side_t *side, const char *text, fuzz_input_t *in)
{
    static const char lines[] =
            "ocl:matmul:tiled | a b=2 c | bm=64 bn=64 | 0.5 ms | model 0.7 ms | quick 1.5 s\n"
            "ocl:matmul:tiled | a b=3 c | bm=64 | 5 ms | model 9e99 ms | full 15 s\n"
            "ocl:matmul | limit launch_cycles | 12000 cycles\n";
    const size_t head = strlen(text), bytes = head + sizeof lines;
    char *const changed = malloc(bytes);
    if (!changed) exit(2);
    memcpy(changed, text, head);
    memcpy(changed + head, lines, sizeof lines);
    for (int n = fuzz_below(in, 6); n > 0; --n) {
        const size_t place = (size_t)fuzz_below(in, 65536) * (bytes - 1) / 65536;
        const int any = 1 + fuzz_below(in, 255);
        changed[place] = fuzz_seldom(in, 2) ? " |=.\n0-e"[any % 8] : (char)any;
    }
    fuzz_check_status(prim_tune_import(side->engine, changed));
    free(changed);
}

void fuzz_call_tune(fuzz_input_t *in)
{
    const fuzz_side_t *const side = fuzz_side(in);
    size_t bytes = 0, again = 0;
    if (side->kind == PRIM_CPU) {
        fuzz_expect(__func__, prim_tune_export(side->engine, &bytes, NULL), PRIM_UNIMPLEMENTED);
        fuzz_expect(__func__, prim_tune_import(side->engine, ""), PRIM_UNIMPLEMENTED);
        fuzz_expect(__func__, prim_tune_clear(side->engine), PRIM_UNIMPLEMENTED);
        return;
    }
    char *const text = export_text(side, &bytes);
    import_changed(side, text, in);
    if (fuzz_seldom(in, 3)) fuzz_expect(__func__, prim_tune_clear(side->engine), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_tune_import(side->engine, text), PRIM_SUCCESS);
    char *const more = export_text(side, &again);
    FUZZ_PROMISE(again >= bytes, "results that were imported are exported");
    free(more);
    free(text);
    if (again > 4000) fuzz_expect(__func__, prim_tune_clear(side->engine), PRIM_SUCCESS);
}
