// SPDX-License-Identifier: Apache-2.0
// Reads the options of train_digits.c.
#include "options.h"

#include <string.h>

#include "digits.h"
#include "team.h"

/// Of an epoch: its pixels are counted in 32 bits.
enum { MOST_DIGITS = 1 << 20 };

/// What follows `name` if the argument begins with it.
static const char *value_of(const char *argument, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(argument, name, n) == 0 ? argument + n : NULL;
}

static bool read_type(options_t *o, const char *name)
{
    if (!example_type(&o->type, name)) return false;
    // The smallest gradients of f16 are 6e-8; those of the other types reach far below.
    o->loss_scale = o->type == PRIM_F16 ? 1024 : 1;
    return true;
}

static bool read_norm(options_t *o, const char *name)
{
    static const char *const names[] = {
            [NORM_BATCH] = "batch", [NORM_LAYER] = "layer", [NORM_GROUP] = "group"};
    for (int i = NORM_BATCH; i <= NORM_GROUP; ++i) {
        if (strcmp(name, names[i]) != 0) continue;
        o->norm = (norm_t)i;
        return true;
    }
    return false;
}

static bool read_option(options_t *o, const char *argument)
{
    const char *v = NULL;
    if ((v = value_of(argument, "--type="))) return read_type(o, v);
    if ((v = value_of(argument, "--norm="))) return read_norm(o, v);
    if ((v = value_of(argument, "--epochs="))) return (o->epochs = atoi(v)) > 0;
    if ((v = value_of(argument, "--steps="))) return (o->steps = atoi(v)) > 0;
    if ((v = value_of(argument, "--batch=")))
        return (o->batch = atoi(v)) > 0 && o->batch <= MOST_DIGITS;
    if ((v = value_of(argument, "--repeat=")))
        return (o->repeat = atoi(v)) > 0 && o->repeat <= MOST_DIGITS / DIGITS_TRAIN;
    if ((v = value_of(argument, "--rate="))) return (o->rate = strtof(v, NULL)) > 0;
    if ((v = value_of(argument, "--seed=")))
        o->seed = (unsigned)strtoul(v, NULL, 10);
    else if ((v = value_of(argument, "--expect=")))
        o->expected_percent = strtof(v, NULL);
    else if ((v = value_of(argument, "--data=")))
        o->data = v;
    else if ((v = value_of(argument, "--log=")))
        o->log = v;
    else if ((v = value_of(argument, "--export=")))
        o->export_folder = v;
    return v || argument[0] != '-';
}

static const options_t defaults = {.type = PRIM_F32,
        .epochs = 10,
        .steps = MOST_DIGITS,
        .batch = 64,
        .repeat = 1,
        .rate = 0.05f,
        .momentum = 0.9f,
        .loss_scale = 1,
        .seed = 1,
        .data = TRAIN_DIGITS_DATA};

bool options_read(options_t *o, int argc, char **argv)
{
    *o = defaults;
    for (int i = 1; i < argc; ++i) {
        if (read_option(o, argv[i])) continue;
        fprintf(stderr, "%s: unknown, or not a value that it takes\n", argv[i]);
        return false;
    }
    const int ndigits = o->repeat * DIGITS_TRAIN;
    if (o->batch <= ndigits / team_size()) return true;
    fprintf(stderr, "--batch=%d: there are %d digits to learn\n", o->batch, ndigits);
    return false;
}
