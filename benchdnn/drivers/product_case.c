// SPDX-License-Identifier: Apache-2.0
// What a driver of products hands to the core: the product of the case, then what all of them do.
#include "product.h"

unsigned product_case_classes(const prb_t *prb)
{
    const product_t product = prb->driver->product->of(prb);
    return product_classes(&product, prb);
}

void product_case_fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const product_t product = prb->driver->product->of(prb);
    (void)args;
    product_fill(&product, prb, arg);
}

void product_case_reference(const prb_t *prb, args_t *args)
{
    const product_driver_t *const driver = prb->driver->product;
    const product_t product = driver->of(prb);
    product_reference(&product, args, driver->sum);
}

void product_case_list_args(const prb_t *prb, args_t *args)
{
    const bool has_bias = prb->driver->product->of(prb).bias != PRIM_DATA_TYPE_UNDEF;
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_WEIGHTS, ARG_IN, DATA_WEI);
    if (has_bias) args_add(args, PRIM_ARG_BIAS, ARG_IN, DATA_BIA);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}
