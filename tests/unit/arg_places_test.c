// SPDX-License-Identifier: Apache-2.0
// Places of arguments: each argument of a problem has one of its own, and nothing else has any.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/arg_places.h"
#include "common/post_ops_check.h"

enum { MAX_ARGS = 64, LAST_ARG = PRIM_ARG_ATTR_MULTIPLE_POST_OP(6) };

/// Every number is asked: the places of `expected` are different ones in 0..nplaces, all others −1.
static void has_places_for(const arg_places_t *places, const int *expected, int n)
{
    int found[MAX_ARGS];
    for (int arg = -5; arg <= LAST_ARG; ++arg) {
        int index = 0;
        while (index < n && expected[index] != arg) ++index;
        const int place = prim__arg_place(places, arg);
        if (index == n) {
            if (place != -1) fail_msg("argument %d has place %d", arg, place);
            continue;
        }
        if (place < 0 || place >= places->nplaces) fail_msg("argument %d: place %d", arg, place);
        found[index] = place;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
            if (found[i] == found[j]) fail_msg("%d and %d share a place", expected[i], expected[j]);
}

static void tensors_stand_in_their_order(void **state)
{
    (void)state;
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};
    const prim_attr_t attr = {0};
    tensor_t tensors[4];
    memset(tensors, 0, sizeof tensors);
    for (int i = 0; i < 4; ++i) tensors[i].arg = args[i];
    arg_places_t places;
    prim__places_init(&places, tensors, 4, &attr);
    for (int i = 0; i < 4; ++i) assert_int_equal(prim__arg_place(&places, args[i]), i);
    assert_int_equal(prim__arg_place(&places, PRIM_ARG_SCRATCHPAD), places.nplaces - 1);

    prim__places_add(&places, PRIM_ARG_WORKSPACE, 4);
    static const int all[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST,
            PRIM_ARG_WORKSPACE, PRIM_ARG_SCRATCHPAD};
    assert_int_equal(prim__arg_place(&places, PRIM_ARG_WORKSPACE), 4);
    has_places_for(&places, all, 6);
}

static void attributes_have_places(void **state)
{
    (void)state;
    quant_t scales[] = {{.arg = PRIM_ARG_SRC}, {.arg = PRIM_ARG_WEIGHTS}};
    quant_t zero_points[] = {{.arg = PRIM_ARG_DST}};
    post_op_t entries[] = {{.kind = PRIM_ELTWISE}, {.kind = PRIM_BINARY}, {.kind = PRIM_PRELU},
            {.kind = PRIM_SUM}, {.kind = PRIM_BINARY, .alg = PRIM_BINARY_SELECT}};
    const prim_attr_t attr = {.nscales = 2,
            .scales = scales,
            .nzero_points = 1,
            .zero_points = zero_points,
            .post_ops = {5, entries}};
    tensor_t tensors[3];
    memset(tensors, 0, sizeof tensors);
    tensors[0].arg = PRIM_ARG_SRC;
    tensors[1].arg = PRIM_ARG_WEIGHTS;
    tensors[2].arg = PRIM_ARG_DST;
    static const int all[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, PRIM_ARG_SCRATCHPAD,
            PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC, PRIM_ARG_ATTR_SCALES | PRIM_ARG_WEIGHTS,
            PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_DST,
            PRIM_ARG_ATTR_MULTIPLE_POST_OP(1) | PRIM_ARG_SRC_1,
            PRIM_ARG_ATTR_MULTIPLE_POST_OP(2) | PRIM_ARG_WEIGHTS,
            PRIM_ARG_ATTR_MULTIPLE_POST_OP(4) | PRIM_ARG_SRC_1,
            PRIM_ARG_ATTR_MULTIPLE_POST_OP(4) | PRIM_ARG_SRC_2};
    arg_places_t places;
    prim__places_init(&places, tensors, 3, &attr);
    has_places_for(&places, all, 11);
    for (int i = 0; i < attr.post_ops.len; ++i)
        for (int k = 0; k < prim__post_op_noperands(&entries[i]); ++k)
            assert_int_equal(prim__operand_place(&places, i, k),
                    prim__arg_place(&places, prim__post_op_operand_arg(&entries[i], i, k)));
}

static void numbered_sources_are_neighbours(void **state)
{
    (void)state;
    quant_t scales[] = {{.arg = PRIM_ARG_MULTIPLE_SRC + 1}};
    const prim_attr_t plain = {0}, scaled = {.nscales = 1, .scales = scales};
    tensor_t tensors[4];
    memset(tensors, 0, sizeof tensors);
    for (int i = 0; i < 3; ++i) tensors[i].arg = PRIM_ARG_MULTIPLE_SRC + i;
    tensors[3].arg = PRIM_ARG_DST;
    static const int all[] = {PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_MULTIPLE_SRC + 1,
            PRIM_ARG_MULTIPLE_SRC + 2, PRIM_ARG_DST, PRIM_ARG_SCRATCHPAD,
            PRIM_ARG_ATTR_SCALES | PRIM_ARG_MULTIPLE_SRC,
            PRIM_ARG_ATTR_SCALES | (PRIM_ARG_MULTIPLE_SRC + 1),
            PRIM_ARG_ATTR_SCALES | (PRIM_ARG_MULTIPLE_SRC + 2)};
    arg_places_t places;
    prim__places_init(&places, tensors, 4, &plain);
    has_places_for(&places, all, 5);
    assert_int_equal(prim__arg_place(&places, PRIM_ARG_MULTIPLE_SRC + 2), 2);
    prim__places_init(&places, tensors, 4, &scaled);
    has_places_for(&places, all, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(tensors_stand_in_their_order),
            cmocka_unit_test(attributes_have_places),
            cmocka_unit_test(numbered_sources_are_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
