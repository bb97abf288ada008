// SPDX-License-Identifier: Apache-2.0
// Capturing executions, and replaying them with the same memories or others.
#include "recording.h"

#include <string.h>

#include "alloc.h"
#include "log.h"

prim_recording_t *prim__recording_of(const prim_stream_t *stream)
{
    return atomic_load_explicit(&stream->capture, memory_order_acquire);
}

static prim_status_t create(prim_recording_t **out, prim_engine_t *engine)
{
    prim_recording_t *const recording = prim__calloc(sizeof *recording);
    if (!recording) return prim__fail_memory(sizeof *recording);
    if (pthread_mutex_init(&recording->lock, NULL) != 0) {
        prim__free(recording);
        return prim__fail(PRIM_RUNTIME_ERROR, "a recording's lock cannot be made");
    }
    prim__engine_retain(engine);
    recording->engine = engine;
    *out = recording;
    return PRIM_SUCCESS;
}

void prim_recording_destroy(prim_recording_t *recording)
{
    if (!recording) return;
    const engine_ops_t *const ops = recording->engine->ops;
    if (recording->prepared) ops->recording_destroy(recording);
    for (int i = 0; i < recording->nentries; ++i) {
        prim_destroy(recording->entries[i].primitive);
        prim__free(recording->entries[i].memory);
        prim__free(recording->entries[i].slots);
    }
    for (int i = 0; i < recording->nslots; ++i) {
        prim_memory_destroy(recording->slots[i].memory);
        prim_memory_destroy(recording->slots[i].bound);
    }
    prim__free(recording->entries);
    prim__free(recording->slots);
    prim__engine_release(recording->engine);
    (void)pthread_mutex_destroy(&recording->lock);
    prim__free(recording);
}

/// Room for `nmore` elements in an array that the recording owns.
static prim_status_t reserve(void **array, int *room, int count, int nmore, size_t element_bytes)
{
    if (count + nmore <= *room) return PRIM_SUCCESS;
    const int wanted = 2 * (count + nmore);
    void *const larger = prim__calloc((size_t)wanted * element_bytes);
    if (!larger) return prim__fail_memory((size_t)wanted * element_bytes);
    if (count > 0) memcpy(larger, *array, (size_t)count * element_bytes);
    prim__free(*array);
    *array = larger;
    *room = wanted;
    return PRIM_SUCCESS;
}

static prim_status_t make_room(prim_recording_t *recording, int nargs)
{
    void *array = recording->entries;
    TRY(reserve(
            &array, &recording->entries_room, recording->nentries, 1, sizeof *recording->entries));
    recording->entries = array;
    array = recording->slots;
    TRY(reserve(
            &array, &recording->slots_room, recording->nslots, nargs, sizeof *recording->slots));
    recording->slots = array;
    return PRIM_SUCCESS;
}

static int find_slot(const prim_recording_t *recording, const prim_memory_t *memory)
{
    for (int i = 0; i < recording->nslots; ++i)
        if (recording->slots[i].memory == memory) return i;
    return -1;
}

/// The memory's slot, a new one if it has none; there is room.
static int slot_of(prim_recording_t *recording, prim_memory_t *memory)
{
    const int found = find_slot(recording, memory);
    if (found >= 0) return found;
    prim__memory_retain(memory);
    prim__memory_retain(memory);
    recording->slots[recording->nslots] =
            (recording_slot_t){.memory = memory, .bound = memory, .generation = memory->generation};
    return recording->nslots++;
}

