// SPDX-License-Identifier: Apache-2.0
#include "product_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/data_type.h"
#if PRIM_TEST_OCL
#include <prim/prim_ocl.h>
#endif

enum { GUARD_BYTES = 256 };

void rig_must(prim_status_t status, const char *what)
{
    if (status == PRIM_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, prim_last_error());
    exit(1);
}

bool rig_open(rig_t *rig, prim_engine_kind_t kind)
{
    *rig = (rig_t){.is_gpu = kind == PRIM_GPU};
    if (prim_engine_create(&rig->engine, kind, 0) != PRIM_SUCCESS) return false;
    MUST(prim_stream_create(&rig->stream, rig->engine, 0));
    return true;
}

void rig_close(rig_t *rig)
{
    prim_stream_destroy(rig->stream);
    prim_engine_destroy(rig->engine);
}

prim_memory_desc_t rig_md(
        int ndims, const prim_dim_t *dims, prim_data_type_t dt, const prim_dim_t *strides)
{
    prim_memory_desc_t md;
    MUST(prim_memory_desc_init_by_strides(&md, ndims, dims, dt, strides));
    return md;
}

prim_dim_t rig_nelems(const prim_memory_desc_t *md)
{
    prim_dim_t n = 1;
    for (int d = 0; d < md->ndims; ++d) n *= md->dims[d];
    return n;
}

prim_dim_t rig_place(const prim_memory_desc_t *md, prim_dim_t index)
{
    prim_dim_t place = md->offset0;
    for (int d = md->ndims - 1; d >= 0; --d) {
        place += index % md->dims[d] * md->strides[d];
        index /= md->dims[d];
    }
    return place;
}

double rig_value(int seed, prim_dim_t index, int low, int high)
{
    uint32_t x = (uint32_t)index * 2654435761u + (uint32_t)seed * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    return low + (int)((x >> 13) % (uint32_t)(high - low + 1));
}

prim_status_t rig_create_matmul(prim_desc_t **pd, prim_engine_t *engine, const problem_t *p)
{
    return prim_matmul_desc_create(pd, engine, &p->src, &p->wei, NULL, &p->dst, NULL);
}

static double src_of(const problem_t *p, prim_dim_t index)
{
    return rig_value(1, index, p->low, p->high);
}

static double wei_of(const problem_t *p, prim_dim_t index)
{
    return rig_value(2, index, -p->high, p->high);
}

double rig_want_matmul(const problem_t *p, prim_dim_t index)
{
    const prim_dim_t n = p->wei.dims[1], k = p->src.dims[1];
    double sum = 0;
    for (prim_dim_t i = 0; i < k; ++i)
        sum += src_of(p, index / n * k + i) * wei_of(p, i * n + index % n);
    return sum;
}

prim_status_t rig_create_conv(prim_desc_t **pd, prim_engine_t *engine, const problem_t *p)
{
    const prim_dim_t *const kernel = p->wei.dims + p->wei.ndims - 2;
    const prim_dim_t one[2] = {1, 1}, pad[2] = {kernel[0] / 2, kernel[1] / 2};
    return prim_convolution_forward_desc_create(pd, engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, &p->src, &p->wei, NULL, &p->dst, one, NULL, pad, pad, NULL);
}

double rig_want_conv(const problem_t *p, prim_dim_t index)
{
    const prim_dim_t *const s = p->src.dims, *const w = p->wei.dims + p->wei.ndims - 4,
                            *const d = p->dst.dims;
    const prim_dim_t x = index % d[3], y = index / d[3] % d[2], o = index / (d[3] * d[2]) % d[1];
    const prim_dim_t image = index / (d[3] * d[2] * d[1]);
    const prim_dim_t first = p->wei.ndims == 5 ? o / w[0] * w[1] : 0; // channel of the group
    double sum = 0;
    for (prim_dim_t i = 0; i < w[1] * w[2] * w[3]; ++i) {
        const prim_dim_t c = first + i / (w[2] * w[3]), ky = i / w[3] % w[2], kx = i % w[3];
        const prim_dim_t at_y = y + ky - w[2] / 2, at_x = x + kx - w[3] / 2;
        if (at_y < 0 || at_y >= s[2] || at_x < 0 || at_x >= s[3]) continue;
        sum += src_of(p, ((image * s[1] + c) * s[2] + at_y) * s[3] + at_x) *
               wei_of(p, o * w[1] * w[2] * w[3] + i);
    }
    return sum;
}

