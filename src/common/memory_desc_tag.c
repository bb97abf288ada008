// SPDX-License-Identifier: Apache-2.0
// The parser of layout names, the dense layout a name stands for, and the name of a given layout.
#include "memory_desc_tag.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "data_type.h"
#include "memory_desc.h"

/// The logical order of each set of the field's letters; a tag with exactly these letters is
/// spelt in them: "nhwc" has the letters of "nchw", so n is dimension 0 and c dimension 1.
static const char *const letter_sets[] = {"x", "nc", "ncw", "nchw", "ncdhw", "oi", "oiw", "oihw",
        "oidhw", "goiw", "goihw", "goidhw", "tn", "tnc", "ldnc", "ldio", "ldgo", "ldigo"};

static const char alphabet[] = "abcdefghijkl";

static bool has_letters(const char *set, const char *letters)
{
    if (strlen(set) != strlen(letters)) return false;
    for (const char *c = set; *c; ++c) {
        if (!strchr(letters, *c)) return false;
    }
    return true;
}

/// Where the letters of a tag stand in the logical order; NULL when they are no known set.
static const char *find_letter_set(const char *letters)
{
    if (strchr(letters, 'a')) return alphabet;
    for (size_t i = 0; i < sizeof letter_sets / sizeof letter_sets[0]; ++i) {
        if (has_letters(letter_sets[i], letters)) return letter_sets[i];
    }
    return NULL;
}

/// Reads the leading letters in lower case, each at most once. Returns their number, 0 on bad text.
static int read_letters(char *letters, const char *text)
{
    int n = 0;
    letters[0] = '\0';
    for (; isalpha((unsigned char)text[n]); ++n) {
        const char letter = (char)tolower((unsigned char)text[n]);
        if (n == PRIM_MAX_NDIMS || strchr(letters, letter)) return 0;
        letters[n] = letter;
        letters[n + 1] = '\0';
    }
    return n;
}

/// Reads one <size><letter> pair at *text and moves on.
static bool read_block(layout_t *layout, const char **text, const char *letter_set)
{
    prim_dim_t size = 0;
    for (; isdigit((unsigned char)**text); (*text)++) {
        size = size * 10 + (**text - '0');
        if (size > LAYOUT_MAX_BLOCK) return false;
    }
    const char *const letter = **text ? strchr(letter_set, **text) : NULL;
    if (size < 2 || !letter || letter - letter_set >= layout->ndims) return false;
    if (layout->nblks == PRIM_MAX_NDIMS) return false;
    layout->blks[layout->nblks] = size;
    layout->idxs[layout->nblks++] = (int)(letter - letter_set);
    (*text)++;
    return true;
}

bool prim__layout_parse(layout_t *layout, const char *text)
{
    *layout = (layout_t){0};
    char letters[PRIM_MAX_NDIMS + 1];
    const int ndims = read_letters(letters, text);
    const char *const letter_set = ndims > 0 ? find_letter_set(letters) : NULL;
    if (!letter_set) return false;

    layout->ndims = ndims;
    bool is_upper[PRIM_MAX_NDIMS] = {false}, is_cut[PRIM_MAX_NDIMS] = {false};
    for (int i = 0; i < ndims; ++i) {
        const char *const letter = strchr(letter_set, letters[i]);
        if (!letter || letter - letter_set >= ndims) return false;
        layout->order[i] = (int)(letter - letter_set);
        is_upper[layout->order[i]] = isupper((unsigned char)text[i]) != 0;
    }
    for (const char *c = text + ndims; *c;) {
        if (!read_block(layout, &c, letter_set)) return false;
    }
    for (int i = 0; i < layout->nblks; ++i) is_cut[layout->idxs[i]] = true;
    return memcmp(is_upper, is_cut, sizeof is_cut) == 0;
}

/// Rounds dims up to whole blocks.
static bool pad(prim_memory_desc_t *md, const prim_dim_t *blocks)
{
    for (int d = 0; d < md->ndims; ++d) {
        md->padded_dims[d] = md->dims[d];
        if (md->dims[d] == PRIM_RUNTIME_DIM_VAL || blocks[d] == 1) continue;
        prim_dim_t rounded;
        if (!prim__dim_add(&rounded, md->dims[d], blocks[d] - 1)) return false;
        md->padded_dims[d] = rounded / blocks[d] * blocks[d];
    }
    return true;
}

