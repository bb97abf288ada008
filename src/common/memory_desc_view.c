// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: other views of the same memory, made by arithmetic on descriptors alone.
#include <string.h>

#include "memory_desc.h"
#include "prim/prim.h"

prim_status_t prim_memory_desc_submemory(prim_memory_desc_t *md, const prim_memory_desc_t *parent,
        const prim_dim_t *dims, const prim_dim_t *offsets)
{
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(dims);
    CHECK_NOT_NULL(offsets);
    TRY(prim__md_check(parent, "parent"));
    CHECK(!prim__md_is_zero(parent) && !prim__md_is_any(parent), "the parent has no layout yet");
    if (prim__md_has_runtime(parent)) {
        return prim__fail(PRIM_UNIMPLEMENTED, "windows of tensors with run-time dimensions");
    }
    if (prim__md_is_image(parent)) return prim__fail(PRIM_UNIMPLEMENTED, "windows of images");
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, parent);
    prim_memory_desc_t result = *parent;
    for (int d = 0; d < parent->ndims; ++d) {
        const prim_dim_t whole = parent->dims[d];
        CHECK(dims[d] >= 0 && offsets[d] >= 0 && offsets[d] <= whole &&
                        dims[d] <= whole - offsets[d],
                "dimension %d: the window %lld + %lld is not inside 0..%lld", d,
                (long long)offsets[d], (long long)dims[d], (long long)whole);
        const bool reaches_end = offsets[d] + dims[d] == whole;
        const prim_dim_t start = parent->padded_offsets[d] + offsets[d];
        if (start % blocks[d] != 0 || (!reaches_end && dims[d] % blocks[d] != 0)) {
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "dimension %d: the window %lld + %lld cuts through a block of %lld", d,
                    (long long)offsets[d], (long long)dims[d], (long long)blocks[d]);
        }
        result.dims[d] = dims[d];
        // A window of no elements has no padding either.
        const bool has_padding = reaches_end && dims[d] > 0;
        result.padded_dims[d] = has_padding ? parent->padded_dims[d] - start : dims[d];
        result.padded_offsets[d] = 0;
        result.offset0 += start / blocks[d] * parent->strides[d];
    }
    CHECK(prim__md_fits(&result), "the window begins beyond 2^56 bytes");
    prim__md_normalize(&result);
    *md = result;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_desc_permute_axes(
        prim_memory_desc_t *md, const prim_memory_desc_t *in, const int *permutation)
{
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(permutation);
    TRY(prim__md_check(in, "in"));
    CHECK(!prim__md_is_zero(in), "the tensor is absent");
    if (prim__md_is_image(in)) return prim__fail(PRIM_UNIMPLEMENTED, "transposed images");
    bool is_taken[PRIM_MAX_NDIMS] = {false};
    prim_memory_desc_t result = *in;
    for (int d = 0; d < in->ndims; ++d) {
        const int to = permutation[d];
        CHECK(to >= 0 && to < in->ndims && !is_taken[to],
                "entry %d (%d) is out of range or repeated: not a permutation", d, to);
        is_taken[to] = true;
        result.dims[to] = in->dims[d];
        result.padded_dims[to] = in->padded_dims[d];
        result.padded_offsets[to] = in->padded_offsets[d];
        result.strides[to] = in->strides[d];
    }
    if (!prim__md_is_any(in)) {
        for (int i = 0; i < in->inner_nblks; ++i)
            result.inner_idxs[i] = permutation[in->inner_idxs[i]];
    }
    prim__md_normalize(&result);
    *md = result;
    return PRIM_SUCCESS;
}

/// The state of a reshape: both shapes are walked from the left, in groups with equal products.
typedef struct {
    const prim_memory_desc_t *in;
    prim_memory_desc_t *out;
    prim_dims_t blocks;          ///< of in
    int to[PRIM_MAX_NDIMS];      ///< where a blocked dimension of in went
    bool is_new[PRIM_MAX_NDIMS]; ///< dimensions of 1 of out that stand for nothing in `in`
    int i, o;                    ///< next dimensions
} reshape_t;

/// A dimension that must keep its identity: it has padding.
static bool is_padded(const reshape_t *r, int i)
{
    return r->in->padded_dims[i] != r->in->dims[i];
}

/// Takes dimension i over as dimension o.
static void keep(reshape_t *r, int i, int o)
{
    r->out->padded_dims[o] = r->in->padded_dims[i];
    r->out->padded_offsets[o] = r->in->padded_offsets[i];
    r->out->strides[o] = r->in->strides[i];
    r->to[i] = o;
}

/// Matches the next runs of ones: padded ones keep a place, plain ones do where there is room, and
/// the rest of out's are new. False if a padded one has no place.
static bool match_ones(reshape_t *r)
{
    int nin = 0, npadded = 0, nout = 0;
    for (; r->i + nin < r->in->ndims && r->in->dims[r->i + nin] == 1; ++nin)
        npadded += is_padded(r, r->i + nin);
    while (r->o + nout < r->out->ndims && r->out->dims[r->o + nout] == 1) ++nout;
    if (npadded > nout) return false;

    for (; nin > 0; --nin, ++r->i) {
        const bool is_fixed = is_padded(r, r->i);
        if (!is_fixed && nout == npadded) continue; // dropped
        keep(r, r->i, r->o++);
        --nout;
        npadded -= is_fixed;
    }
    for (; nout > 0; --nout) r->is_new[r->o++] = true;
    return true;
}