prim_status_t rig_create_relu(prim_desc_t **pd, prim_engine_t *engine, const problem_t *p)
{
    return prim_eltwise_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &p->src, &p->dst, 0, 0, NULL);
}

double rig_want_relu(const problem_t *p, prim_dim_t index)
{
    const double x = src_of(p, index);
    return x > 0 ? x : 0;
}

prim_status_t rig_create_reorder(prim_desc_t **pd, prim_engine_t *engine, const problem_t *p)
{
    return prim_reorder_desc_create(pd, &p->src, engine, &p->dst, engine, NULL);
}

double rig_want_reorder(const problem_t *p, prim_dim_t index)
{
    return src_of(p, index);
}

// A tensor of `md` that starts `start_bytes` behind the start of a buffer.
static prim_memory_t *view(
        const prim_memory_t *buffer, const rig_t *rig, const prim_memory_desc_t *md, size_t start)
{
    prim_memory_t *memory = NULL;
    void *handle = NULL;
    MUST(prim_memory_get_data_handle(buffer, &handle));
#if PRIM_TEST_OCL
    if (rig->is_gpu) {
        MUST(prim_ocl_memory_create(&memory, md, rig->engine, (cl_mem)handle, start));
        return memory;
    }
#endif
    MUST(prim_memory_create(&memory, md, rig->engine, (char *)handle + start));
    return memory;
}

static prim_memory_desc_t bytes_md(size_t nbytes)
{
    const prim_dim_t n = (prim_dim_t)nbytes;
    return rig_md(1, &n, PRIM_U8, NULL);
}

static size_t elem_bytes(const tensor_t *t)
{
    return prim_data_type_size(t->md.data_type);
}

// A byte of NaN, or of an integer far from the tensor's.
static char pattern_of(const tensor_t *t)
{
    return prim_data_type_size(t->md.data_type) == 1 ? 0x7f : (char)0xff;
}

bool rig_make(tensor_t *t, const rig_t *rig, const prim_memory_desc_t *md, int nstarts)
{
    *t = (tensor_t){.md = *md, .low = 0, .high = 1};
    t->bytes = prim_memory_desc_get_size(md) + (size_t)nstarts * elem_bytes(t) + 2 * GUARD_BYTES;
    const prim_memory_desc_t whole = bytes_md(t->bytes);
    if (prim_memory_create(&t->buffer, &whole, rig->engine, PRIM_MEMORY_ALLOCATE) == PRIM_SUCCESS)
        return true;
    printf("no buffer of %zu bytes: %s\n", t->bytes, prim_last_error());
    return false;
}

void rig_put(tensor_t *t, const rig_t *rig, int start)
{
    prim_memory_destroy(t->memory);
    t->start_bytes = GUARD_BYTES + (size_t)start * elem_bytes(t);
    t->memory = view(t->buffer, rig, &t->md, t->start_bytes);
}

void rig_free(tensor_t *t)
{
    prim_memory_destroy(t->memory);
    prim_memory_destroy(t->buffer);
    *t = (tensor_t){0};
}

void rig_fill(tensor_t *t, int seed)
{
    void *p = NULL;
    MUST(prim_memory_map_data(t->buffer, &p));
    memset(p, pattern_of(t), t->bytes);
    for (prim_dim_t i = 0; seed != 0 && i < rig_nelems(&t->md); ++i) {
        prim__store((char *)p + t->start_bytes, t->md.data_type, rig_place(&t->md, i),
                rig_value(seed, i, t->low, t->high));
    }
    MUST(prim_memory_unmap_data(t->buffer, p));
}

// One element; replaces it by the pattern.
static bool take(const tensor_t *t, char *at, prim_dim_t index, double want)
{
    const double got = prim__load(at, t->md.data_type, 0);
    memset(at, pattern_of(t), elem_bytes(t));
    if (got == want) return true;
    printf("  element %lld is %g instead of %g\n", (long long)index, got, want);
    return false;
}