/// The lock is held.
static prim_status_t append(
        prim_recording_t *recording, const prim_t *primitive, prim_memory_t *const *memory)
{
    const int nplaces = primitive->pd->places.nplaces;
    TRY(make_room(recording, nplaces));
    recorded_t *const entry = &recording->entries[recording->nentries];
    const size_t memory_bytes = (size_t)nplaces * sizeof *memory;
    const size_t slots_bytes = (size_t)nplaces * sizeof *entry->slots;
    *entry = (recorded_t){.memory = prim__calloc(memory_bytes), .slots = prim__calloc(slots_bytes)};
    if (!entry->memory || !entry->slots) {
        prim__free(entry->memory);
        prim__free(entry->slots);
        return prim__fail_memory(memory_bytes + slots_bytes);
    }
    for (int i = 0; i < nplaces; ++i) {
        entry->memory[i] = memory[i];
        entry->slots[i] = memory[i] ? slot_of(recording, memory[i]) : -1;
    }
    entry->primitive = prim__primitive_retain(primitive);
    ++recording->nentries;
    return PRIM_SUCCESS;
}

prim_status_t prim__recording_add(
        prim_recording_t *recording, const prim_t *primitive, prim_memory_t *const *memory)
{
    (void)pthread_mutex_lock(&recording->lock);
    const prim_status_t st = append(recording, primitive, memory);
    (void)pthread_mutex_unlock(&recording->lock);
    return st;
}

prim_status_t prim_recording_begin(prim_stream_t *stream)
{
    CHECK_NOT_NULL(stream);
    if (stream->flags & PRIM_STREAM_OUT_OF_ORDER)
        return prim__fail(PRIM_UNIMPLEMENTED, "recordings need an in-order stream");
    prim_recording_t *recording = NULL, *none = NULL;
    TRY(create(&recording, stream->engine));
    if (atomic_compare_exchange_strong(&stream->capture, &none, recording)) return PRIM_SUCCESS;
    prim_recording_destroy(recording);
    return prim__fail(PRIM_INVALID_ARGUMENTS, "the stream is being recorded already");
}

prim_status_t prim_recording_end(prim_recording_t **out, prim_stream_t *stream)
{
    CHECK_NOT_NULL(out);
    CHECK_NOT_NULL(stream);
    prim_recording_t *const recording = atomic_exchange(&stream->capture, NULL);
    CHECK(recording, "the stream is not being recorded");
    const engine_ops_t *const ops = recording->engine->ops;
    const prim_status_t st =
            ops->recording_prepare ? ops->recording_prepare(recording, stream) : PRIM_SUCCESS;
    if (st != PRIM_SUCCESS) {
        prim_recording_destroy(recording);
        return st;
    }
    *out = recording;
    return PRIM_SUCCESS;
}

prim_status_t prim_recording_get_count(const prim_recording_t *recording, int *count)
{
    CHECK_NOT_NULL(recording);
    CHECK_NOT_NULL(count);
    *count = recording->nentries;
    return PRIM_SUCCESS;
}

static prim_status_t check_buffer(const prim_memory_t *memory, const char *what, int number)
{
    CHECK(memory->engine->ops->memory_has_buffer(memory) || memory->bytes == 0,
            "%s %d has no buffer", what, number);
    return PRIM_SUCCESS;
}

static prim_status_t check_swaps(int nswaps, const prim_memory_swap_t *swaps)
{
    CHECK(nswaps >= 0, "nswaps %d is negative", nswaps);
    CHECK(swaps || nswaps == 0, "swaps is NULL");
    for (int i = 0; i < nswaps; ++i) {
        const prim_memory_t *const from = swaps[i].from, *const to = swaps[i].to;
        CHECK(from && to, "a memory of swap %d is NULL", i);
        CHECK(from->engine == to->engine, "the memories of swap %d belong to two engines", i);
        CHECK(prim__md_equal(&from->md, &to->md),
                "the memories of swap %d have different descriptors", i);
        TRY(check_buffer(to, "the new memory of swap", i));
    }
    return PRIM_SUCCESS;
}

