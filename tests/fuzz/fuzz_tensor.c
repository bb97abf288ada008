// SPDX-License-Identifier: Apache-2.0
// Calls of the functions of memories: what was written must be read.
#include <stdlib.h>
#include <string.h>

#include "fuzz_world.h"

/// Recordings would go on using the application's buffers.
static void forget_recordings(fuzz_side_t *side, const fuzz_tensor_t *tensor)
{
    for (int r = 0; r < FUZZ_RECORDINGS; ++r) {
        fuzz_recording_t *const kept = &side->recordings[r];
        bool has_tensor = false;
        for (int i = 0; i < kept->n; ++i)
            has_tensor = has_tensor || tensor == &side->tensors[kept->from[i]] ||
                         tensor == &side->tensors[kept->to[i]];
        if (!has_tensor) continue;
        prim_recording_destroy(kept->recording);
        memset(kept, 0, sizeof *kept);
    }
}

void fuzz_tensor_destroy(fuzz_side_t *side, fuzz_tensor_t *tensor)
{
    forget_recordings(side, tensor);
    // Work on the application's buffers ends before they go.
    for (int i = 0; i < FUZZ_STREAMS; ++i)
        if (side->streams[i].stream)
            fuzz_expect(__func__, prim_stream_wait(side->streams[i].stream), PRIM_SUCCESS);
    prim_memory_destroy(tensor->memory);
    fuzz_ocl_tensor_free(tensor);
    free(tensor->own);
    memset(tensor, 0, sizeof *tensor);
}

void fuzz_tensor_fill(fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    fuzz_tensor_draw(tensor->values, in);
    fuzz_expect(__func__, prim_memory_write(tensor->memory, tensor->values, FUZZ_BYTES, 0),
            PRIM_SUCCESS);
}

/// The application's host memory on the CPU, where its buffer may start with a gap.
static void make_on_host(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    const prim_memory_desc_t md = fuzz_tensor_md();
    const int gap = fuzz_below(in, FUZZ_GAP);
    tensor->own = calloc(FUZZ_GAP + FUZZ_ELEMS, sizeof(float));
    if (!tensor->own) exit(2);
    fuzz_expect(__func__, prim_memory_create(&tensor->memory, &md, side->engine, tensor->own),
            PRIM_SUCCESS);
    fuzz_expect(__func__,
            prim_memory_set_data_handle_at(
                    tensor->memory, tensor->own, (size_t)gap * sizeof(float)),
            PRIM_SUCCESS);
}

void fuzz_tensor_renew(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    const prim_memory_desc_t md = fuzz_tensor_md();
    if (fuzz_seldom(in, 2) && side->kind == PRIM_CPU)
        make_on_host(side, tensor, in);
    else if (side->kind == PRIM_CPU || !fuzz_ocl_tensor(side, tensor, in))
        fuzz_expect(__func__,
                prim_memory_create(&tensor->memory, &md, side->engine, PRIM_MEMORY_ALLOCATE),
                PRIM_SUCCESS);
    fuzz_tensor_fill(tensor, in);
}

fuzz_tensor_t *fuzz_tensor(fuzz_side_t *side, fuzz_input_t *in)
{
    fuzz_tensor_t *const tensor = &side->tensors[fuzz_below(in, FUZZ_TENSORS)];
    if (!tensor->memory) fuzz_tensor_renew(side, tensor, in);
    return tensor;
}

void fuzz_tensor_check(const fuzz_tensor_t *tensor)
{
    float values[FUZZ_ELEMS];
    fuzz_expect(__func__, prim_memory_read(tensor->memory, values, FUZZ_BYTES, 0), PRIM_SUCCESS);
    FUZZ_PROMISE(
            memcmp(values, tensor->values, FUZZ_BYTES) == 0, "a tensor holds what it was given");
}

/// Whether `bytes` from `offset` on lie in a tensor.
static bool is_inside(size_t bytes, size_t offset)
{
    return bytes <= FUZZ_BYTES && offset <= FUZZ_BYTES - bytes;
}

static void draw_range(size_t *bytes, size_t *offset, fuzz_input_t *in)
{
    *bytes = (size_t)fuzz_below(in, FUZZ_BYTES + 2);
    *offset = *bytes < FUZZ_BYTES ? (size_t)fuzz_below(in, FUZZ_BYTES - (int)*bytes + 1) : 0;
    if (fuzz_seldom(in, 20)) *bytes = (size_t)fuzz_number(in);
    if (fuzz_seldom(in, 20)) *offset = (size_t)fuzz_number(in);
}

