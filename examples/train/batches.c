// SPDX-License-Identifier: Apache-2.0
// Batches of digits on the host and on the device; see batches.h.
#include "batches.h"

#include <string.h>

/// A vector on the device, and the handle by which other memories point into it.
static prim_memory_t *new_vector(train_net_t *net, prim_dim_t nelems, void **handle)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, 1, &nelems, PRIM_F32, PRIM_a));
    prim_memory_t *const memory = train_memory(net, &md, PRIM_MEMORY_ALLOCATE);
    DO(prim_memory_get_data_handle(memory, handle));
    return memory;
}

batches_t batches_make(train_net_t *net, int nbatches)
{
    const int n = nbatches * (int)net->batch;
    batches_t b = {.nbatches = nbatches};
    b.images = train_floats((size_t)n * DIGIT_PIXELS);
    b.targets = train_floats((size_t)n * DIGIT_CLASSES);
    b.log_probs = train_floats((size_t)n * DIGIT_CLASSES);
    b.images_all = new_vector(net, (prim_dim_t)n * DIGIT_PIXELS, &b.images_handle);
    b.targets_all = new_vector(net, (prim_dim_t)n * DIGIT_CLASSES, &b.targets_handle);
    b.log_probs_all = new_vector(net, (prim_dim_t)n * DIGIT_CLASSES, &b.log_probs_handle);
    return b;
}

void batches_free(batches_t *b)
{
    free(b->images);
    free(b->targets);
    free(b->log_probs);
}

static size_t bytes_of(const prim_memory_t *memory)
{
    return prim_memory_desc_get_size(prim_memory_get_desc(memory));
}

void batches_put(batches_t *b, int i, const digits_t *digits, int digit, float target)
{
    float *const targets = b->targets + (size_t)i * DIGIT_CLASSES;
    memcpy(b->images + (size_t)i * DIGIT_PIXELS, digits->pixels[digit],
            sizeof digits->pixels[digit]);
    memset(targets, 0, DIGIT_CLASSES * sizeof *targets);
    targets[digits->labels[digit]] = target;
}

void batches_upload(batches_t *b)
{
    DO(prim_memory_write(b->images_all, b->images, bytes_of(b->images_all), 0));
    DO(prim_memory_write(b->targets_all, b->targets, bytes_of(b->targets_all), 0));
}

void batches_point_at(const batches_t *b, train_net_t *net, int i)
{
    const size_t batch = (size_t)net->batch * (size_t)i;
    const size_t images = batch * DIGIT_PIXELS, classes = batch * DIGIT_CLASSES;
    DO(prim_memory_set_data_handle_at(net->input, b->images_handle, images * sizeof(float)));
    DO(prim_memory_set_data_handle_at(net->target, b->targets_handle, classes * sizeof(float)));
    DO(prim_memory_set_data_handle_at(
            net->log_probs, b->log_probs_handle, classes * sizeof(float)));
}

void batches_read(batches_t *b)
{
    DO(prim_memory_read(b->log_probs_all, b->log_probs, bytes_of(b->log_probs_all), 0));
}
