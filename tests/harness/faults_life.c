// SPDX-License-Identifier: Apache-2.0
// The lives of faults_life.h.
#define _XOPEN_SOURCE 700
#include "faults_life.h"
#include "ocl_faults.h"

#include <ftw.h>
#include <prim/prim_ocl.h>
#include <stdio.h>
#include <string.h>

static prim_status_t open_engine(life_t *life)
{
    return prim_engine_create(&life->engine, PRIM_GPU, 0);
}

static prim_status_t open_stream(life_t *life)
{
    return prim_stream_create(&life->stream, life->engine, PRIM_STREAM_IN_ORDER);
}

static prim_status_t open_profiling_stream(life_t *life)
{
    return prim_stream_create(
            &life->stream, life->engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING);
}

/// In order where the device has nothing else.
static prim_status_t open_unordered_stream(life_t *life)
{
    const unsigned flags = PRIM_STREAM_OUT_OF_ORDER | PRIM_STREAM_PROFILING;
    const prim_status_t st = prim_stream_create(&life->stream, life->engine, flags);
    return st == PRIM_UNIMPLEMENTED ? open_profiling_stream(life) : st;
}

/// Primitive and memories; the inputs are mapped and written.
static prim_status_t make(life_t *life)
{
    return scenario_open(&life->c, scenario_find(life->kind->scenario), life->engine);
}

static prim_status_t run(life_t *life)
{
    const case_t *const c = &life->c;
    const prim_status_t st = prim_execute(c->primitive, life->stream, c->nargs, c->args);
    if (st != PRIM_SUCCESS) return st;
    ++life->nexecuted;
    return prim_stream_wait(life->stream);
}

/// Three times, each after the event of the one before; the last one's event is not asked for.
static prim_status_t run_by_events(life_t *life)
{
    cl_event events[2] = {NULL, NULL};
    prim_status_t st = PRIM_SUCCESS;
    for (int i = 0; st == PRIM_SUCCESS && i < 3; ++i)
        st = prim_ocl_execute(life->c.primitive, life->stream, life->c.nargs, life->c.args,
                i == 0 ? 0 : 1, &events[(i + 1) % 2], i < 2 ? &events[i] : NULL);
    life->nexecuted += 3; // also those whose event could not be given out
    const prim_status_t waited = prim_stream_wait(life->stream);
    for (int i = 0; i < 2; ++i)
        if (events[i]) clReleaseEvent(events[i]);
    return st != PRIM_SUCCESS ? st : waited;
}

static void drop_line(void *user, const char *line)
{
    (void)user, (void)line;
}

static bool log_executions(life_t *life)
{
    (void)life;
    return prim_set_log_callback(drop_line, NULL) == PRIM_SUCCESS &&
           prim_set_verbose("profile_exec") == PRIM_SUCCESS;
}

static void end_log(life_t *life)
{
    (void)life;
    (void)prim_set_verbose("none");
    (void)prim_set_log_callback(NULL, NULL);
}

/// Captures two executions; a capture that fails is ended.
static prim_status_t record(life_t *life)
{
    prim_status_t st = prim_recording_begin(life->stream);
    if (st != PRIM_SUCCESS) return st;
    for (int i = 0; st == PRIM_SUCCESS && i < 2; ++i)
        st = prim_execute(life->c.primitive, life->stream, life->c.nargs, life->c.args);
    prim_recording_t *recording = NULL;
    const prim_status_t ended = prim_recording_end(&recording, life->stream);
    if (st == PRIM_SUCCESS && ended == PRIM_SUCCESS)
        life->recording = recording;
    else
        prim_recording_destroy(recording);
    return st != PRIM_SUCCESS ? st : ended;
}

/// With another output, then with the captured one, so that arguments are set again twice.
static prim_status_t replay(life_t *life)
{
    prim_memory_swap_t swap = {.from = life->c.dst};
    prim_status_t st = prim_memory_create(
            &swap.to, prim_memory_get_desc(swap.from), life->engine, PRIM_MEMORY_ALLOCATE);
    if (st == PRIM_SUCCESS) st = prim_recording_replay(life->recording, life->stream, 1, &swap);
    if (st == PRIM_SUCCESS) st = prim_recording_replay(life->recording, life->stream, 0, NULL);
    const prim_status_t waited = prim_stream_wait(life->stream);
    prim_memory_destroy(swap.to);
    return st != PRIM_SUCCESS ? st : waited;
}

