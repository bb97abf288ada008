// SPDX-License-Identifier: Apache-2.0
// The first half of a case: what needs no execution, up to the primitive.
#include "bench_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_args.h"
#include "bench_engine.h"
#include "bench_parallel.h"
#include "bench_progress.h"

static const char reason_case[] = "Case not supported";
static const char reason_dt[] = "Data type not supported";
static const char reason_invalid[] = "Invalid case";

const char *status_name(status_t status)
{
    static const char *const names[] = {
            [STATUS_UNTESTED_FAILED] = "UNTESTED_FAILED",
            [STATUS_LISTED] = "LISTED",
            [STATUS_SKIPPED] = "SKIPPED",
            [STATUS_INVALID_ARGUMENTS] = "INVALID_ARGUMENTS",
            [STATUS_UNIMPLEMENTED] = "UNIMPLEMENTED",
            [STATUS_INITIALIZED] = "INITIALIZED",
            [STATUS_EXECUTED] = "EXECUTED",
            [STATUS_PASSED] = "PASSED",
            [STATUS_MISTRUSTED] = "MISTRUSTED",
            [STATUS_FAILED] = "FAILED",
    };
    return names[status];
}

static void settle(bench_case_t *c, status_t status, const char *reason)
{
    c->result.status = status;
    c->result.reason = reason;
}

/// What the library answered decides the status.
static void settle_by_library(bench_case_t *c, const char *function, prim_status_t status)
{
    printf("Error: %s returned '%s': %s\n", function, prim_status_name(status), prim_last_error());
    settle(c,
            status == PRIM_UNIMPLEMENTED       ? STATUS_UNIMPLEMENTED
            : status == PRIM_INVALID_ARGUMENTS ? STATUS_INVALID_ARGUMENTS
                                               : STATUS_FAILED,
            NULL);
}

static bool uses_f64(const prb_t *prb)
{
    const option_t *const options = prb->driver->options;
    for (int i = 0; options[i].name; ++i)
        for (int k = 0; options[i].kind == OPTION_DT && k < prb->options[i]->count; ++k)
            if (prb->options[i]->as.dt[k] == PRIM_F64) return true;
    return false;
}

/// A backward direction that exists in the grammar only.
static bool lacks_direction(const prb_t *prb)
{
    const option_t *const options = prb->driver->options;
    for (int i = 0; options[i].name; ++i) {
        if (options[i].kind != OPTION_DIRECTION) continue;
        const direction_t direction = prb->options[i]->as.direction;
        if (direction_is_backward(direction) && !(prb->driver->backward & DIRECTION_BIT(direction)))
            return true;
    }
    return false;
}

static bool is_image(const char *tag)
{
    return strcmp(tag, "image") == 0;
}

/// Some tensor is to be an image.
static bool uses_images(const prb_t *prb)
{
    const option_t *const options = prb->driver->options;
    for (int i = 0; options[i].name; ++i)
        for (int k = 0; options[i].kind == OPTION_TAG && k < prb->options[i]->count; ++k)
            if (is_image(prb->options[i]->as.tag[k])) return true;
    const post_ops_spec_t *const post_ops = &prb->attr->post_ops;
    for (int i = 0; i < post_ops->count; ++i)
        for (int k = 0; k < post_op_noperands(&post_ops->entries[i]); ++k)
            if (is_image(post_op_operand(&post_ops->entries[i], k)->tag)) return true;
    return false;
}

/// --data= asks for values that mean nothing to the operation or its types.
static bool has_foreign_data(const prb_t *prb)
{
    const unsigned classes =
            prb->driver->data_classes ? prb->driver->data_classes(prb) : DATA_BIT(CLASS_SMALL);
    return !(classes & DATA_BIT(prb->data_class));
}

/// The type of DST: --ddt, or the last of --dt.
static prim_data_type_t dst_type(const prb_t *prb)
{
    const int ddt = driver_option_index(prb->driver, "ddt");
    const int option = ddt >= 0 ? ddt : driver_option_index(prb->driver, "dt");
    if (option < 0) return PRIM_DATA_TYPE_UNDEF;
    const option_value_t *const value = prb->options[option];
    return value->as.dt[value->count - 1];
}

