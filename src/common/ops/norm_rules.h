// SPDX-License-Identifier: Apache-2.0
// What the schemas of batch, group and layer normalisation have in common: rules of their tensors,
// the check of their parameters.
#ifndef PRIM_COMMON_OPS_NORM_RULES_H
#define PRIM_COMMON_OPS_NORM_RULES_H

#include "schema.h"

/// When the statistics of a forward pass are the caller's, and when they are kept for a backward
/// pass.
#define NORM_GIVEN .any_flag = PRIM_USE_GLOBAL_STATS
#define NORM_KEPT .no_flag = PRIM_USE_GLOBAL_STATS, .prop_kind = PRIM_FORWARD_TRAINING

/// A rule each. `of`: further members; `...`: when there is the tensor (presence_t).
#define NORM_MEAN(of_flags, of_maker, of_query, ...)                                    \
    {                                                                                   \
        .arg = PRIM_ARG_MEAN, .name = "mean", .flags = (of_flags), .maker = (of_maker), \
        .when = {__VA_ARGS__}, .query = (of_query), .query_index = 1                    \
    }
#define NORM_VARIANCE(of_flags, of_maker, of_query, ...)                                      \
    {                                                                                         \
        .arg = PRIM_ARG_VARIANCE, .name = "variance", .log_name = "var", .flags = (of_flags), \
        .maker = (of_maker), .when = {__VA_ARGS__}, .query = (of_query), .query_index = 2     \
    }
#define NORM_SCALE(of_maker)                                                                \
    {                                                                                       \
        .arg = PRIM_ARG_SCALE, .name = "scale", .flags = TENSOR_INPUT, .maker = (of_maker), \
        .when = {.any_flag = PRIM_USE_SCALE}, .query = PRIM_QUERY_WEIGHTS_MD                \
    }
#define NORM_SHIFT(of_maker)                                                                   \
    {                                                                                          \
        .arg = PRIM_ARG_SHIFT, .name = "shift", .flags = TENSOR_INPUT, .maker = (of_maker),    \
        .when = {.any_flag = PRIM_USE_SHIFT}, .query = PRIM_QUERY_WEIGHTS_MD, .query_index = 1 \
    }
#define NORM_DIFF_SCALE(of_maker)                                                              \
    {                                                                                          \
        .arg = PRIM_ARG_DIFF_SCALE, .name = "diff_scale", .flags = TENSOR_OUTPUT,              \
        .maker = (of_maker), .when = {.any_flag = PRIM_USE_SCALE, .prop_kind = PRIM_BACKWARD}, \
        .query = PRIM_QUERY_DIFF_WEIGHTS_MD                                                    \
    }
#define NORM_DIFF_SHIFT(of_maker)                                                              \
    {                                                                                          \
        .arg = PRIM_ARG_DIFF_SHIFT, .name = "diff_shift", .flags = TENSOR_OUTPUT,              \
        .maker = (of_maker), .when = {.any_flag = PRIM_USE_SHIFT, .prop_kind = PRIM_BACKWARD}, \
        .query = PRIM_QUERY_DIFF_WEIGHTS_MD, .query_index = 1                                  \
    }
#define NORM_BACKWARD_SRC                                                                \
    {                                                                                    \
        .arg = PRIM_ARG_SRC, .name = "src", .flags = TENSOR_INPUT, .hint = PRIM_ARG_SRC, \
        .query = PRIM_QUERY_SRC_MD                                                       \
    }
#define NORM_DIFF_DST                                                                            \
    {                                                                                            \
        .arg = PRIM_ARG_DIFF_DST, .name = "diff_dst", .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY, \
        .follows = PRIM_ARG_SRC, .hint = PRIM_ARG_DST, .query = PRIM_QUERY_DIFF_DST_MD           \
    }
#define NORM_DIFF_SRC                                                                             \
    {                                                                                             \
        .arg = PRIM_ARG_DIFF_SRC, .name = "diff_src", .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY, \
        .follows = PRIM_ARG_DIFF_DST, .hint = PRIM_ARG_SRC, .in_place = PRIM_ARG_DIFF_DST,        \
        .query = PRIM_QUERY_DIFF_SRC_MD                                                           \
    }

/// The parameters `flags` and `epsilon`, first in a table of parameters.
#define NORM_PARAMS                                                                                \
    {"flags", PARAM_FLAGS, offsetof(op_desc_t, u.norm.flags), PRIM_QUERY_FLAGS, true, NULL},       \
    {                                                                                              \
        "epsilon", PARAM_FLOAT, offsetof(op_desc_t, u.norm.epsilon), PRIM_QUERY_EPSILON_F32, true, \
                NULL                                                                               \
    }

/// src, of rule 0, has two dimensions or more, and the tensor of rule `other` its shape; no flags
/// but `all`; epsilon is a number.
prim_status_t prim__norm_check(const shapes_t *shapes, int other, unsigned all);
/// The same of a backward pass; its tensors, of rules 0, `diff_dst` and `diff_src`, have one shape.
prim_status_t prim__norm_check_backward(
        const shapes_t *shapes, int diff_dst, int diff_src, unsigned all);
/// PRIM_UNIMPLEMENTED if one of these holds integers.
prim_status_t prim__norm_check_floats(const shapes_t *shapes, int diff_dst, int diff_src);

#endif