/// Maps the result.
static prim_status_t read_sum(life_t *life)
{
    return scenario_checksum(&life->c, &life->sum);
}

static prim_status_t read_profile(life_t *life)
{
    int count = 0;
    const prim_status_t st = prim_stream_get_profile(life->stream, &count, NULL);
    // Executions that failed have no time.
    return st == PRIM_SUCCESS && count > life->nexecuted ? PRIM_UNIMPLEMENTED : st;
}

static prim_status_t make_descs(life_t *life)
{
    prim_status_t st = scenario_create_desc(&life->descs[0], scenario_find("sum"), life->engine);
    if (st == PRIM_SUCCESS)
        st = scenario_create_desc(&life->descs[1], scenario_find("binary"), life->engine);
    return st;
}

static prim_status_t prepare_both(life_t *life)
{
    return prim_prepare(life->engine, 2, life->descs);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)where;
    return type == FTW_F ? remove(path) : 0;
}

static bool empty_the_disk_cache(life_t *life)
{
    (void)life;
    char folder[512];
    return prim_get_cache_dir(folder, sizeof folder) == PRIM_SUCCESS &&
           nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0;
}

static bool use_the_primitive_cache(life_t *life)
{
    (void)life;
    return prim_set_primitive_cache_capacity(16) == PRIM_SUCCESS;
}

static void empty_the_primitive_cache(life_t *life)
{
    (void)life;
    prim_set_primitive_cache_capacity(0);
}

static prim_status_t empty_cache(life_t *life)
{
    (void)life;
    return prim_set_primitive_cache_capacity(0);
}

/// The primitive is in the cache; the memories are new.
static prim_status_t make_again(life_t *life)
{
    scenario_close(&life->c);
    life->c = (case_t){0};
    return make(life);
}

// The application's own objects: a context, a profiling queue, an input and an output.

enum { NVALUES = 1000 };

static bool find_device(cl_device_id *device)
{
    prim_engine_t *engine = NULL;
    const bool is_good = prim_engine_create(&engine, PRIM_GPU, 0) == PRIM_SUCCESS &&
                         prim_ocl_engine_get_device(engine, device) == PRIM_SUCCESS;
    prim_engine_destroy(engine);
    return is_good;
}

static bool open_application(life_t *life)
{
    float values[NVALUES];
    for (int i = 0; i < NVALUES; ++i) values[i] = (float)(i % 37 - 18);
    cl_int codes[4] = {CL_SUCCESS};
    if (!find_device(&life->device)) return false;
    life->context = clCreateContext(NULL, 1, &life->device, NULL, NULL, &codes[0]);
    if (!life->context) return false;
    life->queue =
            clCreateCommandQueue(life->context, life->device, CL_QUEUE_PROFILING_ENABLE, &codes[1]);
    for (int i = 0; i < 2; ++i)
        life->buffers[i] = clCreateBuffer(life->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                sizeof values, values, &codes[2 + i]);
    return life->queue && life->buffers[0] && life->buffers[1];
}

static prim_status_t take_context(life_t *life)
{
    return prim_ocl_engine_create(&life->engine, life->device, life->context);
}

static prim_status_t take_queue(life_t *life)
{
    return prim_ocl_stream_create(&life->stream, life->engine, life->queue);
}

static prim_status_t take_buffers(life_t *life)
{
    prim_memory_desc_t md;
    prim_status_t st =
            prim_memory_desc_init_by_strides(&md, 1, (const prim_dim_t[]){NVALUES}, PRIM_F32, NULL);
    for (int i = life->c.nargs; st == PRIM_SUCCESS && i < 2; ++i) {
        st = prim_ocl_memory_create(
                &life->c.args[i].memory, &md, life->engine, life->buffers[i], 0);
        life->c.args[i].arg = i == 0 ? PRIM_ARG_SRC : PRIM_ARG_DST;
        if (st == PRIM_SUCCESS) life->c.nargs = i + 1;
    }
    return st;
}