static prim_status_t choose_memories(
        prim_recording_t *recording, int nswaps, const prim_memory_swap_t *swaps)
{
    for (int i = 0; i < recording->nslots; ++i)
        recording->slots[i].wanted = recording->slots[i].memory;
    for (int i = 0; i < nswaps; ++i) {
        for (int j = 0; j < i; ++j)
            CHECK(swaps[j].from != swaps[i].from, "swaps %d and %d replace the same memory", j, i);
        const int slot = find_slot(recording, swaps[i].from);
        CHECK(slot >= 0, "the recording does not use the memory that swap %d replaces", i);
        recording->slots[slot].wanted = swaps[i].to;
    }
    return PRIM_SUCCESS;
}

/// Puts the wanted memories into their slots; returns whether any differs from before.
static prim_status_t bind(prim_recording_t *recording, bool *has_changed)
{
    for (int i = 0; i < recording->nslots; ++i) {
        recording_slot_t *const slot = &recording->slots[i];
        slot->has_changed =
                slot->wanted != slot->bound || slot->wanted->generation != slot->generation;
        if (slot->has_changed) TRY(check_buffer(slot->wanted, "memory", i));
    }
    for (int i = 0; i < recording->nslots; ++i) {
        recording_slot_t *const slot = &recording->slots[i];
        if (!slot->has_changed) continue;
        *has_changed = true;
        prim__memory_retain(slot->wanted);
        prim_memory_destroy(slot->bound);
        slot->bound = slot->wanted;
        slot->generation = slot->wanted->generation;
    }
    return PRIM_SUCCESS;
}

static void mark_stale(prim_recording_t *recording)
{
    for (int i = 0; i < recording->nentries; ++i) {
        recorded_t *const entry = &recording->entries[i];
        for (int j = 0; j < entry->primitive->pd->places.nplaces; ++j) {
            if (entry->slots[j] < 0) continue;
            const recording_slot_t *const slot = &recording->slots[entry->slots[j]];
            if (!slot->has_changed) continue;
            entry->memory[j] = slot->bound;
            entry->is_stale = true;
        }
    }
}

/// As prim_execute() would: for backends that prepare nothing, and for the log.
static prim_status_t execute_all(prim_recording_t *recording, prim_stream_t *stream)
{
    for (int i = 0; i < recording->nentries; ++i) {
        const recorded_t *const entry = &recording->entries[i];
        exec_ctx_t ctx = {
                .stream = stream, .places = &entry->primitive->pd->places, .memory = entry->memory};
        TRY(prim__primitive_execute(entry->primitive, &ctx));
    }
    return PRIM_SUCCESS;
}

/// The lock is held.
static prim_status_t replay(prim_recording_t *recording, prim_stream_t *stream, int nswaps,
        const prim_memory_swap_t *swaps)
{
    bool has_changed = false;
    TRY(choose_memories(recording, nswaps, swaps));
    TRY(bind(recording, &has_changed));
    if (has_changed) mark_stale(recording);
    if (!recording->prepared || prim__log_is_on(LOG_PROFILE_EXEC))
        return execute_all(recording, stream);
    return recording->engine->ops->recording_replay(recording, stream);
}

prim_status_t prim_recording_replay(prim_recording_t *recording, prim_stream_t *stream, int nswaps,
        const prim_memory_swap_t *swaps)
{
    CHECK_NOT_NULL(recording);
    CHECK_NOT_NULL(stream);
    char text[640];
    CHECK(stream->engine == recording->engine,
            "the stream belongs to another engine than the recording: %s",
            prim__engine_difference(text, sizeof text, stream->engine, recording->engine));
    TRY(check_swaps(nswaps, swaps));
    if (stream->flags & PRIM_STREAM_OUT_OF_ORDER)
        return prim__fail(PRIM_UNIMPLEMENTED, "recordings need an in-order stream");
    if (prim__recording_of(stream))
        return prim__fail(PRIM_UNIMPLEMENTED, "a replay cannot be recorded");
    (void)pthread_mutex_lock(&recording->lock);
    const prim_status_t st = replay(recording, stream, nswaps, swaps);
    (void)pthread_mutex_unlock(&recording->lock);
    return st;
}
