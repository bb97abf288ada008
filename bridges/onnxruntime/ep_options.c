// SPDX-License-Identifier: Apache-2.0
// Reading the options of a session.
#include "ep_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 512 };

static ort_status_t *wrong(const char *name, const char *value, const char *known)
{
    return ort_fail(
            ORT_INVALID_ARGUMENT, "Prim: the option %s is \"%s\"; known: %s", name, value, known);
}

static ort_status_t *read_device(ep_options_t *o, const char *value)
{
    static const char known[] = "cpu, gpu, gpu:INDEX";
    o->kind = strncmp(value, "gpu", 3) == 0 ? PRIM_GPU : PRIM_CPU;
    if (strcmp(value, "cpu") == 0 || strcmp(value, "gpu") == 0) return NULL;
    if (strncmp(value, "gpu:", 4) != 0 || !isdigit((unsigned char)value[4]))
        return wrong("device", value, known);
    char *end = NULL;
    o->index = strtoul(value + 4, &end, 10);
    return *end ? wrong("device", value, known) : NULL;
}

static ort_status_t *read_precision(ep_options_t *o, const char *value)
{
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_BF16};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (strcmp(value, prim_data_type_name(types[i])) != 0) continue;
        o->f32 = types[i];
        return NULL;
    }
    return wrong("precision", value, "f32, f16, bf16");
}

/// The folder is the library's, for all sessions of the process.
static ort_status_t *read_cache(ep_options_t *o, const char *value)
{
    (void)o;
    if (prim_set_cache_dir(value) == PRIM_SUCCESS) return NULL;
    return ort_fail(ORT_INVALID_ARGUMENT, "Prim: the option cache: %s", prim_last_error());
}

static ort_status_t *read_profile(ep_options_t *o, const char *value)
{
    if (strlen(value) >= sizeof o->profile)
        return ort_fail(ORT_INVALID_ARGUMENT, "Prim: the option profile is longer than %zu bytes",
                sizeof o->profile - 1);
    memcpy(o->profile, value, strlen(value) + 1);
    return NULL;
}

static ort_status_t *read_tuning(ep_options_t *o, const char *value)
{
    o->tuning = strcmp(value, "quick") == 0  ? GRAPH_TUNE_QUICK
                : strcmp(value, "full") == 0 ? GRAPH_TUNE_FULL
                                             : 0;
    return o->tuning || strcmp(value, "none") == 0 ? NULL
                                                   : wrong("tuning", value, "none, quick, full");
}

static ort_status_t *read_claim(ep_options_t *o, const char *value)
{
    o->takes_all = strcmp(value, "all") == 0;
    return o->takes_all || strcmp(value, "worth") == 0 ? NULL : wrong("claim", value, "worth, all");
}

static const struct {
    const char *name;
    ort_status_t *(*read)(ep_options_t *options, const char *value);
} readers[] = {
        {"device", read_device},
        {"precision", read_precision},
        {"cache", read_cache},
        {"profile", read_profile},
        {"tuning", read_tuning},
        {"claim", read_claim},
};

static ort_status_t *read_option(ep_options_t *options, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i)
        if (strcmp(readers[i].name, name) == 0) return readers[i].read(options, value);
    return ort_fail(ORT_INVALID_ARGUMENT,
            "Prim: there is no option %s; known: device, precision, cache, profile, tuning, claim",
            name);
}

/// The part of `key` behind "ep.<name in lower case>."; NULL if the key is another one.
static const char *own_part(const char *key, const char *name)
{
    if (strncmp(key, "ep.", 3) != 0) return NULL;
    for (key += 3; *name; ++key, ++name)
        if (*key != (char)tolower((unsigned char)*name)) return NULL;
    return *key == '.' ? key + 1 : NULL;
}

/// Where the host's kernels are switched off, nothing can be left to them.
ort_status_t *ep_read_options(
        ep_options_t *options, const ort_session_options_t *session, const char *name)
{
    ort_pairs_t *pairs = NULL;
    const char *const *keys = NULL, *const *values = NULL;
    size_t n = 0;
    *options = (ep_options_t){.kind = PRIM_CPU, .f32 = PRIM_F32};
    ort_status_t *status = ORT_TRY_CALL(
            ORT_GET_CONFIG_ENTRIES, const ort_session_options_t *, ort_pairs_t **)(session, &pairs);
    if (status) return status;
    ORT_CALL(ort_api, ORT_GET_PAIRS, void, const ort_pairs_t *, const char *const **,
            const char *const **, size_t *)
    (pairs, &keys, &values, &n);
    bool has_no_fallback = false;
    for (size_t i = 0; i < n && !status; ++i) {
        const char *const own = own_part(keys[i], name);
        if (own) status = read_option(options, own, values[i]);
        if (strcmp(keys[i], "session.disable_cpu_ep_fallback") == 0)
            has_no_fallback = strcmp(values[i], "1") == 0;
    }
    options->takes_all = options->takes_all || has_no_fallback;
    ORT_CALL(ort_api, ORT_RELEASE_PAIRS, void, ort_pairs_t *)(pairs);
    return status;
}
