// SPDX-License-Identifier: Apache-2.0
// Layout walking. An element's place is a sum with one term for each dimension, blocked or not, so
// a table per dimension turns every layout into strided rows.
#include "bench_layout.h"

#include <stdlib.h>
#include <string.h>

#include "bench_numeric.h"
#include "bench_parallel.h"
#include "bench_text.h"

#define ROW_GRAIN 32768 ///< elements worth a thread

/// terms[d][i]: what index i of dimension d adds to an element's place; i counts the padded shape.
typedef struct {
    const prim_memory_desc_t *md;
    int64_t *terms[PRIM_MAX_NDIMS];
} layout_t;

bool layout_is_known(const prim_memory_desc_t *md)
{
    return md->format_kind == PRIM_FORMAT_KIND_BLOCKED ||
           md->format_kind == PRIM_FORMAT_KIND_IMAGE2D;
}

int64_t md_nelems(const prim_memory_desc_t *md)
{
    int64_t n = md->ndims > 0;
    for (int d = 0; d < md->ndims; ++d) n *= md->dims[d];
    return n;
}

/// The term of one index: inner blocks from the innermost outwards, then the stride of what is
/// left.
static int64_t place_term(const prim_memory_desc_t *md, int dim, int64_t index)
{
    int64_t term = 0, block_stride = 1;
    for (int b = md->inner_nblks - 1; b >= 0; --b) {
        const int64_t size = md->inner_blks[b];
        if (md->inner_idxs[b] == dim) {
            term += index % size * block_stride;
            index /= size;
        }
        block_stride *= size;
    }
    return term + index * md->strides[dim];
}

static void layout_init(layout_t *layout, const prim_memory_desc_t *md)
{
    layout->md = md;
    for (int d = 0; d < md->ndims; ++d) {
        const int64_t count = md->padded_dims[d];
        layout->terms[d] = bench_calloc((size_t)count + 1, sizeof(int64_t));
        for (int64_t i = 0; i < count; ++i) layout->terms[d][i] = place_term(md, d, i);
    }
}

static void layout_free(layout_t *layout)
{
    for (int d = 0; d < layout->md->ndims; ++d) free(layout->terms[d]);
}

/// Whether all positions along dimension `d` are one place in memory.
static bool is_broadcast_dim(const prim_memory_desc_t *md, int d)
{
    prim_dim_t block = 1;
    for (int i = 0; i < md->inner_nblks && i < PRIM_MAX_NDIMS; ++i)
        if (md->inner_idxs[i] == d) block *= md->inner_blks[i];
    return md->strides[d] == 0 && md->padded_dims[d] > block;
}

bool layout_is_broadcast(const prim_memory_desc_t *md)
{
    const int ndims = md->format_kind == PRIM_FORMAT_KIND_BLOCKED ? md->ndims : 0;
    bool is_broadcast = false;
    for (int d = 0; d < ndims && d < PRIM_MAX_NDIMS; ++d)
        is_broadcast = is_broadcast || is_broadcast_dim(md, d);
    return is_broadcast;
}

void layout_share_values(const prim_memory_desc_t *md, double *values)
{
    const int64_t n = md_nelems(md);
    if (!layout_is_broadcast(md)) return;
    for (int64_t i = 0; i < n; ++i) {
        int64_t first = 0, rest = i, step = 1;
        for (int d = md->ndims - 1; d >= 0; --d) {
            if (!is_broadcast_dim(md, d)) first += rest % md->dims[d] * step;
            rest /= md->dims[d];
            step *= md->dims[d];
        }
        values[i] = values[first];
    }
}

static void put_nibble(uint8_t *bytes, int64_t place, uint64_t bits)
{
    const int shift = place % 2 ? 4 : 0;
    const int kept = bytes[place / 2] & (place % 2 ? 0x0f : 0xf0);
    bytes[place / 2] = (uint8_t)(kept | (int)(bits << shift));
}

static uint64_t get_nibble(const uint8_t *bytes, int64_t place)
{
    return (uint64_t)(bytes[place / 2] >> (place % 2 ? 4 : 0)) & 15;
}

/// Elements base + places[i], or base + i when there are no places. The loops over common types are
/// spelt out because they carry all the data of a run.
static void store_row(prim_data_type_t dt, void *buffer, int64_t base, const int64_t *places,
        const double *values, int64_t n)
{
    switch (dt) {
    case PRIM_F32:
        for (int64_t i = 0; i < n; ++i)
            ((float *)buffer)[base + (places ? places[i] : i)] = (float)values[i];
        return;
    case PRIM_F64:
        for (int64_t i = 0; i < n; ++i)
            ((double *)buffer)[base + (places ? places[i] : i)] = values[i];
        return;
    default: break;
    }
    for (int64_t i = 0; i < n; ++i) {
        const int64_t place = base + (places ? places[i] : i);
        const uint64_t bits = dt_encode(dt, values[i]);
        switch (dt_bits(dt)) {
        case 4: put_nibble(buffer, place, bits); break;
        case 8: ((uint8_t *)buffer)[place] = (uint8_t)bits; break;
        case 16: ((uint16_t *)buffer)[place] = (uint16_t)bits; break;
        default: ((uint32_t *)buffer)[place] = (uint32_t)bits; break;
        }
    }
}

static uint64_t load_bits(prim_data_type_t dt, const void *buffer, int64_t place)
{
    switch (dt_bits(dt)) {
    case 4: return get_nibble(buffer, place);
    case 8: return ((const uint8_t *)buffer)[place];
    case 16: return ((const uint16_t *)buffer)[place];
    case 32: return ((const uint32_t *)buffer)[place];
    default: return ((const uint64_t *)buffer)[place];
    }
}