/// A sum reads dst as a type of its own, which must have the size of dst's.
static bool has_resized_sum(const prb_t *prb)
{
    const prim_data_type_t dst = dst_type(prb);
    for (int i = 0; i < prb->attr->post_ops.count; ++i) {
        const post_op_t *const op = &prb->attr->post_ops.entries[i];
        if (op->kind == PRIM_SUM && op->dt != PRIM_DATA_TYPE_UNDEF && dst != PRIM_DATA_TYPE_UNDEF &&
                dt_bits(op->dt) != dt_bits(dst))
            return true;
    }
    return false;
}

skip_reason_t skip_because(skip_reason_t reason, const char *why)
{
    if (bench.verbose >= 2) printf("skipped: %s\n", why);
    return reason;
}

skip_reason_t skip_gradient(const prb_t *prb, bool has_integer)
{
    const attr_spec_t *const attr = prb->attr;
    if (has_integer) return skip_because(SKIP_INVALID_CASE, "integers have no gradient");
    if (attr->scales.count > 0 || attr->zero_points.count > 0 || attr->post_ops.count > 0)
        return skip_because(SKIP_INVALID_CASE, "a gradient takes no scales and post-ops");
    return SKIP_NONE;
}

/// What no driver has, as a sentence; NULL when the case asks for nothing of it.
static const char *find_missing(const prb_t *prb)
{
    const attr_spec_t *const attr = prb->attr;
    if (lacks_direction(prb)) return "there is no such backward pass";
    if (attr->dropout[0]) return "there is no dropout";
    if (strstr(attr->rounding, "stochastic"))
        return "there is no rounding mode but the environment's";
    if (attr_has_depthwise(attr) && !prb->driver->depthwise_types)
        return "a depthwise convolution is fused with another convolution alone";
    return bench_missing_feature();
}

static skip_reason_t find_skip_reason(const prb_t *prb)
{
    const char *const missing = find_missing(prb);
    if (missing) return skip_because(SKIP_CASE_NOT_SUPPORTED, missing);
    if (uses_images(prb) && !engine_is_gpu()) return SKIP_INVALID_CASE;
    const skip_reason_t own = prb->driver->skip ? prb->driver->skip(prb) : SKIP_NONE;
    if (own != SKIP_NONE) return own;
    if (has_resized_sum(prb))
        return skip_because(SKIP_INVALID_CASE, "sum reads dst as a type of another size");
    if (has_foreign_data(prb))
        return skip_because(SKIP_INVALID_CASE, "--data names values that mean nothing here");
    return uses_f64(prb) && !engine_has_f64() ? SKIP_DATA_TYPE_NOT_SUPPORTED : SKIP_NONE;
}

/// True when the case is settled without the library.
static bool is_settled_early(bench_case_t *c)
{
    if (c->index < bench.start) {
        settle(c, STATUS_SKIPPED, "Skip-start option hit");
    } else if (!bench_sample_has(c->index)) {
        settle(c, STATUS_SKIPPED, "Not in the sample");
    } else if (bench.mode == MODE_LIST && !bench.lists_impls) {
        settle(c, STATUS_LISTED, NULL);
    } else {
        switch (find_skip_reason(&c->prb)) {
        case SKIP_CASE_NOT_SUPPORTED: settle(c, STATUS_SKIPPED, reason_case); break;
        case SKIP_DATA_TYPE_NOT_SUPPORTED: settle(c, STATUS_SKIPPED, reason_dt); break;
        case SKIP_INVALID_CASE: settle(c, STATUS_SKIPPED, reason_invalid); break;
        default: return false;
        }
    }
    return true;
}

static const char *implementation_name(const prim_desc_t *pd)
{
    const char *name = NULL;
    if (prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name) != PRIM_SUCCESS) return "";
    return name ? name : "";
}

/// Walks on to the first implementation the filter takes.
static bool apply_filter(bench_case_t *c)
{
    while (!impl_filter_takes(&c->impl_filter, implementation_name(c->pd))) {
        const prim_status_t status = prim_desc_next_impl(c->pd);
        if (status == PRIM_SUCCESS) continue;
        if (status == PRIM_LAST_IMPL_REACHED)
            settle(c, STATUS_SKIPPED, "Skip-impl option hit");
        else
            settle_by_library(c, "prim_desc_next_impl", status);
        return false;
    }
    return true;
}