static prim_status_t make_relu(life_t *life)
{
    prim_desc_t *pd = NULL;
    const prim_memory_desc_t *const md = prim_memory_get_desc(life->c.args[0].memory);
    prim_status_t st = prim_eltwise_forward_desc_create(
            &pd, life->engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, md, md, 0, 0, NULL);
    if (st == PRIM_SUCCESS) st = prim_create(&life->c.primitive, pd);
    prim_desc_destroy(pd);
    return st;
}

/// Reads the application's output on its queue, after the library's objects are gone.
static void close_application(life_t *life)
{
    float values[NVALUES];
    if (life->queue && life->buffers[1] &&
            clEnqueueReadBuffer(life->queue, life->buffers[1], CL_TRUE, 0, sizeof values, values, 0,
                    NULL, NULL) == CL_SUCCESS) {
        for (int i = 0; i < NVALUES; ++i)
            life->sum = life->sum * 31 + (uint64_t)(int64_t)values[i] + 1;
    }
    for (int i = 0; i < 2; ++i)
        if (life->buffers[i]) clReleaseMemObject(life->buffers[i]);
    if (life->queue) clReleaseCommandQueue(life->queue);
    if (life->context) clReleaseContext(life->context);
}

// From the CPU engine to the device: the reorder reads host memory.

static prim_status_t make_transfer(life_t *life)
{
    prim_memory_desc_t src_md, dst_md;
    prim_desc_t *pd = NULL;
    const prim_dim_t dims[] = {2, 5, 6, 7};
    prim_status_t st = PRIM_SUCCESS;
    if (!life->host) st = prim_engine_create(&life->host, PRIM_CPU, 0);
    if (st == PRIM_SUCCESS)
        st = prim_memory_desc_init_by_tag(&src_md, 4, dims, PRIM_F32, PRIM_NCHW);
    if (st == PRIM_SUCCESS)
        st = prim_memory_desc_init_by_tag(&dst_md, 4, dims, PRIM_F16, PRIM_NHWC);
    if (st == PRIM_SUCCESS)
        st = prim_reorder_desc_create(&pd, &src_md, life->host, &dst_md, life->engine, NULL);
    case_t c = {.nargs = 2, .args = {{PRIM_ARG_SRC, NULL}, {PRIM_ARG_DST, NULL}}};
    if (st == PRIM_SUCCESS) st = prim_create(&c.primitive, pd);
    if (st == PRIM_SUCCESS)
        st = prim_memory_create(&c.args[0].memory, &src_md, life->host, PRIM_MEMORY_ALLOCATE);
    if (st == PRIM_SUCCESS)
        st = prim_memory_create(&c.args[1].memory, &dst_md, life->engine, PRIM_MEMORY_ALLOCATE);
    void *mapped = NULL;
    if (st == PRIM_SUCCESS) st = prim_memory_map_data(c.args[0].memory, &mapped);
    if (st == PRIM_SUCCESS) {
        for (int i = 0; i < 2 * 5 * 6 * 7; ++i) ((float *)mapped)[i] = (float)(i % 64);
        st = prim_memory_unmap_data(c.args[0].memory, mapped);
    }
    c.dst = c.args[1].memory;
    prim_desc_destroy(pd);
    if (st == PRIM_SUCCESS)
        life->c = c;
    else
        scenario_close(&c);
    return st;
}

// Memories behind pointers; buffers where the device has none of the kind.

static prim_status_t make_by_pointer(prim_memory_t **memory, const prim_memory_desc_t *md,
        prim_engine_t *engine, prim_ocl_memory_kind_t kind, void *pointer)
{
    const prim_status_t st = prim_ocl_memory_create_shared(memory, md, engine, kind, pointer);
    return st == PRIM_UNIMPLEMENTED ? prim_memory_create(memory, md, engine, PRIM_MEMORY_ALLOCATE)
                                    : st;
}

