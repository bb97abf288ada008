// SPDX-License-Identifier: Apache-2.0
// Convolutions whose weights have infinities, and their gradients by src, through every
// implementation of the CPU engine: an infinity that a window shows the padding alone meets no zero
// there, so that the sum stays finite; one that it shows src makes the sum infinite.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { MB = 2, SIDE = 9, IC = 3, OC = 5, K = 3, OLD = 7 }; // channels of a group

typedef struct {
    bool is_backward; ///< the gradient by src
    bool adds;        ///< to dst, which holds OLD
    prim_data_type_t type;
    prim_format_tag_t data_tag, wei_tag;
    int groups; ///< more than 1: the weights have a dimension for them
} problem_t;

static float data_at(int n, int c, int y, int x)
{
    return (float)(1 + (3 * n + c + 2 * y + x) % 4);
}

/// o counts over all groups.
static float weight_at(int o, int c, int kh, int kw)
{
    if (o == 1 && c == 1 && kh == 0 && kw == 0) return INFINITY;
    if (o == 2 && c == 0 && kh == 2) return -INFINITY;
    if (o == OC + 1 && c == 2 && kw == 2) return INFINITY;
    return (float)((o + 2 * c + kh + 3 * kw) % 5 - 2);
}

static float sum_at(const problem_t *p, int n, int channel, int y, int x)
{
    const int group = channel / (p->is_backward ? IC : OC);
    float sum = p->adds ? OLD : 0;
    const int nother = p->is_backward ? OC : IC;
    for (int other = 0; other < nother; ++other)
        for (int kh = 0; kh < K; ++kh)
            for (int kw = 0; kw < K; ++kw) {
                const int sign = p->is_backward ? -1 : 1;
                const int h = y + sign * (kh - 1), w = x + sign * (kw - 1);
                if (h < 0 || h >= SIDE || w < 0 || w >= SIDE) continue;
                sum += data_at(n, group * nother + other, h, w) *
                       (p->is_backward ? weight_at(group * OC + other, channel % IC, kh, kw)
                                       : weight_at(channel, other, kh, kw));
            }
    return sum;
}

/// Values that bf16 holds.
static void put(void *data, prim_data_type_t type, prim_dim_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (type == PRIM_F32)
        ((float *)data)[at] = value;
    else
        ((uint16_t *)data)[at] = (uint16_t)(bits >> 16);
}

static float get(const void *data, prim_data_type_t type, prim_dim_t at)
{
    if (type == PRIM_F32) return ((const float *)data)[at];
    const uint32_t bits = (uint32_t)((const uint16_t *)data)[at] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static prim_dim_t offset(const prim_memory_desc_t *md, int a, int b, int c, int d)
{
    return a * md->strides[0] + b * md->strides[1] + c * md->strides[2] + d * md->strides[3];
}

/// `of` NULL: OLD everywhere.
static prim_memory_t *make_data(const prim_memory_desc_t *md, float (*of)(int, int, int, int))
{
    prim_memory_t *const memory = api_memory(md, api_engine(0));
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (int i = 0; i < MB * md->dims[1]; ++i)
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x) {
                const int n = i % MB, c = i / MB;
                put(data, md->data_type, offset(md, n, c, y, x), of ? of(n, c, y, x) : OLD);
            }
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return memory;
}