static void write_some(fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    float values[FUZZ_ELEMS];
    size_t bytes, offset;
    draw_range(&bytes, &offset, in);
    fuzz_tensor_draw(values, in);
    const bool is_right = is_inside(bytes, offset);
    const char *const from = (const char *)values + (is_right ? offset : 0);
    fuzz_expect(__func__, prim_memory_write(tensor->memory, from, bytes, offset),
            is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    if (is_right && bytes > 0) memcpy((char *)tensor->values + offset, from, bytes);
}

static void read_some(const fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    char values[FUZZ_BYTES], before[FUZZ_BYTES];
    size_t bytes, offset;
    draw_range(&bytes, &offset, in);
    const bool is_right = is_inside(bytes, offset);
    memset(values, 0x5a, sizeof values);
    memset(before, 0x5a, sizeof before);
    fuzz_expect(__func__, prim_memory_read(tensor->memory, values, bytes, offset),
            is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    if (is_right) memcpy(before, (const char *)tensor->values + offset, bytes);
    FUZZ_PROMISE(
            memcmp(values, before, FUZZ_BYTES) == 0, "as many bytes are read as are asked for");
}

static void map_all(fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    float *data = NULL;
    fuzz_expect(__func__, prim_memory_map_data(tensor->memory, (void **)&data), PRIM_SUCCESS);
    FUZZ_PROMISE(memcmp(data, tensor->values, FUZZ_BYTES) == 0, "a mapping shows the tensor");
    if (fuzz_seldom(in, 2)) {
        fuzz_tensor_draw(tensor->values, in);
        memcpy(data, tensor->values, FUZZ_BYTES);
    }
    fuzz_expect(__func__, prim_memory_unmap_data(tensor->memory, data), PRIM_SUCCESS);
}

/// Another place in the same host memory, or none that is allowed; the memory keeps its place then.
static void move(fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    const int64_t any = fuzz_number(in);
    const bool is_right = !fuzz_seldom(in, 3);
    const size_t gap = (size_t)fuzz_below(in, FUZZ_GAP) * sizeof(float);
    if (is_right) {
        fuzz_expect(
                __func__, prim_memory_set_data_handle(tensor->memory, tensor->own), PRIM_SUCCESS);
        fuzz_expect(__func__, prim_memory_set_data_handle_at(tensor->memory, tensor->own, gap),
                PRIM_SUCCESS);
        fuzz_tensor_fill(tensor, in);
        return;
    }
    fuzz_expect(__func__, prim_memory_set_data_handle_at(tensor->memory, tensor->own, gap + 2),
            PRIM_INVALID_ARGUMENTS);
    if (any != 0)
        fuzz_expect(__func__,
                prim_memory_set_data_handle_at(tensor->memory, PRIM_MEMORY_NONE, (size_t)any),
                PRIM_INVALID_ARGUMENTS);
    const uintptr_t last = UINTPTR_MAX - (uintptr_t)tensor->own;
    fuzz_expect(__func__, prim_memory_set_data_handle_at(tensor->memory, tensor->own, last - gap),
            PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_memory_set_data_handle(tensor->memory, PRIM_MEMORY_ALLOCATE),
            PRIM_INVALID_ARGUMENTS);
}

static void ask(const fuzz_side_t *side, const fuzz_tensor_t *tensor)
{
    const prim_memory_desc_t md = fuzz_tensor_md();
    prim_engine_t *engine = NULL;
    void *handle = NULL;
    fuzz_expect(__func__, prim_memory_get_engine(tensor->memory, &engine), PRIM_SUCCESS);
    FUZZ_PROMISE(engine == side->engine, "a memory tells its engine");
    FUZZ_PROMISE(prim_memory_desc_equal(&md, prim_memory_get_desc(tensor->memory)),
            "a memory tells its descriptor");
    fuzz_expect(__func__, prim_memory_get_data_handle(tensor->memory, &handle), PRIM_SUCCESS);
    FUZZ_PROMISE(handle, "a memory with a buffer has a handle");
    fuzz_ocl_tensor_ask(tensor);
}

void fuzz_call_tensor(fuzz_input_t *in)
{
    fuzz_side_t *const side = fuzz_side(in);
    fuzz_tensor_t *const tensor = fuzz_tensor(side, in);
    switch (fuzz_below(in, 7)) {
    case 0:
        fuzz_tensor_check(tensor);
        fuzz_tensor_destroy(side, tensor);
        fuzz_tensor_renew(side, tensor, in);
        break;
    case 1: write_some(tensor, in); break;
    case 2: read_some(tensor, in); break;
    case 3: map_all(tensor, in); break;
    case 4:
        if (tensor->buffer)
            fuzz_ocl_tensor_move(tensor, in);
        else if (side->kind == PRIM_CPU && tensor->own)
            move(tensor, in);
        break;
    case 5: ask(side, tensor); break;
    default: fuzz_tensor_check(tensor);
    }
}
