// SPDX-License-Identifier: Apache-2.0
// zeropad: a tensor goes into a layout that rounds dimensions up to whole blocks. Its memory holds
// other bits before; behind the ends of the dimensions there have to be zeros then, which the core
// checks of every output.
#include <string.h>

#include "core/driver.h"
#include "type_skip.h"

enum { DT, TAG };

static const option_t options[] = {
        [DT] = {.name = "dt", .kind = OPTION_DT, .fallback = "f32"},
        [TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        {.name = NULL},
};

static skip_reason_t skip(const prb_t *prb)
{
    const attr_spec_t *const attr = prb->attr;
    if (strcmp(opt_tag(prb, TAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "zeropad: images have no blocks");
    if (attr->post_ops.count + attr->scales.count + attr->zero_points.count > 0)
        return skip_because(
                SKIP_INVALID_CASE, "zeropad: values stay what they are, there are no attributes");
    return skip_types(prb, DT, DT);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    prim_memory_desc_t plain, padded;
    prim_status_t st = bench_md(&plain, p->ndims, p->dims[0], dt, "abx");
    if (st == PRIM_SUCCESS) st = bench_md(&padded, p->ndims, p->dims[0], dt, opt_tag(prb, TAG, 0));
    if (st != PRIM_SUCCESS) return st;
    return prim_reorder_desc_create(pd, &plain, engine, &padded, engine, attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    (void)prb;
    args_add(args, PRIM_ARG_FROM, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_TO, ARG_OUT, DATA_DST);
}

static unsigned data_classes(const prb_t *prb)
{
    return data_classes_of(opt_dt(prb, DT, 0));
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const data_mixture_t values = {prb->data_class, arg->md.data_type, 31, 17};
    (void)args;
    fill_by_rng(arg, data_class_value, &values);
}

static void reference(const prb_t *prb, args_t *args)
{
    const arg_t *const dst = args_find(args, PRIM_ARG_TO);
    (void)prb;
    memcpy(dst->data, args_data(args, PRIM_ARG_FROM), (size_t)dst->nelems * sizeof *dst->data);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->zero_percent = 65.; // small integers hold zeros
    compare->allows_nan_inf = true;
}

const driver_t bench_zeropad_driver = {
        .name = "zeropad",
        .primitive_kind = PRIM_REORDER,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dt%,%tag%",
        .skip = skip,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
