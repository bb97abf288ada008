// SPDX-License-Identifier: Apache-2.0
#include "product_rules.h"

#include "common/data_type.h"

prim_status_t prim__product_check_floats(const shapes_t *shapes)
{
    for (int i = 0; shapes->schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i)
        if (shapes->mds[i] && prim__dt_is_integer(shapes->mds[i]->data_type))
            return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no integers: %s is %s",
                    shapes->schema->name, shapes->schema->tensors[i].name,
                    prim_data_type_name(shapes->mds[i]->data_type));
    return PRIM_SUCCESS;
}

const tensor_rule_t prim__product_data_tensors[] = {
        [PRODUCT_DATA_DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [PRODUCT_DATA_WEI] = {.arg = PRIM_ARG_WEIGHTS,
                .name = "weights",
                .log_name = "wei",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .hint = PRIM_ARG_WEIGHTS,
                .query = PRIM_QUERY_WEIGHTS_MD},
        [PRODUCT_DATA_DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        [PRODUCT_DATA_BIA] = {.arg = PRIM_ARG_BIAS,
                .name = "bias",
                .log_name = "bia",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY | TENSOR_OF_NESTED,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .query_index = 1},
        {0},
};

const tensor_rule_t prim__product_weights_tensors[] = {
        [PRODUCT_WEIGHTS_SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_SRC_MD},
        [PRODUCT_WEIGHTS_DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [PRODUCT_WEIGHTS_DIFF_WEI] = {.arg = PRIM_ARG_DIFF_WEIGHTS,
                .name = "diff_weights",
                .log_name = "diff_wei",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .hint = PRIM_ARG_WEIGHTS,
                .query = PRIM_QUERY_DIFF_WEIGHTS_MD},
        [PRODUCT_WEIGHTS_DIFF_BIA] = {.arg = PRIM_ARG_DIFF_BIAS,
                .name = "diff_bias",
                .log_name = "diff_bia",
                .flags = TENSOR_OUTPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_DIFF_WEIGHTS_MD,
                .query_index = 1},
        {0},
};
