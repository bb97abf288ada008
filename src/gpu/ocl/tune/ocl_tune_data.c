// SPDX-License-Identifier: Apache-2.0
// Fills, spoils and compares the tensors of a tuning run.
#include "ocl_tune_data.h"

#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/data_type.h"
#include "common/desc_storage.h"
#include "common/ops/schema.h"
#include "common/ops/schema_table.h"

/// Elements of random data; tensors repeat them. A prime, so that rows differ.
enum { PATTERN_ELEMS = 65521 };

const char *prim__ocl_tune_data_fault(const prim_desc_t *pd)
{
    if (pd->peer) return "it works on two engines";
    if (prim__schema_of(&pd->op)->direction != FORWARD) return "it is not a forward computation";
    if (pd->origin->ntensors != pd->ntensors || pd->ntensors > OCL_TUNE_MAX_ARGS)
        return "it has further outputs";
    for (int i = 0; i < pd->ntensors; ++i) {
        const prim_memory_desc_t *const md = &pd->tensors[i].md;
        if (prim__md_is_image(md)) return "a tensor is an image";
        if (prim__md_has_runtime(md)) return "a dimension is known only at execution";
        if (prim__md_is_empty(md)) return "a tensor is empty";
        if (!prim__dt_is_supported(md->data_type)) return "a type has no arithmetic on the host";
    }
    return NULL;
}

static bool is_product(const prim_desc_t *pd)
{
    return prim__schema_of(&pd->op)->sums_products;
}

/// Products of each element of a product's dst.
static double depth_of(const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    if (prim__schema_of(&pd->op)->outputs_are_last) return (double)src->dims[src->ndims - 1];
    return (double)prim__md_nelems(wei) / (double)prim__pd_md(pd, PRIM_ARG_DST)->dims[1];
}

/// What elements are drawn from: integers in [low, high], zero but for a part of `density`; or, for
/// operations that are not products of sums, reals.
typedef struct {
    double low, high, density;
    bool is_integer;
} draw_t;

/// Integers so small that all sums are exact in f32 (doc/numerics.md): then every order of
/// summation gives the same bits. Otherwise as large as possible, and not around zero, so that sums
/// in a shorter type would show. Destinations of bytes get sums that seldom saturate.
static draw_t draw_of(const prim_desc_t *pd)
{
    if (!is_product(pd)) return (draw_t){-4, 4, 1, false};
    const double depth = depth_of(pd), max_sum = 16777216;
    if (prim__dt_bytes(prim__pd_md(pd, PRIM_ARG_DST)->data_type) == 1) {
        const double density = 32 / sqrt(depth);
        return (draw_t){-1, 1, density < 1 ? density : 1, true};
    }
    double high = 8;
    while (high > 1 && high * (high * depth + 1) > max_sum) high /= 2;
    return (draw_t){high > 1 ? -high / 2 : -1, high, 1, true};
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U; // Numerical Recipes
    return *state >> 8;
}

static double draw_one(const draw_t *draw, uint32_t *state)
{
    const double unit = next(state) * (1.0 / 16777216);
    if (!draw->is_integer) return draw->low + (draw->high - draw->low) * unit;
    const bool is_zero = next(state) * (1.0 / 16777216) >= draw->density;
    return is_zero ? 0 : draw->low + floor((draw->high - draw->low + 1) * unit);
}

static void repeat(unsigned char *bytes, size_t nbytes, size_t npattern)
{
    for (size_t done = npattern; done < nbytes;) {
        const size_t n = nbytes - done < done ? nbytes - done : done;
        memcpy(bytes + done, bytes, n);
        done += n;
        if (done > 64 * npattern) { // long enough to copy from, short enough to stay in a cache
            for (; done + 64 * npattern <= nbytes; done += 64 * npattern)
                memcpy(bytes + done, bytes, 64 * npattern);
        }
    }
}

/// Padding stays as it is: zero.
static void fill_padded(void *data, const prim_memory_desc_t *md, const draw_t *draw, uint32_t seed)
{
    uint32_t state = seed;
    const prim_dim_t nelems = prim__md_nelems(md);
    for (prim_dim_t i = 0; i < nelems; ++i) {
        prim_dims_t position;
        prim__position(position, md->ndims, md->dims, i);
        prim__store(data, md->data_type, prim__md_offset(md, position), draw_one(draw, &state));
    }
}