/// Ends of the smallest groups from (i, o) with equal products; false if there are none.
static bool find_group(const reshape_t *r, int *i_end, int *o_end)
{
    int i = r->i, o = r->o;
    if (i >= r->in->ndims || o >= r->out->ndims) return false;
    prim_dim_t in_elems = r->in->dims[i++], out_elems = r->out->dims[o++];
    while (in_elems != out_elems) {
        // Neither product grows beyond the number of elements, which fits.
        if (in_elems < out_elems) {
            if (i == r->in->ndims) return false;
            in_elems *= r->in->dims[i++];
        } else {
            if (o == r->out->ndims) return false;
            out_elems *= r->out->dims[o++];
        }
    }
    *i_end = i;
    *o_end = o;
    return true;
}

/// Merges dimensions [r->i, i_end) of in, dense among themselves, and splits them into [r->o,
/// o_end). Only the innermost may be cut into blocks, and the innermost new one takes them over
/// whole.
static bool regroup(reshape_t *r, int i_end, int o_end)
{
    const prim_memory_desc_t *const in = r->in;
    const int last = i_end - 1; // not 1, nor is out's: the products were not equal before them
    const prim_dim_t block = r->blocks[last];
    if (is_padded(r, last)) return false;

    prim_dim_t expected = in->dims[last] / block * in->strides[last];
    for (int i = last - 1; i >= r->i; --i) {
        if (in->dims[i] == 1 && !is_padded(r, i)) continue;
        if (is_padded(r, i) || r->blocks[i] != 1 || in->strides[i] != expected) return false;
        expected *= in->dims[i];
    }
    if (r->out->dims[o_end - 1] % block != 0) return false;
    prim_dim_t stride = in->strides[last];
    for (int o = o_end - 1; o >= r->o; --o) {
        r->out->strides[o] = stride;
        stride *= o == o_end - 1 ? r->out->dims[o] / block : r->out->dims[o];
    }
    r->to[last] = o_end - 1;
    return true;
}

static bool match_all(reshape_t *r)
{
    while (r->i < r->in->ndims || r->o < r->out->ndims) {
        if (!match_ones(r)) return false;
        if (r->i == r->in->ndims && r->o == r->out->ndims) break;
        int i_end, o_end;
        if (!find_group(r, &i_end, &o_end)) return false;
        if (i_end - r->i == 1 && o_end - r->o == 1)
            keep(r, r->i, r->o);
        else if (!regroup(r, i_end, o_end))
            return false;
        r->i = i_end;
        r->o = o_end;
    }
    return true;
}

/// Gives new dimensions of 1 the stride that row-major order would: no element is addressed by it,
/// but the layout keeps its name.
static void stride_new_ones(reshape_t *r)
{
    prim_memory_desc_t *const out = r->out;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, out);
    prim_dim_t inner = 1;
    for (int i = 0; i < out->inner_nblks; ++i) inner *= out->inner_blks[i];
    for (int o = out->ndims - 1; o >= 0; --o) {
        if (!r->is_new[o]) continue;
        const int next = o + 1;
        out->strides[o] = next == out->ndims
                                  ? inner
                                  : out->strides[next] * (out->padded_dims[next] / blocks[next]);
    }
}

static prim_status_t reshape_blocked(prim_memory_desc_t *out, const prim_memory_desc_t *in)
{
    reshape_t r = {.in = in, .out = out};
    prim__md_total_blocks(r.blocks, in);
    out->format_kind = PRIM_FORMAT_KIND_BLOCKED;
    CHECK(match_all(&r), "the reshape would move elements in memory");
    for (int i = 0; i < in->inner_nblks; ++i) {
        out->inner_blks[i] = in->inner_blks[i];
        out->inner_idxs[i] = r.to[in->inner_idxs[i]];
    }
    out->inner_nblks = in->inner_nblks;
    stride_new_ones(&r);
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_desc_reshape(
        prim_memory_desc_t *md, const prim_memory_desc_t *in, int ndims, const prim_dim_t *dims)
{
    CHECK_NOT_NULL(md);
    TRY(prim__md_check(in, "in"));
    CHECK(!prim__md_is_zero(in), "the tensor is absent");
    prim_memory_desc_t result;
    TRY(prim_memory_desc_init_by_tag(&result, ndims, dims, in->data_type, PRIM_FORMAT_ANY));
    if (prim__md_has_runtime(in) || prim__md_has_runtime(&result)) {
        return prim__fail(PRIM_UNIMPLEMENTED, "reshape with run-time dimensions");
    }
    const prim_dim_t nelems = prim__md_nelems(in);
    CHECK(nelems == prim__md_nelems(&result), "the new shape has %lld elements, the tensor %lld",
            (long long)prim__md_nelems(&result), (long long)nelems);
    if (prim__md_same_dims(in, &result)) {
        result = *in;
        prim__md_normalize(&result);
    } else if (prim__md_is_image(in)) {
        return prim__fail(PRIM_UNIMPLEMENTED, "images of another shape");
    } else if (!prim__md_is_any(in)) {
        if (nelems == 0) {
            TRY(prim__md_set_row_major_if_any(&result)); // no element, so nothing can move
        } else {
            TRY(reshape_blocked(&result, in));
        }
        result.offset0 = in->offset0;
        CHECK(prim__md_fits(&result), "the reshaped tensor reaches beyond 2^56 bytes");
    }
    *md = result;
    return PRIM_SUCCESS;
}