static void load_row(prim_data_type_t dt, const void *buffer, int64_t base, const int64_t *places,
        double *values, int64_t n)
{
    if (dt == PRIM_F32) {
        for (int64_t i = 0; i < n; ++i)
            values[i] = (double)((const float *)buffer)[base + (places ? places[i] : i)];
        return;
    }
    for (int64_t i = 0; i < n; ++i)
        values[i] = dt_decode(dt, load_bits(dt, buffer, base + (places ? places[i] : i)));
}

static bool is_dense_row_major(const prim_memory_desc_t *md)
{
    int64_t expected = 1;
    if (md->inner_nblks) return false;
    for (int d = md->ndims - 1; d >= 0; --d) {
        if (md->padded_dims[d] != md->dims[d]) return false;
        if (md->dims[d] != 1 && md->strides[d] != expected) return false;
        expected *= md->dims[d];
    }
    return true;
}

/// One pass over all elements, in either direction.
typedef struct {
    layout_t layout;
    prim_data_type_t dt;
    void *buffer;
    const void *source;   ///< buffer of a load
    const double *values; ///< of a store
    double *results;      ///< of a load
} transfer_t;

static void transfer_row(
        const transfer_t *t, int64_t base, const int64_t *places, int64_t first, int64_t n)
{
    if (t->values)
        store_row(t->dt, t->buffer, base, places, t->values + first, n);
    else
        load_row(t->dt, t->source, base, places, t->results + first, n);
}

static void transfer_dense(void *context, int64_t begin, int64_t end)
{
    const transfer_t *const t = context;
    transfer_row(t, t->layout.md->offset0 + begin, NULL, begin, end - begin);
}

/// Rows along the last dimension.
static void transfer_rows(void *context, int64_t begin, int64_t end)
{
    const transfer_t *const t = context;
    const prim_memory_desc_t *const md = t->layout.md;
    const int last = md->ndims - 1;
    const int64_t length = md->dims[last];
    for (int64_t row = begin; row < end; ++row) {
        int64_t base = md->offset0, rest = row;
        for (int d = last - 1; d >= 0; --d) {
            base += t->layout.terms[d][rest % md->dims[d] + md->padded_offsets[d]];
            rest /= md->dims[d];
        }
        transfer_row(
                t, base, t->layout.terms[last] + md->padded_offsets[last], row * length, length);
    }
}

static void transfer(transfer_t *t, const prim_memory_desc_t *md)
{
    const int64_t n = md_nelems(md);
    if (n == 0) return;
    // Two 4-bit elements share a byte, positions of a broadcast an element: one thread writes all.
    const bool is_shared = t->values && (dt_bits(t->dt) == 4 || layout_is_broadcast(md));
    t->layout.md = md;
    if (is_dense_row_major(md)) {
        bench_parallel(n, is_shared ? n : ROW_GRAIN, transfer_dense, t);
        return;
    }
    layout_init(&t->layout, md);
    const int64_t length = md->dims[md->ndims - 1], rows = n / length;
    bench_parallel(rows, is_shared ? rows : ROW_GRAIN / length + 1, transfer_rows, t);
    layout_free(&t->layout);
}

void layout_store(
        const prim_memory_desc_t *md, prim_data_type_t dt, void *buffer, const double *values)
{
    transfer_t t = {.dt = dt, .buffer = buffer, .values = values};
    transfer(&t, md);
}

void layout_load(
        const prim_memory_desc_t *md, prim_data_type_t dt, const void *buffer, double *values)
{
    transfer_t t = {.dt = dt, .source = buffer, .results = values};
    transfer(&t, md);
}

static bool has_padding(const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; ++d)
        if (md->padded_dims[d] != md->dims[d]) return true;
    return false;
}

static void clear_element(const prim_memory_desc_t *md, void *buffer, int64_t place)
{
    if (dt_bits(md->data_type) == 4) {
        put_nibble(buffer, place, 0);
        return;
    }
    const size_t bytes = (size_t)dt_bits(md->data_type) / 8;
    memset((char *)buffer + (size_t)place * bytes, 0, bytes);
}

/// Visits the padded area: clears it when there is a buffer to write, else counts what is not zero.
static int64_t visit_padding(const prim_memory_desc_t *md, void *buffer, const void *source)
{
    int64_t nrows = 1, dirty = 0;
    const int last = md->ndims - 1;
    layout_t layout;
    if (!has_padding(md)) return 0;
    layout_init(&layout, md);
    for (int d = 0; d < last; ++d) nrows *= md->padded_dims[d];
    for (int64_t row = 0; row < nrows; ++row) {
        int64_t base = md->offset0, rest = row;
        bool is_outside = false;
        for (int d = last - 1; d >= 0; --d) {
            const int64_t i = rest % md->padded_dims[d];
            rest /= md->padded_dims[d];
            base += layout.terms[d][i];
            is_outside = is_outside || i >= md->dims[d];
        }
        for (int64_t i = is_outside ? 0 : md->dims[last]; i < md->padded_dims[last]; ++i) {
            const int64_t place = base + layout.terms[last][i];
            if (buffer)
                clear_element(md, buffer, place);
            else
                dirty += load_bits(md->data_type, source, place) != 0;
        }
    }
    layout_free(&layout);
    return dirty;
}

void layout_clear_padding(const prim_memory_desc_t *md, void *buffer)
{
    visit_padding(md, buffer, NULL);
}

int64_t layout_count_dirty_padding(const prim_memory_desc_t *md, const void *buffer)
{
    return visit_padding(md, NULL, buffer);
}