/// dst = relu(dst) on padded SVM, then copied to imported host memory.
static prim_status_t make_shared(life_t *life)
{
    static _Alignas(4096) float values[2 * 4 * 4 * 4];
    const prim_dim_t dims[] = {2, 3, 4, 4};
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    case_t c = {.nargs = 2, .args = {{PRIM_ARG_SRC, NULL}, {PRIM_ARG_DST, NULL}}};
    for (int i = 0; i < 2 * 4 * 4 * 4; ++i) values[i] = i % 4 == 3 ? 0 : (float)(i % 37 - 18);
    prim_status_t st = prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "aBcd4b");
    if (st == PRIM_SUCCESS)
        st = prim_eltwise_forward_desc_create(
                &pd, life->engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &md, &md, 0, 0, NULL);
    if (st == PRIM_SUCCESS) st = prim_create(&c.primitive, pd);
    if (st == PRIM_SUCCESS)
        st = make_by_pointer(&c.args[0].memory, &md, life->engine, PRIM_OCL_HOST, values);
    if (st == PRIM_SUCCESS)
        st = make_by_pointer(
                &c.args[1].memory, &md, life->engine, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    prim_desc_destroy(pd);
    c.dst = c.args[1].memory;
    if (st == PRIM_SUCCESS)
        life->c = c;
    else
        scenario_close(&c);
    return st;
}

/// dst = relu(dst) on padded USM, which is then the application's way to the host.
static prim_status_t make_usm(life_t *life)
{
    const prim_dim_t dims[] = {2, 3, 4, 4};
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    void *mapped = NULL;
    case_t c = {.nargs = 2, .args = {{PRIM_ARG_SRC, NULL}, {PRIM_ARG_DST, NULL}}};
    prim_status_t st = prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "aBcd4b");
    if (st == PRIM_SUCCESS)
        st = prim_eltwise_forward_desc_create(
                &pd, life->engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &md, &md, 0, 0, NULL);
    if (st == PRIM_SUCCESS) st = prim_create(&c.primitive, pd);
    for (int i = 0; st == PRIM_SUCCESS && i < 2; ++i)
        st = make_by_pointer(
                &c.args[i].memory, &md, life->engine, PRIM_OCL_USM, PRIM_MEMORY_ALLOCATE);
    if (st == PRIM_SUCCESS) st = prim_memory_map_data(c.args[0].memory, &mapped);
    for (int i = 0; st == PRIM_SUCCESS && i < 2 * 4 * 4 * 4; ++i)
        ((float *)mapped)[i] = i % 4 == 3 ? 0 : (float)(i % 37 - 18);
    if (st == PRIM_SUCCESS) st = prim_memory_unmap_data(c.args[0].memory, mapped);
    prim_desc_destroy(pd);
    c.dst = c.args[1].memory;
    if (st == PRIM_SUCCESS)
        life->c = c;
    else
        scenario_close(&c);
    return st;
}

static bool fake_usm(life_t *life)
{
    (void)life;
    ocl_limits_set(&(ocl_limits_t){.has_usm = true});
    return true;
}

static void end_fake(life_t *life)
{
    (void)life;
    ocl_limits_set(&(ocl_limits_t){0});
}

/// Memories go while the device works, and come again: the pool looks whether it is done.
static prim_status_t change_memories(life_t *life)
{
    const prim_memory_desc_t *const md = prim_memory_get_desc(life->c.dst);
    prim_status_t st = PRIM_SUCCESS;
    for (int i = 0; st == PRIM_SUCCESS && i < 3; ++i) {
        prim_memory_t *memory = NULL;
        st = prim_memory_create(&memory, md, life->engine, PRIM_MEMORY_ALLOCATE);
        if (st == PRIM_SUCCESS)
            st = prim_execute(life->c.primitive, life->stream, life->c.nargs, life->c.args);
        prim_memory_destroy(memory);
    }
    return st;
}

// The primitive's programs through a blob, into a second engine.

