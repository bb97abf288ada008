// SPDX-License-Identifier: Apache-2.0
// Random memory descriptors.
#include "fuzz_md.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *where, const char *promise)
{
    fprintf(stderr, "%s: broken promise: %s (last error: %s)\n", where, promise, prim_last_error());
    abort();
}

void fuzz_check_status(prim_status_t status)
{
    FUZZ_PROMISE(status == PRIM_SUCCESS || status == PRIM_INVALID_ARGUMENTS ||
                         status == PRIM_UNIMPLEMENTED || status == PRIM_LAST_IMPL_REACHED ||
                         status == PRIM_OUT_OF_MEMORY,
            "descriptors never fail at run time");
    FUZZ_PROMISE(
            status == PRIM_SUCCESS || prim_last_error()[0] != '\0', "failures have a sentence");
}

enum { TEXT_BYTES = 24 };

/// A tag's text, right more often than not: a permutation, some of the letters cut into blocks.
static void draw_tag(char *text, fuzz_input_t *in, int ndims)
{
    static const int sizes[] = {8, 4, 16, 2, 32, 64, 3, 999999};
    char letters[PRIM_MAX_NDIMS];
    for (int d = 0; d < ndims; ++d) letters[d] = (char)('a' + d);
    for (int d = ndims - 1; d > 0 && fuzz_seldom(in, 2); --d) {
        const int other = fuzz_below(in, d + 1);
        const char kept = letters[d];
        letters[d] = letters[other];
        letters[other] = kept;
    }
    int n = 0, nblocks = fuzz_seldom(in, 3) ? 1 + fuzz_below(in, 3) : 0;
    int cut[3] = {0};
    for (int b = 0; b < nblocks; ++b) cut[b] = fuzz_below(in, ndims);
    for (int i = 0; i < ndims; ++i) {
        bool is_cut = false;
        for (int b = 0; b < nblocks; ++b) is_cut = is_cut || letters[i] == 'a' + cut[b];
        text[n++] = is_cut ? (char)(letters[i] - 'a' + 'A') : letters[i];
    }
    text[n] = '\0';
    for (int b = 0; b < nblocks && n < TEXT_BYTES - 8; ++b)
        n += snprintf(
                text + n, (size_t)(TEXT_BYTES - n), "%d%c", sizes[fuzz_below(in, 8)], 'a' + cut[b]);
}

/// Row-major with gaps: each stride may be larger than it must, or 0.
static void draw_strides(prim_dim_t *strides, fuzz_input_t *in, int ndims, const prim_dim_t *dims)
{
    uint64_t next = 1; // wraps where the numbers are absurd
    for (int d = ndims - 1; d >= 0; --d) {
        const int gap = fuzz_seldom(in, 3) ? fuzz_below(in, 9) : 0;
        const bool is_broadcast = gap == 8;
        next += (uint64_t)gap;
        strides[d] = fuzz_seldom(in, 24) ? fuzz_number(in) : is_broadcast ? 0 : (prim_dim_t)next;
        if (dims[d] > 0 && !is_broadcast) next *= (uint64_t)dims[d];
    }
}

/// Sets one field to something else.
static void break_field(prim_memory_desc_t *md, fuzz_input_t *in)
{
    const int d = fuzz_below(in, PRIM_MAX_NDIMS), kind = fuzz_below(in, 12);
    const int64_t value = fuzz_number(in);
    switch (kind) {
    case 0: md->ndims = (int)value; break;
    case 1: md->data_type = (prim_data_type_t)(value & 31); break;
    case 2: md->dims[d] = value; break;
    case 3: md->padded_dims[d] = value; break;
    case 4: md->padded_offsets[d] = value; break;
    case 5: md->offset0 = value; break;
    case 6: md->format_kind = (prim_format_kind_t)(value & 7); break;
    case 7: md->inner_nblks = (int)value; break;
    case 8: md->strides[d] = value; break;
    case 9: md->inner_blks[d] = value; break;
    case 10: md->inner_idxs[d] = value; break;
    default: md->dims[d] = md->padded_dims[d] = value; break;
    }
}

/// Kinds of layouts, in the order of draw_layout(). Those up to CHANNELS_LAST may be that of a
/// call.
enum { ROW_MAJOR, ANY, IMAGE, CHANNELS_LAST, GAPS, TAG = GAPS + 3, NLAYOUTS = 16 };