/// In the layout that the implementation chose.
static prim_memory_t *make_weights(const prim_memory_desc_t *md, prim_stream_t *stream)
{
    const bool has_groups = md->ndims == 5;
    prim_memory_desc_t plain = api_md(md->ndims, md->dims, has_groups ? PRIM_abcde : PRIM_abcd);
    plain.data_type = md->data_type;
    const int nweights = (int)(has_groups ? md->dims[0] : 1) * OC * IC * K * K;
    prim_memory_t *const from = api_memory(&plain, api_engine(0));
    prim_memory_t *const to = api_memory(md, api_engine(0));
    void *data = NULL;
    api_expect(prim_memory_map_data(from, &data), PRIM_SUCCESS);
    for (int i = 0; i < nweights; ++i)
        put(data, plain.data_type, i,
                weight_at(i / (IC * K * K), i / (K * K) % IC, i / K % K, i % K));
    api_expect(prim_memory_unmap_data(from, data), PRIM_SUCCESS);
    prim_desc_t *pd = NULL;
    prim_t *reorder = NULL;
    api_expect(prim_reorder_desc_create(&pd, &plain, api_engine(0), md, api_engine(0), NULL),
            PRIM_SUCCESS);
    api_expect(prim_create(&reorder, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, from}, {PRIM_ARG_DST, to}};
    api_expect(prim_execute(reorder, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    prim_destroy(reorder);
    prim_desc_destroy(pd);
    prim_memory_destroy(from);
    return to;
}

static void expect_sums(
        const problem_t *p, const prim_memory_desc_t *md, prim_memory_t *memory, const char *name)
{
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (int i = 0; i < MB * md->dims[1] * SIDE * SIDE; ++i) {
        const int n = i % MB, c = i / (MB * SIDE * SIDE), y = i / MB / SIDE % SIDE;
        const int x = i / MB % SIDE;
        const float found = get(data, p->type, offset(md, n, c, y, x));
        const float expected = sum_at(p, n, c, y, x);
        if (!(found == expected) && !(isnan(found) && isnan(expected)))
            fail_msg("%s: image %d, channel %d, pixel %d,%d is %g, not %g", name, n, c, y, x,
                    (double)found, (double)expected);
    }
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
}

static void run(const problem_t *p, const prim_desc_t *pd)
{
    const prim_query_t in_of = p->is_backward ? PRIM_QUERY_DIFF_DST_MD : PRIM_QUERY_SRC_MD;
    const prim_query_t out_of = p->is_backward ? PRIM_QUERY_DIFF_SRC_MD : PRIM_QUERY_DST_MD;
    const prim_memory_desc_t *const in_md = prim_desc_query_md(pd, in_of, 0);
    const prim_memory_desc_t *const out_md = prim_desc_query_md(pd, out_of, 0);
    prim_stream_t *const stream = api_stream(api_engine(0));
    prim_memory_t *const in = make_data(in_md, data_at), *const out = make_data(out_md, NULL);
    prim_memory_t *const wei =
            make_weights(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0), stream);
    prim_t *primitive = NULL;
    const char *name = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{p->is_backward ? PRIM_ARG_DIFF_DST : PRIM_ARG_SRC, in},
            {PRIM_ARG_WEIGHTS, wei}, {p->is_backward ? PRIM_ARG_DIFF_SRC : PRIM_ARG_DST, out}};
    api_expect(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    expect_sums(p, out_md, out, name);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(in);
    prim_memory_destroy(out);
    prim_memory_destroy(wei);
}

static prim_attr_t *make_attr(bool adds)
{
    prim_attr_t *attr = NULL;
    prim_post_ops_t *steps = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_post_ops_create(&steps), PRIM_SUCCESS);
    if (adds) api_expect(prim_post_ops_append_sum(steps, 1, 0, PRIM_DATA_TYPE_UNDEF), PRIM_SUCCESS);
    api_expect(prim_attr_set_post_ops(attr, steps), PRIM_SUCCESS);
    prim_post_ops_destroy(steps);
    return attr;
}

/// Through all implementations but one: that of the reference is the last.
static void run_all(const problem_t *p)
{
    const int g = p->groups, has_groups = g > 1;
    const prim_dim_t src[] = {MB, g * IC, SIDE, SIDE}, dst[] = {MB, g * OC, SIDE, SIDE};
    const prim_dim_t wei[] = {g, OC, IC, K, K}, ones[] = {1, 1};
    prim_memory_desc_t mds[] = {api_md(4, src, p->data_tag),
            api_md(4 + has_groups, wei + 1 - has_groups, p->wei_tag), api_md(4, dst, p->data_tag)};
    for (int i = 0; i < 3; ++i) mds[i].data_type = p->type;
    prim_attr_t *const attr = make_attr(p->adds);
    prim_engine_t *const engine = api_engine(0);
    prim_desc_t *pd = NULL;
    api_expect(p->is_backward ? prim_convolution_backward_data_desc_create(&pd, engine,
                                        PRIM_CONVOLUTION_DIRECT, &mds[0], &mds[1], &mds[2], ones,
                                        NULL, ones, ones, NULL, attr)
                              : prim_convolution_forward_desc_create(&pd, engine,
                                        PRIM_FORWARD_INFERENCE, PRIM_CONVOLUTION_DIRECT, &mds[0],
                                        &mds[1], NULL, &mds[2], ones, NULL, ones, ones, attr),
            PRIM_SUCCESS);
    int count = 0;
    do run(p, pd);
    while (++count, prim_desc_next_impl(pd) == PRIM_SUCCESS);
    assert_true(count > 1);
    prim_desc_destroy(pd);
    prim_attr_destroy(attr);
}

static void padding_meets_no_infinity(void **state)
{
    (void)state;
    static const prim_format_tag_t data_tags[] = {PRIM_abcd, PRIM_acdb};
    static const prim_format_tag_t wei_tags[] = {PRIM_abcd, PRIM_acdb, PRIM_FORMAT_ANY};
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_BF16};
    for (int i = 0; i < 36; ++i)
        run_all(&(problem_t){.is_backward = i / 12 == 1,
                .adds = i / 12 == 2,
                .type = types[i / 6 % 2],
                .data_tag = data_tags[i / 3 % 2],
                .groups = 1,
                .wei_tag = wei_tags[i % 3]});
    for (int i = 0; i < 8; ++i)
        run_all(&(problem_t){.is_backward = i / 4 == 1,
                .type = types[i / 2 % 2],
                .data_tag = data_tags[i % 2],
                .groups = 2,
                .wei_tag = PRIM_abcde});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(padding_meets_no_infinity)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
