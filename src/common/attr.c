// SPDX-License-Identifier: Apache-2.0
// Attributes: the public setters and getters of the simple ones, ownership, and the default fpmath
// mode.
#define _POSIX_C_SOURCE 200112L
#include "attr.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "environment.h"
#include "log.h"
#include "tune.h"

static const char *const fpmath_names[] = {[PRIM_FPMATH_STRICT] = "strict",
        [PRIM_FPMATH_BF16] = "bf16",
        [PRIM_FPMATH_F16] = "f16",
        [PRIM_FPMATH_ANY] = "any",
        [PRIM_FPMATH_TF32] = "tf32"};

enum { NFPMATH_MODES = sizeof fpmath_names / sizeof fpmath_names[0] };

static atomic_int default_fpmath_mode = PRIM_FPMATH_STRICT;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;

static void read_environment(void)
{
    int mode = PRIM_FPMATH_STRICT;
    if (prim__env_word(&mode, ENV_DEFAULT_FPMATH_MODE, fpmath_names, NFPMATH_MODES))
        atomic_store(&default_fpmath_mode, mode);
}

static prim_fpmath_mode_t default_mode(void)
{
    pthread_once(&environment_once, read_environment);
    prim__log_environment();
    return (prim_fpmath_mode_t)atomic_load(&default_fpmath_mode);
}

prim_status_t prim_get_default_fpmath_mode(prim_fpmath_mode_t *mode)
{
    CHECK_NOT_NULL(mode);
    *mode = default_mode();
    return PRIM_SUCCESS;
}

prim_status_t prim_set_default_fpmath_mode(prim_fpmath_mode_t mode)
{
    CHECK((unsigned)mode < NFPMATH_MODES, "%d is not an fpmath mode", (int)mode);
    default_mode(); // the environment first, so that it cannot overwrite this later
    atomic_store(&default_fpmath_mode, (int)mode);
    return PRIM_SUCCESS;
}

void prim__attr_init(prim_attr_t *attr)
{
    *attr = (prim_attr_t){.fpmath_mode = default_mode(), .tune_mode = prim__tune_default_mode()};
}

void prim__attr_fini(prim_attr_t *attr)
{
    prim__free(attr->scales);
    prim__free(attr->zero_points);
    prim__post_ops_fini(&attr->post_ops);
    *attr = (prim_attr_t){0};
}

static prim_status_t copy_quants(quant_t **to, const quant_t *from, int n)
{
    if (n == 0) return PRIM_SUCCESS;
    const size_t bytes = (size_t)n * sizeof *from;
    quant_t *const copy = prim__calloc(bytes);
    if (!copy) return prim__fail_memory(bytes);
    memcpy(copy, from, bytes);
    *to = copy;
    return PRIM_SUCCESS;
}

prim_status_t prim__attr_copy(prim_attr_t *attr, const prim_attr_t *from)
{
    prim_status_t st = PRIM_SUCCESS;
    prim_attr_t copy = *from;
    copy.scales = copy.zero_points = NULL;
    copy.post_ops = (prim_post_ops_t){0};
    TRY_OR(fail, copy_quants(&copy.scales, from->scales, from->nscales));
    TRY_OR(fail, copy_quants(&copy.zero_points, from->zero_points, from->nzero_points));
    TRY_OR(fail, prim__post_ops_copy(&copy.post_ops, &from->post_ops));
    *attr = copy;
    return PRIM_SUCCESS;

fail:
    prim__attr_fini(&copy);
    return st;
}

prim_status_t prim_attr_create(prim_attr_t **attr)
{
    CHECK_NOT_NULL(attr);
    prim_attr_t *const created = prim__calloc(sizeof *created);
    if (!created) return prim__fail_memory(sizeof *created);
    prim__attr_init(created);
    *attr = created;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_clone(prim_attr_t **attr, const prim_attr_t *from)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(from);
    prim_attr_t *const clone = prim__calloc(sizeof *clone);
    if (!clone) return prim__fail_memory(sizeof *clone);
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, prim__attr_copy(clone, from));
    *attr = clone;
    return PRIM_SUCCESS;

fail:
    prim_attr_destroy(clone);
    return st;
}

void prim_attr_destroy(prim_attr_t *attr)
{
    if (!attr) return;
    prim__attr_fini(attr);
    prim__free(attr);
}

prim_status_t prim_attr_set_scratchpad_mode(prim_attr_t *attr, prim_scratchpad_mode_t mode)
{
    CHECK_NOT_NULL(attr);
    CHECK(mode == PRIM_SCRATCHPAD_LIBRARY || mode == PRIM_SCRATCHPAD_USER,
            "%d is not a scratchpad mode", (int)mode);
    attr->scratchpad_mode = mode;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_scratchpad_mode(const prim_attr_t *attr, prim_scratchpad_mode_t *mode)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(mode);
    *mode = attr->scratchpad_mode;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_set_fpmath_mode(
        prim_attr_t *attr, prim_fpmath_mode_t mode, bool apply_to_int)
{
    CHECK_NOT_NULL(attr);
    CHECK((unsigned)mode < NFPMATH_MODES, "%d is not an fpmath mode", (int)mode);
    attr->fpmath_mode = mode;
    attr->fpmath_applies_to_int = apply_to_int;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_fpmath_mode(
        const prim_attr_t *attr, prim_fpmath_mode_t *mode, bool *apply_to_int)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(mode);
    CHECK_NOT_NULL(apply_to_int);
    *mode = attr->fpmath_mode;
    *apply_to_int = attr->fpmath_applies_to_int;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_set_accumulation_mode(prim_attr_t *attr, prim_accumulation_mode_t mode)
{
    CHECK_NOT_NULL(attr);
    CHECK((unsigned)mode <= PRIM_ACCUMULATION_F16, "%d is not an accumulation mode", (int)mode);
    attr->accumulation_mode = mode;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_accumulation_mode(
        const prim_attr_t *attr, prim_accumulation_mode_t *mode)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(mode);
    *mode = attr->accumulation_mode;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_set_deterministic(prim_attr_t *attr, bool deterministic)
{
    CHECK_NOT_NULL(attr);
    attr->is_deterministic = deterministic;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_deterministic(const prim_attr_t *attr, bool *deterministic)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(deterministic);
    *deterministic = attr->is_deterministic;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_set_post_ops(prim_attr_t *attr, const prim_post_ops_t *post_ops)
{
    CHECK_NOT_NULL(attr);
    prim_post_ops_t copy = {0};
    if (post_ops) TRY(prim__post_ops_copy(&copy, post_ops));
    prim__post_ops_fini(&attr->post_ops);
    attr->post_ops = copy;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_post_ops(const prim_attr_t *attr, const prim_post_ops_t **post_ops)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(post_ops);
    *post_ops = &attr->post_ops;
    return PRIM_SUCCESS;
}

bool prim__attr_is_plain(const prim_attr_t *attr)
{
    return attr->nscales == 0 && attr->nzero_points == 0 && attr->post_ops.len == 0;
}