static bool is_pattern(const tensor_t *t, const char *p, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (p[i] == pattern_of(t)) continue;
        printf("  byte %zu of %zu beside the tensor was written\n", i, n);
        return false;
    }
    return true;
}

bool rig_check(tensor_t *t, const double *want)
{
    void *p = NULL;
    bool is_right = true;
    MUST(prim_memory_map_data(t->buffer, &p));
    char *const start = (char *)p + t->start_bytes;
    for (prim_dim_t i = 0; i < rig_nelems(&t->md) && is_right; ++i)
        is_right = take(t, start + rig_place(&t->md, i) * (prim_dim_t)elem_bytes(t), i, want[i]);
    is_right = is_right && is_pattern(t, p, t->bytes);
    MUST(prim_memory_unmap_data(t->buffer, p));
    return is_right;
}

// Elements of a slice of the first dimension, and from its first to behind its last.
static prim_dim_t slice_elems(const tensor_t *t)
{
    return rig_nelems(&t->md) / t->md.dims[0];
}

static prim_dim_t slice_span(const tensor_t *t)
{
    return rig_place(&t->md, slice_elems(t) - 1) - rig_place(&t->md, 0) + 1;
}

// The bytes of a slice and of what lies on either side.
static prim_memory_t *window(
        const tensor_t *t, const rig_t *rig, prim_dim_t slice, int margin, size_t *bytes)
{
    const prim_dim_t size = (prim_dim_t)elem_bytes(t);
    const prim_dim_t at = (rig_place(&t->md, slice * slice_elems(t)) - margin) * size;
    *bytes = (size_t)((slice_span(t) + 2 * margin) * size);
    const prim_memory_desc_t md = bytes_md(*bytes);
    return view(t->buffer, rig, &md, (size_t)((prim_dim_t)t->start_bytes + at));
}

typedef struct {
    int seed;           // fills: of the values, 0: the pattern
    const double *want; // checks: of the values, NULL: the pattern
    bool is_check;
} visit_t;

static bool visit_slice(tensor_t *t, char *p, prim_dim_t slice, const visit_t *visit)
{
    const prim_dim_t n = slice_elems(t), size = (prim_dim_t)elem_bytes(t);
    bool is_right = true;
    for (prim_dim_t i = 0; i < n && is_right; ++i) {
        const prim_dim_t index = slice * n + i;
        const prim_dim_t place = rig_place(&t->md, i) - rig_place(&t->md, 0);
        if (visit->is_check)
            is_right = take(t, p + place * size, index, visit->want[index]);
        else
            prim__store(p, t->md.data_type, place, rig_value(visit->seed, index, t->low, t->high));
    }
    return is_right;
}

// Slices, or with a margin the pattern in and around each: neighbours overlap there.
static bool visit_slices(tensor_t *t, const rig_t *rig, int margin, const visit_t *visit)
{
    bool is_right = true;
    for (prim_dim_t slice = 0; slice < t->md.dims[0] && is_right; ++slice) {
        size_t bytes;
        void *p = NULL;
        prim_memory_t *const memory = window(t, rig, slice, margin, &bytes);
        MUST(prim_memory_map_data(memory, &p));
        if (margin == 0)
            is_right = visit_slice(t, p, slice, visit);
        else if (visit->is_check)
            is_right = is_pattern(t, p, bytes);
        else
            memset(p, pattern_of(t), bytes);
        MUST(prim_memory_unmap_data(memory, p));
        prim_memory_destroy(memory);
    }
    return is_right;
}

void rig_fill_slices(tensor_t *t, const rig_t *rig, int seed, int margin)
{
    const visit_t visit = {.seed = seed};
    visit_slices(t, rig, margin, &visit);
    if (seed != 0) visit_slices(t, rig, 0, &visit);
}

bool rig_check_slices(tensor_t *t, const rig_t *rig, const double *want, int margin)
{
    const visit_t visit = {.want = want, .is_check = true};
    return visit_slices(t, rig, 0, &visit) && visit_slices(t, rig, margin, &visit);
}
