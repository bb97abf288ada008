// SPDX-License-Identifier: Apache-2.0
// The engine of an OpenCL device: context, traits, what the rooms above keep for it, and an
// in-order service queue for uploads and mapping. backend/ocl_backend.c makes it.
#ifndef PRIM_OCL_ENGINE_H
#define PRIM_OCL_ENGINE_H

#include <pthread.h>

#include "common/engine.h"
#include "ocl_device.h"
#include "ocl_status.h"

struct ocl_buffer_pool;
struct ocl_tune_store;
struct ocl_features;
struct ocl_watched_queue;
struct ocl_program_cache;

/// Everything but the lock's subjects is constant after creation.
typedef struct ocl_engine {
    prim_engine_t base;
    struct ocl_engine *next; ///< of the live ones, behind the lock of ocl_engine_table.c
    ocl_device_t device;
    cl_context context;                  ///< retained
    bool has_f32_images, has_f16_images; ///< CL_RGBA, read and written
    cl_command_queue service;            ///< in order; used under the spec's own thread safety
    struct ocl_program_cache *programs;
    struct ocl_buffer_pool *pool;     ///< all device memory of the library's own
    struct ocl_features *features;    ///< what the self-tests said so far (ocl_feature.h)
    struct ocl_tune_store *tuning;    ///< results of tuning (ocl_tune_store.h)
    pthread_mutex_t lock;             ///< guards `queues`
    struct ocl_watched_queue *queues; ///< of the live streams (ocl_live_queues.h)
} ocl_engine_t;

/// Whether it is an engine of this backend.
bool prim__ocl_is_engine(const prim_engine_t *engine);
/// The OpenCL engine behind an engine, which must be one.
ocl_engine_t *prim__ocl_engine(const prim_engine_t *engine);
/// Its traits: `if (prim__ocl_device(pd->engine)->is_cpu) …` works in init_pd too.
const ocl_device_t *prim__ocl_device(const prim_engine_t *engine);

#endif