static prim_status_t draw_layout(prim_memory_desc_t *md, fuzz_input_t *in, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type)
{
    char text[TEXT_BYTES + 16] = "any";
    prim_dims_t strides;
    const int kind =
            in->layout > 0 && !fuzz_seldom(in, 20) ? in->layout - 1 : fuzz_below(in, NLAYOUTS);
    if (kind == ROW_MAJOR)
        return prim_memory_desc_init_by_strides(md, ndims, dims, data_type, NULL);
    if (kind == IMAGE) return prim_memory_desc_init_image2d(md, ndims, dims, data_type);
    if (kind >= GAPS && kind < TAG) {
        draw_strides(strides, in, ndims, dims);
        return prim_memory_desc_init_by_strides(md, ndims, dims, data_type, strides);
    }
    if (kind == CHANNELS_LAST) {
        for (int d = 0; d < ndims; ++d)
            text[d] = (char)('a' + (d == 0 ? 0 : d < ndims - 1 ? d + 1 : 1));
        text[ndims] = '\0';
    } else if (kind != ANY) {
        draw_tag(text, in, ndims);
    }
    return prim_memory_desc_init_by_string_tag(md, ndims, dims, data_type, text);
}

int fuzz_layout(fuzz_input_t *in)
{
    return fuzz_seldom(in, 2) ? 1 + fuzz_below(in, CHANNELS_LAST + 1) : 0;
}

void fuzz_md_of(prim_memory_desc_t *md, fuzz_input_t *in, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type)
{
    memset(md, 0, sizeof *md);
    if (ndims < 1 || ndims > PRIM_MAX_NDIMS) return;
    prim_status_t status = draw_layout(md, in, ndims, dims, data_type);
    fuzz_check_status(status);
    // Most layouts do not go with most shapes.
    if (status != PRIM_SUCCESS && !fuzz_seldom(in, 8))
        status = prim_memory_desc_init_by_strides(md, ndims, dims, data_type, NULL);
    if (status == PRIM_SUCCESS && fuzz_seldom(in, 12) && md->format_kind != PRIM_FORMAT_KIND_ANY)
        md->offset0 = fuzz_below(in, 100);
    const int nbreaks = fuzz_seldom(in, 16) ? 1 + fuzz_below(in, 3) : 0;
    for (int i = 0; i < nbreaks; ++i) break_field(md, in);
}

void fuzz_md(prim_memory_desc_t *md, fuzz_input_t *in)
{
    prim_dims_t dims;
    const int ndims = 1 + fuzz_below(in, fuzz_seldom(in, 4) ? PRIM_MAX_NDIMS : 5);
    for (int d = 0; d < ndims; ++d) dims[d] = fuzz_seldom(in, 30) ? fuzz_number(in) : fuzz_dim(in);
    fuzz_md_of(md, in, ndims, dims, fuzz_type(in));
    if (!fuzz_seldom(in, 40)) return;
    unsigned char *const bytes = (unsigned char *)md; // nothing but bytes
    for (size_t i = 0; i < sizeof *md; ++i) bytes[i] = fuzz_byte(in);
}

void fuzz_md_read(const prim_memory_desc_t *md)
{
    char tag[64] = "";
    unsigned char blob[1024];
    size_t width = 0, height = 0, room = sizeof blob;
    const prim_status_t status = prim_memory_desc_get_tag(md, tag, sizeof tag);
    const bool is_valid = status == PRIM_SUCCESS;
    fuzz_check_status(status);
    fuzz_check_status(prim_memory_desc_get_image2d(md, &width, &height));
    FUZZ_PROMISE(prim_memory_desc_equal(md, md) == is_valid, "what is valid equals itself");
    const size_t bytes = prim_memory_desc_get_size(md);
    FUZZ_PROMISE(is_valid || bytes == 0, "what is not a descriptor has no size");
    FUZZ_PROMISE(bytes <= (size_t)1 << 56 || bytes == PRIM_RUNTIME_SIZE_VAL, "2^56 bytes at most");
    FUZZ_PROMISE((prim_memory_desc_get_blob(md, &room, blob) == PRIM_SUCCESS) == is_valid,
            "what is valid has a blob");
    if (!is_valid) return;
    prim_memory_desc_t back;
    FUZZ_PROMISE(prim_memory_desc_init_by_blob(&back, room, blob) == PRIM_SUCCESS &&
                         prim_memory_desc_equal(md, &back),
            "blobs give the descriptor back");
    if (md->ndims == 0 || tag[0] == '\0' || md->offset0 != 0) return;
    FUZZ_PROMISE(prim_memory_desc_init_by_string_tag(
                         &back, md->ndims, md->dims, md->data_type, tag) == PRIM_SUCCESS,
            "the name of a layout makes one");
}