/// Gives the outer dimensions dense strides, innermost first; `stride` starts at the inner blocks'
/// number of elements.
static bool lay_outer(
        prim_memory_desc_t *md, const layout_t *layout, const prim_dim_t *blocks, prim_dim_t stride)
{
    for (int i = layout->ndims - 1; i >= 0; --i) {
        const int d = layout->order[i];
        md->strides[d] = stride;
        if (stride == PRIM_RUNTIME_DIM_VAL) continue;
        const prim_dim_t padded = md->padded_dims[d];
        const prim_dim_t extent = padded / blocks[d];
        if (padded == PRIM_RUNTIME_DIM_VAL)
            stride = PRIM_RUNTIME_DIM_VAL;
        else if (!prim__dim_mul(&stride, stride, extent > 0 ? extent : 1))
            return false;
    }
    return true;
}

prim_status_t prim__layout_apply(const layout_t *layout, prim_memory_desc_t *md)
{
    CHECK(layout->ndims == md->ndims, "a layout of %d dimensions for a tensor of %d", layout->ndims,
            md->ndims);
    prim_memory_desc_t result = *md;
    result.format_kind = PRIM_FORMAT_KIND_BLOCKED;
    result.inner_nblks = layout->nblks;
    memset(result.padded_offsets, 0, sizeof result.padded_offsets);
    memset(result.strides, 0, sizeof result.strides);
    prim_dim_t inner = 1;
    bool fits = true;
    for (int i = 0; i < PRIM_MAX_NDIMS; ++i) {
        result.inner_blks[i] = i < layout->nblks ? layout->blks[i] : 0;
        result.inner_idxs[i] = i < layout->nblks ? layout->idxs[i] : 0;
        if (i < layout->nblks) fits = fits && prim__dim_mul(&inner, inner, layout->blks[i]);
    }
    CHECK(layout->nblks == 0 || !prim__md_has_runtime(md),
            "run-time dimensions need a layout without blocks");
    CHECK(fits, "the blocks hold more than 2^63 elements");

    prim_dims_t blocks;
    prim__md_total_blocks(blocks, &result);
    CHECK(pad(&result, blocks) && lay_outer(&result, layout, blocks, inner) &&
                    prim__md_fits(&result),
            "the tensor reaches beyond 2^56 bytes");
    *md = result;
    return PRIM_SUCCESS;
}

/// Whether outer dimension a lies further out than b: by stride; an extent of 1 has no place of its
/// own and comes after one that shares its stride.
static bool is_outer(const prim_memory_desc_t *md, const prim_dim_t *blocks, int a, int b)
{
    const prim_dim_t sa = md->strides[a], sb = md->strides[b];
    if (sa != sb) return sa == PRIM_RUNTIME_DIM_VAL || (sb != PRIM_RUNTIME_DIM_VAL && sa > sb);
    const bool is_unit_a = md->padded_dims[a] == blocks[a];
    const bool is_unit_b = md->padded_dims[b] == blocks[b];
    return is_unit_a != is_unit_b ? is_unit_b : a < b;
}

/// Whether all of the outer dimension is one place in memory.
static bool is_repeated(const prim_memory_desc_t *md, const prim_dim_t *blocks, int d)
{
    return md->strides[d] == 0 && md->padded_dims[d] > blocks[d];
}

/// Moves dimension d into the order before `place`; n others are in it.
static void insert(layout_t *layout, int n, int place, int d)
{
    for (int i = n; i > place; --i) layout->order[i] = layout->order[i - 1];
    layout->order[place] = d;
}

/// No stride says where a broadcast dimension would lie: inside the one before it, as in row-major
/// order, and the first one outermost.
static void insert_repeated(layout_t *layout, int n, int d)
{
    int place = 0;
    while (d > 0 && layout->order[place] != d - 1) ++place;
    insert(layout, n, d > 0 ? place + 1 : 0, d);
}

