// SPDX-License-Identifier: Apache-2.0
// What the tests of operations' creators share.
#include "op_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

prim_engine_t *op_engine;
prim_stream_t *op_stream;

/// Buffers of a device are copies of the caller's arrays: in at op_memory(), back in op_run().
enum { MAX_COPIES = 2048 };
static struct {
    prim_memory_t *memory;
    void *data;
} copies[MAX_COPIES];
static int ncopies;
static bool is_device;

int op_setup(void **state)
{
    (void)state;
    const char *const kind = getenv("PRIM_TEST_ENGINE");
    is_device = kind && strcmp(kind, "gpu") == 0;
    if (prim_engine_create(&op_engine, is_device ? PRIM_GPU : PRIM_CPU, 0) != PRIM_SUCCESS)
        return -1;
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

/// The types that kernels do not compute with (doc/devices.md) are an OpenCL engine's only gap.
static bool lacks_type(prim_status_t got)
{
    return is_device && got == PRIM_UNIMPLEMENTED &&
           strstr(prim_last_error(), "kernels take f32, f16, bf16, s32, s8, u8");
}

void op_expect(const char *name, prim_status_t got, prim_status_t expected, prim_desc_t **pd)
{
    if (expected == PRIM_SUCCESS && lacks_type(got)) return;
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
    const bool is_copy = is_device && data;
    assert_int_equal(
            prim_memory_create(&memory, md, op_engine, is_copy ? PRIM_MEMORY_ALLOCATE : data),
            PRIM_SUCCESS);
    if (!is_copy) return memory;
    assert_int_equal(
            prim_memory_write(memory, data, prim_memory_desc_get_size(md), 0), PRIM_SUCCESS);
    copies[ncopies % MAX_COPIES].memory = memory;
    copies[ncopies++ % MAX_COPIES].data = data;
    return memory;
}

/// Makes the caller's array what the memory holds.
static void copy_back(const prim_memory_t *memory)
{
    const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(memory));
    for (int i = 0; i < MAX_COPIES; ++i) {
        if (copies[i].memory != memory) continue;
        assert_int_equal(prim_memory_read(memory, copies[i].data, bytes, 0), PRIM_SUCCESS);
        copies[i].memory = NULL;
    }
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
        if (is_seen) continue;
        copy_back(args[i].memory);
        prim_memory_destroy(args[i].memory);
    }
}
