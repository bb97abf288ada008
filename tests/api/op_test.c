// SPDX-License-Identifier: Apache-2.0
// What the tests of operations' creators share.
#include "op_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

prim_engine_t *op_engine;
prim_stream_t *op_stream;

int op_setup(void **state)
{
    (void)state;
    if (prim_engine_create(&op_engine, PRIM_CPU, 0) != PRIM_SUCCESS) return -1;
    return prim_stream_create(&op_stream, op_engine, PRIM_STREAM_DEFAULT) == PRIM_SUCCESS ? 0 : -1;
}

int op_teardown(void **state)
{
    (void)state;
    prim_stream_destroy(op_stream);
    prim_engine_destroy(op_engine);
    return 0;
}

static prim_data_type_t parse_type(const char *name)
{
    for (int dt = PRIM_F16; dt <= PRIM_F4_E3M0; ++dt) {
        if (strcmp(prim_data_type_name((prim_data_type_t)dt), name) == 0)
            return (prim_data_type_t)dt;
    }
    fail_msg("\"%s\" is not a data type", name);
    return PRIM_DATA_TYPE_UNDEF;
}

prim_memory_desc_t op_md(const char *text)
{
    prim_memory_desc_t md;
    char type[16], tag[48], dims_text[80];
    prim_dims_t dims;
    int ndims = 0;
    memset(&md, 0, sizeof md);
    if (!*text) return md;
    assert_int_equal(sscanf(text, "%15s %47s %79s", type, tag, dims_text), 3);
    for (char *rest = dims_text; *rest && ndims < PRIM_MAX_NDIMS; rest += *rest == 'x') {
        if (*rest == 'r') {
            dims[ndims++] = PRIM_RUNTIME_DIM_VAL;
            ++rest;
        } else {
            dims[ndims++] = strtoll(rest, &rest, 10);
        }
    }
    const prim_status_t st =
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, parse_type(type), tag);
    if (st != PRIM_SUCCESS) fail_msg("\"%s\": %s", text, prim_last_error());
    return md;
}

const prim_memory_desc_t *op_md_or_null(prim_memory_desc_t *storage, const char *text)
{
    if (!text) return NULL;
    *storage = op_md(text);
    return storage;
}

void op_expect(const char *name, prim_status_t got, prim_status_t expected, prim_desc_t **pd)
{
    if (got != expected) {
        fail_msg("%s: %s instead of %s (%s)", name, prim_status_name(got),
                prim_status_name(expected), prim_last_error());
    }
    if (got == PRIM_SUCCESS) {
        assert_ptr_not_equal(*pd, UNTOUCHED);
        prim_desc_destroy(*pd);
        *pd = UNTOUCHED;
        return;
    }
    if (*pd != UNTOUCHED) fail_msg("%s: the out-parameter was touched", name);
    if (!*prim_last_error()) fail_msg("%s: no sentence", name);
}

void op_expect_tag(const prim_desc_t *pd, int arg, const char *expected)
{
    char tag[64];
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, arg);
    assert_int_equal(prim_memory_desc_get_tag(md, tag, sizeof tag), PRIM_SUCCESS);
    assert_string_equal(tag, expected);
}

void op_expect_post_ops(op_create_t create, const char *operand, const char *wrong, int prelu_mask)
{
    const prim_memory_desc_t operand_md = op_md(operand), wrong_md = op_md(wrong);
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    prim_post_ops_append_sum(chain, 0.5f, 0, PRIM_DATA_TYPE_UNDEF);
    prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0.0f, 0.0f);
    prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &operand_md);
    prim_post_ops_append_prelu(chain, prelu_mask);
    prim_attr_set_post_ops(attr, chain);
    op_expect("all four", create(&pd, attr), PRIM_SUCCESS, &pd);
    prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &wrong_md);
    prim_attr_set_post_ops(attr, chain);
    op_expect("operand's shape", create(&pd, attr), PRIM_INVALID_ARGUMENTS, &pd);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
}

prim_memory_t *op_memory(const prim_memory_desc_t *md, void *data)
{
    prim_memory_t *memory = NULL;
    assert_int_equal(prim_memory_create(&memory, md, op_engine, data), PRIM_SUCCESS);
    return memory;
}

void op_run(prim_desc_t *pd, int nargs, prim_arg_t *args)
{
    prim_t *primitive = NULL;
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_status_t st = prim_execute(primitive, op_stream, nargs, args);
    if (st != PRIM_SUCCESS) fail_msg("%s", prim_last_error());
    assert_int_equal(prim_stream_wait(op_stream), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    for (int i = 0; i < nargs; ++i) {
        bool is_seen = false;
        for (int j = 0; j < i; ++j) is_seen = is_seen || args[j].memory == args[i].memory;
        if (!is_seen) prim_memory_destroy(args[i].memory);
    }
}
