// SPDX-License-Identifier: Apache-2.0
// Convolutions: which outputs a tap reaches, against the definition.
#include "common/conv_shape.h"
#include "support/unit_test.h"

static void taps_reach_what_they_should(void **state)
{
    (void)state;
    int ncases = 0;
    for (prim_dim_t stride = 1; stride <= 4; ++stride)
        for (prim_dim_t dilation = 1; dilation <= 3; ++dilation)
            for (prim_dim_t pad = 0; pad <= 5; ++pad)
                for (prim_dim_t tap = 0; tap < 4; ++tap)
                    for (prim_dim_t in = 1; in <= 9; ++in) {
                        conv_shape_t shape = {.in = {1, 1, in}, .out = {1, 1, 6}};
                        shape.stride[CONV_W] = stride;
                        shape.dilation[CONV_W] = dilation;
                        shape.pad[CONV_W] = pad;
                        prim_dim_t first = -1, past = -1;
                        prim__conv_valid_range(&shape, CONV_W, tap, &first, &past);
                        assert_true(first >= 0 && first <= past && past <= 6);
                        for (prim_dim_t o = 0; o < 6; ++o) {
                            const prim_dim_t at = o * stride + tap * dilation - pad;
                            assert_int_equal(at >= 0 && at < in, o >= first && o < past);
                        }
                        ++ncases;
                    }
    assert_int_equal(ncases, 4 * 3 * 6 * 4 * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(taps_reach_what_they_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