static prim_status_t fill(prim_memory_t *memory, const draw_t *draw, uint32_t seed)
{
    const prim_data_type_t dt = memory->md.data_type;
    const size_t elem = prim__dt_bytes(dt), nelems = memory->bytes / elem;
    const size_t npattern = nelems < PATTERN_ELEMS ? nelems : PATTERN_ELEMS;
    void *data = NULL;
    uint32_t state = seed * 2654435761U;
    TRY(prim_memory_map_data(memory, &data));
    if (prim__md_is_padded(&memory->md)) {
        fill_padded(data, &memory->md, draw, state);
    } else {
        for (size_t i = 0; i < npattern; ++i)
            prim__store(data, dt, (prim_dim_t)i, draw_one(draw, &state));
        repeat(data, nelems * elem, npattern * elem);
    }
    return prim_memory_unmap_data(memory, data);
}

prim_status_t prim__ocl_tune_data_create(ocl_tune_data_t *data, const prim_desc_t *pd)
{
    const draw_t draw = draw_of(pd);
    for (int i = 0; i < pd->ntensors; ++i) {
        const tensor_t *const tensor = &pd->tensors[i];
        prim_memory_t *memory = NULL;
        TRY(prim_memory_create(&memory, &tensor->md, pd->engine, PRIM_MEMORY_ALLOCATE));
        data->args[data->nargs++] = (prim_arg_t){tensor->arg, memory};
        if (tensor->is_output)
            data->dst = memory;
        else
            TRY(fill(memory, &draw, (uint32_t)i + 1));
    }
    return PRIM_SUCCESS;
}

void prim__ocl_tune_data_fini(ocl_tune_data_t *data)
{
    for (int i = 0; i < data->nargs; ++i) prim_memory_destroy(data->args[i].memory);
    prim__free(data->expected);
    *data = (ocl_tune_data_t){0};
}

prim_status_t prim__ocl_tune_data_spoil(ocl_tune_data_t *data)
{
    void *bytes = NULL;
    TRY(prim_memory_map_data(data->dst, &bytes));
    memset(bytes, 0xff, data->dst->bytes);
    return prim_memory_unmap_data(data->dst, bytes);
}

prim_status_t prim__ocl_tune_data_expect(ocl_tune_data_t *data)
{
    void *bytes = NULL;
    data->expected = prim__malloc_aligned(data->dst->bytes);
    if (!data->expected) return prim__fail_memory(data->dst->bytes);
    TRY(prim_memory_map_data(data->dst, &bytes));
    memcpy(data->expected, bytes, data->dst->bytes);
    return prim_memory_unmap_data(data->dst, bytes);
}

typedef struct {
    double relative, absolute;
} tolerance_t;

/// Two results may differ by twice what one may differ from the truth (doc/numerics.md), and by one
/// step of a shorter type.
static tolerance_t tolerance_of(const prim_desc_t *pd)
{
    const prim_data_type_t dt = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    const alg_error_t *error = prim__schema_of(&pd->op)->errors;
    if (!error) return (tolerance_t){0, 0};
    while (error->alg != PRIM_ALG_UNDEF && error->alg != pd->op.alg_kind) ++error;
    tolerance_t t = {2 * error->relative, 2 * error->absolute};
    if (dt == PRIM_F16) t.relative += 1.0 / 1024;
    if (dt == PRIM_BF16) t.relative += 1.0 / 128;
    if (prim__dt_is_integer(dt)) t.absolute += 1;
    return t;
}

static bool agree(double a, double b, const tolerance_t *t)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    const double distance = fabs(a - b), size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return isinf(size) ? !(a < b) && !(a > b) : distance <= t->absolute + t->relative * size;
}

static bool is_equal(const void *actual, const void *expected, size_t nelems, prim_data_type_t dt,
        const tolerance_t *t)
{
    if (memcmp(actual, expected, nelems * prim__dt_bytes(dt)) == 0) return true;
    for (size_t i = 0; i < nelems; ++i) {
        const double a = prim__load(actual, dt, (prim_dim_t)i);
        if (!agree(a, prim__load(expected, dt, (prim_dim_t)i), t)) return false;
    }
    return true;
}

prim_status_t prim__ocl_tune_data_judge(
        bool *is_right, const ocl_tune_data_t *data, const prim_desc_t *pd)
{
    const tolerance_t tolerance = tolerance_of(pd);
    const prim_data_type_t dt = data->dst->md.data_type;
    void *bytes = NULL;
    TRY(prim_memory_map_data(data->dst, &bytes));
    *is_right =
            is_equal(bytes, data->expected, data->dst->bytes / prim__dt_bytes(dt), dt, &tolerance);
    return prim_memory_unmap_data(data->dst, bytes);
}
