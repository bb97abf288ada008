// SPDX-License-Identifier: Apache-2.0
// The samples of an epoch, or of a test, on the device at once: a network's inputs and output are
// memories that are moved from batch to batch, so that no step waits for the host.
#ifndef EXAMPLES_BATCHES_H
#define EXAMPLES_BATCHES_H

#include "digits.h"
#include "train_net.h"

typedef struct {
    int nbatches;
    float *images, *targets, *log_probs;                     ///< the host's
    prim_memory_t *images_all, *targets_all, *log_probs_all; ///< the device's
    void *images_handle, *targets_handle, *log_probs_handle;
} batches_t;

batches_t batches_make(train_net_t *net, int nbatches);
/// The device's memories are the network's.
void batches_free(batches_t *b);

/// Digit `digit` becomes sample `i`, with `target` where its class is and 0 elsewhere.
void batches_put(batches_t *b, int i, const digits_t *digits, int digit, float target);
void batches_upload(batches_t *b);
/// The network's input, target and output are those of batch `i` from now on.
void batches_point_at(const batches_t *b, train_net_t *net, int i);
/// Reads what the network has written since, after all of it.
void batches_read(batches_t *b);

#endif