static bool create_desc(bench_case_t *c)
{
    prim_status_t status = attr_build(&c->prim_attr, &c->prb);
    if (status != PRIM_SUCCESS) {
        settle_by_library(c, "setting the attributes", status);
        return false;
    }
    const double begin = now_ms();
    status = c->prb.driver->create_desc(&c->pd, &c->prb, engine_tested(), c->prim_attr);
    c->result.perf.create_desc_ms[0] = now_ms() - begin;
    if (status == PRIM_SUCCESS) return bench.mode == MODE_LIST || apply_filter(c);
    settle_by_library(c, "creation of the primitive descriptor", status);
    return false;
}

static bool create_primitive(bench_case_t *c)
{
    const double begin = now_ms();
    const prim_status_t status = prim_create(&c->primitive, c->pd);
    c->result.perf.create_ms[0] = now_ms() - begin;
    if (bench_progress_is_wanted()) bench_progress_creation(stderr, c->result.perf.create_ms[0]);
    if (status == PRIM_SUCCESS) return true;
    settle_by_library(c, "creation of the primitive", status);
    return false;
}

/// Creates everything again, to time what the primitive cache leaves of it.
static void time_second_creation(bench_case_t *c)
{
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    const double begin = now_ms();
    if (c->prb.driver->create_desc(&pd, &c->prb, engine_tested(), c->prim_attr) != PRIM_SUCCESS)
        return;
    const double middle = now_ms();
    if (prim_create(&primitive, c->pd) == PRIM_SUCCESS) {
        c->result.perf.create_desc_ms[1] = middle - begin;
        c->result.perf.create_ms[1] = now_ms() - middle;
    }
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

/// --attr-same-pd-check: attributes must not change the implementation.
static bool has_same_impl_without_attr(const bench_case_t *c)
{
    prim_desc_t *pd = NULL;
    if (c->prb.driver->create_desc(&pd, &c->prb, engine_tested(), NULL) != PRIM_SUCCESS)
        return true;
    const bool is_same = strcmp(implementation_name(pd), c->result.impl_name) == 0;
    prim_desc_destroy(pd);
    return is_same;
}

static bool passes_impl_checks(bench_case_t *c)
{
    if (!bench_mode_has(MODE_CORR)) return true;
    if (bench.check_ref_impl && strstr(c->result.impl_name, "ref")) {
        settle(c, STATUS_FAILED, "Ref Impl Not Expected");
        return false;
    }
    if (bench.same_pd_check && !has_same_impl_without_attr(c)) {
        settle(c, STATUS_FAILED, "Attributes change the implementation");
        return false;
    }
    return true;
}

/// The names of all implementations that take the case, in the library's order, on one line.
static void list_impls(bench_case_t *c)
{
    text_t names = {0};
    prim_status_t status = PRIM_SUCCESS;
    for (; status == PRIM_SUCCESS; status = prim_desc_next_impl(c->pd)) {
        const char *const name = implementation_name(c->pd);
        if (impl_filter_takes(&c->impl_filter, name)) text_printf(&names, " %s", name);
    }
    printf("implementations:%s\n", text_string(&names));
    text_free(&names);
    if (status == PRIM_LAST_IMPL_REACHED)
        settle(c, STATUS_LISTED, NULL);
    else
        settle_by_library(c, "prim_desc_next_impl", status);
}

void case_create(bench_case_t *c)
{
    if (is_settled_early(c)) return;
    if (bench.verbose >= 1) printf("create: %s\n", text_string(&c->repro));
    const int threads = bench_set_threads(c->ctx_init.max);
    if (create_desc(c)) {
        if (bench.mode == MODE_LIST) {
            list_impls(c);
            bench_set_threads(threads);
            return;
        }
        c->result.impl_name = implementation_name(c->pd);
        if (bench.verbose >= 5) printf("implementation: %s\n", c->result.impl_name);
        if (passes_impl_checks(c) && create_primitive(c)) {
            settle(c, STATUS_INITIALIZED, NULL);
            if (bench_mode_has(MODE_PERF)) time_second_creation(c);
        }
    }
    bench_set_threads(threads);
}

void case_destroy(bench_case_t *c)
{
    if (!c) return;
    prim_destroy(c->primitive);
    prim_desc_destroy(c->pd);
    prim_attr_destroy(c->prim_attr);
    text_free(&c->repro);
    free(c->perf_template);
    free(c);
}
