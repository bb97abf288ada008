// SPDX-License-Identifier: Apache-2.0
#include "norm_case.h"

unsigned norm_case_classes(const prb_t *prb)
{
    const norm_case_t norm = prb->driver->norm->of(prb);
    return norm_data_classes(&norm);
}

void norm_case_fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const norm_case_t norm = prb->driver->norm->of(prb);
    (void)args;
    if (arg->kind == DATA_DIFF_DST)
        fill_multiples(arg, -8, 8, .25, 1.);
    else
        norm_fill(&norm, arg);
}

void norm_case_reference(const prb_t *prb, args_t *args)
{
    const norm_case_t norm = prb->driver->norm->of(prb);
    if (direction_is_backward(opt_direction(prb, prb->driver->norm->dir_option)))
        norm_backward_reference(&norm, args);
    else
        norm_reference(&norm, args);
}

void norm_case_set_compare(
        const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    if (arg->id != PRIM_ARG_DST) {
        compare->zero_percent = 100.;
        return;
    }
    // Integers hold few of the small values, u8 none of the negative ones.
    if (dt_is_integer(opt_dt(prb, prb->driver->norm->dt_option, 1))) compare->zero_percent = 99.;
    const norm_case_t norm = prb->driver->norm->of(prb);
    const double by_filling = norm_zero_percent(&norm) + 1.;
    if (compare->zero_percent < by_filling) compare->zero_percent = by_filling;
}