void prim__layout_of(layout_t *layout, const prim_memory_desc_t *md)
{
    *layout = (layout_t){.ndims = md->ndims, .nblks = md->inner_nblks};
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    int n = 0;
    for (int d = 0; d < md->ndims; ++d) {
        if (is_repeated(md, blocks, d)) continue;
        int place = n;
        while (place > 0 && is_outer(md, blocks, d, layout->order[place - 1])) --place;
        insert(layout, n++, place, d);
    }
    for (int d = 0; d < md->ndims; ++d)
        if (is_repeated(md, blocks, d)) insert_repeated(layout, n++, d);
    for (int i = 0; i < md->inner_nblks; ++i) {
        layout->blks[i] = md->inner_blks[i];
        layout->idxs[i] = (int)md->inner_idxs[i];
    }
}

bool prim__layout_matches(const layout_t *layout, const prim_memory_desc_t *md)
{
    if (layout->ndims != md->ndims || md->format_kind != PRIM_FORMAT_KIND_BLOCKED) return false;
    if (layout->nblks != md->inner_nblks) return false;
    for (int i = 0; i < layout->nblks; ++i) {
        if (layout->blks[i] != md->inner_blks[i] || layout->idxs[i] != md->inner_idxs[i])
            return false;
    }
    prim_memory_desc_t dense = *md;
    dense.offset0 = 0;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, &dense);
    if (!pad(&dense, blocks)) return false;
    prim_dim_t inner = 1;
    for (int i = 0; i < layout->nblks; ++i) inner *= layout->blks[i];
    if (!lay_outer(&dense, layout, blocks, inner)) return false;
    memset(dense.padded_offsets, 0, sizeof dense.padded_offsets);
    dense.offset0 = md->offset0;
    return prim__md_same_layout(&dense, md);
}

void prim__layout_text(const layout_t *layout, char *text)
{
    bool is_cut[PRIM_MAX_NDIMS] = {false};
    for (int i = 0; i < layout->nblks; ++i) is_cut[layout->idxs[i]] = true;
    enum { TEXT_BYTES = 64 };
    int n = 0;
    for (int i = 0; i < layout->ndims; ++i) {
        const int d = layout->order[i];
        text[n++] = (char)(is_cut[d] ? 'A' + d : 'a' + d);
    }
    text[n] = '\0';
    for (int i = 0; i < layout->nblks && n < TEXT_BYTES; ++i) {
        n += snprintf(text + n, TEXT_BYTES - (size_t)n, "%lld%c", (long long)layout->blks[i],
                'a' + layout->idxs[i]);
    }
    if (n >= TEXT_BYTES) text[0] = '\0';
}

bool prim__md_is_row_major(const prim_memory_desc_t *md)
{
    layout_t layout = {.ndims = md->ndims};
    for (int d = 0; d < md->ndims; ++d) layout.order[d] = d;
    return prim__md_is_blocked(md) && prim__layout_matches(&layout, md);
}

bool prim__md_matches_tag(const prim_memory_desc_t *md, const char *tag)
{
    layout_t layout;
    return prim__layout_parse(&layout, tag) && prim__layout_matches(&layout, md);
}

prim_status_t prim__md_set_tag_if_any(prim_memory_desc_t *md, const char *tag)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    layout_t layout;
    CHECK(prim__layout_parse(&layout, tag), "\"%.64s\" is not a layout", tag);
    return prim__layout_apply(&layout, md);
}

prim_status_t prim__md_set_row_major_if_any(prim_memory_desc_t *md)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    layout_t layout = {.ndims = md->ndims};
    for (int d = 0; d < md->ndims; ++d) layout.order[d] = d;
    return prim__layout_apply(&layout, md);
}

void prim__md_tag_text(const prim_memory_desc_t *md, char *text)
{
    text[0] = '\0';
    if (prim__md_is_any(md)) {
        memcpy(text, "any", sizeof "any");
    } else if (prim__md_is_image(md)) {
        memcpy(text, "image", sizeof "image");
    } else if (prim__md_is_blocked(md)) {
        layout_t layout;
        prim__layout_of(&layout, md);
        if (prim__layout_matches(&layout, md)) prim__layout_text(&layout, text);
    }
}
