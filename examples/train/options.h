// SPDX-License-Identifier: Apache-2.0
// The command line of train_digits.c.
#ifndef EXAMPLES_TRAIN_OPTIONS_H
#define EXAMPLES_TRAIN_OPTIONS_H

#include <stdbool.h>

#include "example.h"

typedef enum { NORM_BATCH, NORM_LAYER, NORM_GROUP } norm_t;

typedef struct {
    prim_data_type_t type;
    int epochs, steps, batch;
    int repeat; ///< how often an epoch has each digit, so that batches may be larger
    float rate, momentum, loss_scale, expected_percent;
    unsigned seed;
    norm_t norm;
    const char *data, *log, *export_folder;
} options_t;

/// False, with a sentence on stderr, if an argument is not understood. Knows the team.
bool options_read(options_t *o, int argc, char **argv);

#endif
