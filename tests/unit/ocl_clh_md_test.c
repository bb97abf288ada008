// SPDX-License-Identifier: Apache-2.0
// Positions, offsets and quantisation indices on the device against the host's, for random tensors
// of every rank: strided, permuted, blocked, windows of a parent, broadcast.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_clh_md_test_cl;

enum { MAX_ELEMS = 20000, NRANDOM = 60 };

typedef struct {
    ocl_md_t md, small_md;
    ocl_quant_t quant;
} test_data_t;

static uint32_t seed = 5;

static int random_below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static void structs_have_no_gaps(void **state)
{
    int64_t sizes[3] = {0};
    const ocl_array_t arrays[] = {{sizes, sizeof sizes}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    ocl_rig_run(*state, &prim__ocl_clh_md_test_cl, &options, "sizes", 1, arrays, 1, NULL);
    assert_int_equal(sizes[0], sizeof(ocl_md_t));
    assert_int_equal(sizes[1], sizeof(ocl_quant_t));
    assert_int_equal(sizes[2], sizeof(test_data_t));
}

// The tensor with some dimensions cut to 1, row-major: the operand of a broadcast.
static prim_memory_desc_t broadcast_operand(const prim_memory_desc_t *md)
{
    prim_dims_t dims;
    for (int d = 0; d < md->ndims; ++d) dims[d] = random_below(2) ? 1 : md->dims[d];
    prim_memory_desc_t out;
    assert_int_equal(
            prim_memory_desc_init_by_strides(&out, md->ndims, dims, PRIM_F32, NULL), PRIM_SUCCESS);
    return out;
}

// A mask over random dimensions, with groups on the last two where they divide.
static quant_t random_quant(const prim_memory_desc_t *md)
{
    quant_t quant = {.arg = PRIM_ARG_SRC, .data_type = PRIM_F32};
    for (int d = 0; d < md->ndims; ++d) quant.mask |= random_below(2) << d;
    if (md->ndims < 2 || random_below(2)) return quant;
    quant.ngroups = 2;
    for (int g = 0; g < 2; ++g) {
        const prim_dim_t dim = md->dims[md->ndims - 2 + g];
        quant.groups[g] = dim > 0 && dim % 2 == 0 ? 2 : 1;
    }
    return quant;
}

static int64_t quant_index(
        const quant_t *quant, const prim_memory_desc_t *md, const prim_dim_t *position)
{
    prim_dims_t dims, at = {0};
    (void)prim__quant_dims(dims, quant, md);
    for (int d = 0; d < md->ndims; ++d) {
        const int g = d - (md->ndims - quant->ngroups);
        if (quant->mask >> d & 1) at[d] = position[d] / (g >= 0 ? quant->groups[g] : 1);
    }
    return prim__index(md->ndims, dims, at);
}

typedef struct {
    const ocl_rig_t *rig;
    prim_memory_desc_t md, small_md;
    quant_t quant;
    test_data_t data;
} problem_t;

static void check_logical(problem_t *p)
{
    const int64_t n = prim__md_nelems(&p->md);
    static int64_t offsets[MAX_ELEMS], broadcasts[MAX_ELEMS], quants[MAX_ELEMS];
    const size_t bytes = (size_t)n * sizeof offsets[0];
    const ocl_array_t arrays[] = {
            {&p->data, sizeof p->data}, {offsets, bytes}, {broadcasts, bytes}, {quants, bytes}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i64(&args, n);
    ocl_rig_run(p->rig, &prim__ocl_clh_md_test_cl, &options, "logical", n, arrays, 4, &args);
    for (int64_t i = 0; i < n; ++i) {
        prim_dims_t position, small;
        prim__position(position, p->md.ndims, p->md.dims, i);
        for (int d = 0; d < p->md.ndims; ++d) small[d] = p->small_md.dims[d] == 1 ? 0 : position[d];
        assert_int_equal(offsets[i], prim__md_offset(&p->md, position) - p->md.offset0);
        assert_int_equal(broadcasts[i], prim__md_offset(&p->small_md, small));
        assert_int_equal(quants[i], quant_index(&p->quant, &p->md, position));
    }
}

static void check_padded(problem_t *p)
{
    const int64_t n = prim__md_nelems_padded(&p->md);
    static int64_t offsets[MAX_ELEMS], indices[MAX_ELEMS];
    const size_t bytes = (size_t)n * sizeof offsets[0];
    const ocl_array_t arrays[] = {{&p->data, sizeof p->data}, {offsets, bytes}, {indices, bytes}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i64(&args, n);
    ocl_rig_run(p->rig, &prim__ocl_clh_md_test_cl, &options, "padded", n, arrays, 3, &args);
    int64_t ninside = 0;
    for (int64_t i = 0; i < n; ++i) {
        prim_dims_t position;
        prim__position(position, p->md.ndims, p->md.padded_dims, i);
        assert_int_equal(offsets[i], prim__md_offset_padded(&p->md, position) - p->md.offset0);
        bool is_inside = true;
        for (int d = 0; d < p->md.ndims; ++d) {
            position[d] -= p->md.padded_offsets[d];
            is_inside = is_inside && position[d] >= 0 && position[d] < p->md.dims[d];
        }
        const int64_t want = is_inside ? prim__index(p->md.ndims, p->md.dims, position) : -1;
        assert_int_equal(indices[i], want);
        ninside += is_inside;
    }
    assert_int_equal(ninside, prim__md_nelems(&p->md));
}

static void check(const ocl_rig_t *rig, const prim_memory_desc_t *md)
{
    if (prim__md_nelems_padded(md) > MAX_ELEMS || prim__md_is_empty(md)) return;
    problem_t p = {
            .rig = rig, .md = *md, .small_md = broadcast_operand(md), .quant = random_quant(md)};
    const prim_attr_t attr = {.nscales = 1, .scales = &p.quant};
    const prim_desc_t pd = {.attr = attr};
    p.data.md = prim__ocl_md(&p.md);
    p.data.small_md = prim__ocl_md(&p.small_md);
    p.data.quant = prim__ocl_scales(&pd, PRIM_ARG_SRC, &p.md);
    assert_int_equal(p.data.quant.dt, PRIM_F32);
    check_logical(&p);
    check_padded(&p);
}

static void layouts_with_names(void **state)
{
    static const struct {
        int ndims;
        prim_dims_t dims;
        const char *tag;
    } layouts[] = {{1, {17}, "a"}, {2, {5, 7}, "ba"}, {4, {2, 19, 3, 5}, "aBcd16b"},
            {4, {2, 19, 3, 5}, "acdb"}, {4, {20, 33, 3, 3}, "ABcd16b16a"},
            {5, {2, 9, 5, 3, 2}, "aBcde4b"}, {5, {2, 18, 10, 3, 3}, "aBCde8c8b"},
            {4, {18, 10, 3, 3}, "ABcd4b8a4b"}, {2, {30, 50}, "BA16a16b4a"}, {3, {1, 1, 1}, "aBc8b"},
            {12, {2, 1, 3, 1, 2, 1, 1, 2, 1, 2, 1, 3}, "abcdefghijkl"}};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
        prim_memory_desc_t md;
        if (prim_memory_desc_init_by_string_tag(&md, layouts[i].ndims, layouts[i].dims, PRIM_F32,
                    layouts[i].tag) != PRIM_SUCCESS) {
            fail_msg("%s: %s", layouts[i].tag, prim_last_error());
        }
        check(*state, &md);
    }
}

// Random ranks and extents, dimensions in random order with gaps between their strides.
static void random_strides(void **state)
{
    for (int r = 0; r < NRANDOM; ++r) {
        const int ndims = 1 + random_below(PRIM_MAX_NDIMS);
        int order[PRIM_MAX_NDIMS];
        prim_dims_t dims, strides;
        prim_dim_t stride = 1;
        for (int d = 0; d < ndims; ++d) order[d] = d;
        for (int d = ndims - 1; d > 0; --d) {
            const int other = random_below(d + 1), kept = order[d];
            order[d] = order[other];
            order[other] = kept;
        }
        for (int i = 0; i < ndims; ++i) {
            const int d = order[i];
            dims[d] = 1 + random_below(ndims < 5 ? 9 : 3);
            strides[d] = stride;
            stride *= dims[d] + random_below(3);
        }
        prim_memory_desc_t md;
        assert_int_equal(prim_memory_desc_init_by_strides(&md, ndims, dims, PRIM_F32, strides),
                PRIM_SUCCESS);
        check(*state, &md);
    }
}

static void windows(void **state)
{
    prim_memory_desc_t parent, md;
    assert_int_equal(prim_memory_desc_init_by_string_tag(
                             &parent, 4, (prim_dims_t){3, 40, 5, 6}, PRIM_F32, "aBcd16b"),
            PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_submemory(
                             &md, &parent, (prim_dims_t){2, 24, 3, 2}, (prim_dims_t){1, 16, 1, 3}),
            PRIM_SUCCESS);
    check(*state, &md);
    assert_int_equal(prim_memory_desc_submemory(
                             &md, &parent, (prim_dims_t){3, 16, 5, 1}, (prim_dims_t){0, 16, 0, 5}),
            PRIM_SUCCESS);
    check(*state, &md);
}

// A tensor in the middle of its padding, plain and with blocks.
static void padding_in_front(void **state)
{
    static const struct {
        prim_dims_t dims, padded_dims, padded_offsets;
        const char *tag; ///< of the padded shape
    } rows[] = {{{5, 7, 3}, {9, 8, 6}, {2, 1, 3}, "abc"}, {{5, 7, 3}, {5, 12, 3}, {0, 4, 0}, "bca"},
            {{2, 5, 3}, {2, 16, 3}, {0, 7, 0}, "aBc8b"},
            {{3, 5, 3}, {8, 8, 3}, {4, 2, 0}, "ABc4a4b"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        prim_memory_desc_t md;
        assert_int_equal(prim_memory_desc_init_by_string_tag(
                                 &md, 3, rows[r].padded_dims, PRIM_F32, rows[r].tag),
                PRIM_SUCCESS);
        for (int d = 0; d < 3; ++d) {
            md.dims[d] = rows[r].dims[d];
            md.padded_offsets[d] = rows[r].padded_offsets[d];
        }
        check(*state, &md);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(structs_have_no_gaps),
            cmocka_unit_test(layouts_with_names),
            cmocka_unit_test(random_strides),
            cmocka_unit_test(windows),
            cmocka_unit_test(padding_in_front),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