static prim_status_t pass_blob_on(life_t *life)
{
    static unsigned char blob[1 << 22];
    size_t bytes = sizeof blob;
    prim_engine_t *other = NULL;
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    prim_status_t st = prim_get_cache_blob(life->c.primitive, &bytes, blob);
    if (st == PRIM_SUCCESS) st = prim_engine_create(&other, PRIM_GPU, 0);
    if (st == PRIM_SUCCESS)
        st = scenario_create_desc(&pd, scenario_find(life->kind->scenario), other);
    if (st == PRIM_SUCCESS) st = prim_create_from_cache_blob(&primitive, pd, bytes, blob);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_engine_destroy(other);
    return st;
}

void life_end(life_t *life)
{
    prim_recording_destroy(life->recording);
    scenario_close(&life->c);
    for (int i = 0; i < 2; ++i) prim_desc_destroy(life->descs[i]);
    prim_stream_destroy(life->stream);
    prim_engine_destroy(life->engine);
    prim_engine_destroy(life->host);
}

#define USE                         \
    {"execute", run},               \
    {                               \
        "read the result", read_sum \
    }
#define OPEN                           \
    {"create an engine", open_engine}, \
    {                                  \
        "create a stream", open_stream \
    }
#define MAKE                                  \
    {                                         \
        "create primitive and memories", make \
    }

const life_kind_t life_of_scenario = {NULL, NULL, 2, NULL, NULL, {OPEN, MAKE, USE}};

const life_kind_t life_kinds[] = {
        {"engine", "sum", 0, NULL, NULL, {OPEN, MAKE, USE}},
        {"profiling", "sum", 1, NULL, NULL,
                {{"create an engine", open_engine}, {"create a stream", open_profiling_stream},
                        MAKE, USE, {"read the profile", read_profile}}},
        {"out of order", "bnorm", 1, NULL, NULL,
                {{"create an engine", open_engine}, {"create a stream", open_unordered_stream},
                        MAKE, {"execute by events", run_by_events}, {"read the result", read_sum},
                        {"read the profile", read_profile}}},
        {"log", "bnorm", 3, log_executions, end_log, {OPEN, MAKE, USE}},
        {"primitive cache", "sum", 2, use_the_primitive_cache, empty_the_primitive_cache,
                {OPEN, MAKE, {"create a hit", make_again}, USE, {"empty the cache", empty_cache}}},
        {"recording", "bnorm", 3, NULL, NULL,
                {OPEN, MAKE, {"record", record}, {"replay", replay},
                        {"read the result", read_sum}}},
        // Sums of integers: exact, also by the implementation that a failed self-test leaves.
        {"empty disk cache", "sum", 2, empty_the_disk_cache, NULL, {OPEN, MAKE, USE}},
        {"filled disk cache", "sum", 2, NULL, NULL, {OPEN, MAKE, USE}},
        {"prepare", "sum", 2, NULL, NULL,
                {OPEN, {"create descriptors", make_descs}, {"prepare", prepare_both}, MAKE, USE}},
        {"long tuning", NULL, 3, NULL, NULL,
                {OPEN, {"forget results", life_forget_results},
                        {"tune, create primitive and memories", life_make_tuned}, USE}},
        {"reorder from the host", NULL, 2, NULL, NULL,
                {OPEN, {"create primitive and memories", make_transfer}, USE}},
        {"memories by pointer", NULL, 2, NULL, NULL,
                {OPEN, {"create primitive and memories", make_shared}, USE}},
        {"unified shared memory", NULL, 0, fake_usm, end_fake,
                {OPEN, {"create primitive and memories", make_usm}, {"record", record},
                        {"replay", replay}, USE}},
        {"memories come and go", "sum", 3, NULL, NULL,
                {OPEN, MAKE, {"change memories", change_memories},
                        {"change memories", change_memories}, USE}},
        {"copies", "sum", 3, NULL, NULL, {OPEN, MAKE, {"copy", life_copy_through_host}, USE}},
        {"cache blob", "sum", 3, NULL, NULL, {OPEN, MAKE, {"pass a blob on", pass_blob_on}, USE}},
        {"application's objects", NULL, 0, open_application, close_application,
                {{"take the context", take_context}, {"take the queue", take_queue},
                        {"take the buffers", take_buffers}, {"create a primitive", make_relu},
                        {"execute", run}}},
        {NULL, NULL, 0, NULL, NULL, {{NULL, NULL}}},
};
