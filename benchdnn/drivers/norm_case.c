// SPDX-License-Identifier: Apache-2.0
#include "norm_case.h"

static void list_statistics(args_t *args, arg_role_t role)
{
    args_add(args, PRIM_ARG_MEAN, role, DATA_MEAN);
    args_add(args, PRIM_ARG_VARIANCE, role, DATA_VARIANCE)->keeps_fill = true;
}

static void list_backward(args_t *args, unsigned flags, bool is_inplace, bool of_parameters)
{
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    list_statistics(args, ARG_IN);
    if (flags & PRIM_USE_SCALE) args_add(args, PRIM_ARG_SCALE, ARG_IN, DATA_SCALE);
    arg_t *const diff_dst = args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
    if (is_inplace) diff_dst->inplace_with = PRIM_ARG_DIFF_SRC;
    args_add(args, PRIM_ARG_WORKSPACE, ARG_IN, DATA_WORKSPACE)->keeps_fill = true;
    args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
    if (flags & PRIM_FUSE_NORM_ADD_RELU)
        args_add(args, PRIM_ARG_DIFF_SRC_1, ARG_OUT, DATA_DIFF_SRC);
    if (!of_parameters) return;
    if (flags & PRIM_USE_SCALE) args_add(args, PRIM_ARG_DIFF_SCALE, ARG_OUT, DATA_SCALE);
    if (flags & PRIM_USE_SHIFT) args_add(args, PRIM_ARG_DIFF_SHIFT, ARG_OUT, DATA_SHIFT);
}

static void list_forward(args_t *args, unsigned flags, bool is_inplace, bool is_training)
{
    const bool is_given = flags & PRIM_USE_GLOBAL_STATS;
    arg_t *const src = args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    if (is_inplace) src->inplace_with = PRIM_ARG_DST;
    if (flags & PRIM_FUSE_NORM_ADD_RELU) args_add(args, PRIM_ARG_SRC_1, ARG_IN, DATA_SRC_1);
    if (is_given || is_training) list_statistics(args, is_given ? ARG_IN : ARG_OUT);
    if (flags & PRIM_USE_SCALE) args_add(args, PRIM_ARG_SCALE, ARG_IN, DATA_SCALE);
    if (flags & PRIM_USE_SHIFT) args_add(args, PRIM_ARG_SHIFT, ARG_IN, DATA_SHIFT);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
    args_add(args, PRIM_ARG_WORKSPACE, ARG_OUT, DATA_WORKSPACE);
}

// Workspaces that a primitive does not have are left out by whoever takes the list.
void norm_case_list_args(const prb_t *prb, args_t *args)
{
    const norm_driver_t *const driver = prb->driver->norm;
    const unsigned flags = driver->of(prb).flags;
    const bool is_inplace = opt_bool(prb, driver->inplace_option);
    const direction_t direction = opt_direction(prb, driver->dir_option);
    if (direction_is_backward(direction))
        list_backward(args, flags, is_inplace, direction == BWD_DW);
    else
        list_forward(args, flags, is_inplace, direction != FWD_I);
}

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