/// A text that may be a tag.
static prim_status_t call_tag(prim_memory_desc_t *md, fuzz_input_t *in, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type)
{
    static const char alphabet[] = "abcdABCDnchwoig0123456789lL";
    char text[40];
    const int length = fuzz_below(in, (int)sizeof text);
    for (int i = 0; i < length; ++i)
        text[i] = fuzz_seldom(in, 20) ? (char)fuzz_byte(in)
                                      : alphabet[fuzz_below(in, (int)sizeof alphabet - 1)];
    text[length] = '\0';
    return prim_memory_desc_init_by_string_tag(md, ndims, dims, data_type, text);
}

/// A blob with some bits flipped.
static prim_status_t call_blob(prim_memory_desc_t *md, fuzz_input_t *in)
{
    unsigned char blob[1024];
    size_t bytes = sizeof blob;
    prim_memory_desc_t of;
    fuzz_md(&of, in);
    if (prim_memory_desc_get_blob(&of, &bytes, blob) != PRIM_SUCCESS) return PRIM_SUCCESS;
    const int nflips = fuzz_below(in, 4);
    for (int i = 0; i < nflips; ++i) {
        const int bit = fuzz_below(in, (int)bytes * 8);
        blob[bit / 8] = (unsigned char)(blob[bit / 8] ^ 1u << bit % 8);
    }
    const size_t given = fuzz_seldom(in, 8) ? (size_t)fuzz_below(in, (int)sizeof blob) : bytes;
    return prim_memory_desc_init_by_blob(md, given, blob);
}

static prim_status_t call_view(prim_memory_desc_t *md, fuzz_input_t *in, int kind)
{
    prim_memory_desc_t of;
    prim_dims_t dims = {0}, offsets = {0};
    int order[PRIM_MAX_NDIMS];
    fuzz_md(&of, in);
    const int ndims = of.ndims > 0 && of.ndims <= PRIM_MAX_NDIMS ? of.ndims : 1;
    for (int d = 0; d < PRIM_MAX_NDIMS; ++d) {
        order[d] = fuzz_seldom(in, 30) ? (int)fuzz_number(in) : (d + kind) % ndims;
        dims[d] = d < ndims ? of.dims[d] : 1;
        if (fuzz_seldom(in, 4)) dims[d] = fuzz_dim(in);
        if (fuzz_seldom(in, 3)) offsets[d] = fuzz_seldom(in, 4) ? fuzz_number(in) : 1;
        if (offsets[d] == 1 && dims[d] > 0) --dims[d];
    }
    if (kind == 5) return prim_memory_desc_submemory(md, &of, dims, offsets);
    if (kind == 6) return prim_memory_desc_permute_axes(md, &of, order);
    return prim_memory_desc_reshape(md, &of, fuzz_below(in, PRIM_MAX_NDIMS + 2), dims);
}

void fuzz_md_call(fuzz_input_t *in)
{
    prim_memory_desc_t md, other;
    const int kind = fuzz_below(in, 9), ndims = fuzz_below(in, PRIM_MAX_NDIMS + 2);
    prim_dims_t dims;
    for (int d = 0; d < PRIM_MAX_NDIMS; ++d) dims[d] = fuzz_dim(in);
    const prim_data_type_t dt = fuzz_type(in);
    prim_status_t status = PRIM_SUCCESS;
    memset(&md, 0, sizeof md);
    switch (kind) {
    case 0: fuzz_md(&md, in); break;
    case 1:
        status = prim_memory_desc_init_by_tag(
                &md, ndims, dims, dt, (prim_format_tag_t)fuzz_below(in, 400));
        break;
    case 2: status = call_tag(&md, in, ndims, dims, dt); break;
    case 3: status = call_blob(&md, in); break;
    case 4: status = prim_memory_desc_init_image2d(&md, ndims, dims, dt); break;
    case 8:
        fuzz_md(&md, in);
        fuzz_md(&other, in);
        FUZZ_PROMISE(prim_memory_desc_equal(&md, &other) == prim_memory_desc_equal(&other, &md),
                "equality has no sides");
        break;
    default: status = call_view(&md, in, kind);
    }
    fuzz_check_status(status);
    fuzz_md_read(&md);
    char tag[64];
    if (status == PRIM_SUCCESS && kind != 0 && kind != 8)
        FUZZ_PROMISE(prim_memory_desc_get_tag(&md, tag, sizeof tag) == PRIM_SUCCESS,
                "what the library makes is valid");
}
