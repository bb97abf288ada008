// SPDX-License-Identifier: Apache-2.0
// Measured numbers of a device: the lines of its family's table, resolved to arrays.
#include "ocl_measured.h"

#include <assert.h>
#include <string.h>

#include "common/alloc.h"
#include "common/log.h"
#include "ocl_measured_rules.h"
#include "ocl_tune_text.h"

enum { MAX_CONFIGS = 128 };

typedef struct {
    ocl_measured_set_t set;
    ocl_tune_params_t params;
    ocl_measured_values_t values;
} config_t;

struct ocl_measured {
    bool is_known[OCL_NMEASURED];
    double values[OCL_NMEASURED];
    int nconfigs;
    config_t configs[MAX_CONFIGS];
};

double prim__ocl_measured(const ocl_device_t *device, ocl_measured_key_t key, double estimate)
{
    const struct ocl_measured *const measured = device->measured;
    return measured && measured->is_known[key] ? measured->values[key] : estimate;
}

int prim__ocl_measured_int(const ocl_device_t *device, ocl_measured_key_t key, int estimate)
{
    assert(prim__ocl_measured_rules[key].kind != MEASURED_REAL);
    return (int)prim__ocl_measured(device, key, estimate);
}

static config_t *find_config(
        struct ocl_measured *measured, ocl_measured_set_t set, const ocl_tune_params_t *params)
{
    for (int i = 0; i < measured->nconfigs; ++i) {
        config_t *const config = &measured->configs[i];
        if (config->set == set && memcmp(&config->params, params, sizeof *params) == 0)
            return config;
    }
    return NULL;
}

ocl_measured_values_t prim__ocl_measured_config(const ocl_device_t *device, ocl_measured_set_t set,
        ocl_tune_params_t params, ocl_measured_values_t estimate)
{
    if (!device->measured) return estimate;
    const config_t *const config = find_config(device->measured, set, &params);
    return config ? config->values : estimate;
}

static bool put_limit(struct ocl_measured *measured, const ocl_tune_result_t *line)
{
    const char *const name = line->bucket + strlen("limit ");
    for (int key = 0; key < OCL_NMEASURED; ++key) {
        const ocl_measured_rule_t *const rule = &prim__ocl_measured_rules[key];
        if (strcmp(rule->name, name) != 0 || strcmp(rule->owner, line->family) != 0) continue;
        if (!prim__ocl_measured_parse(&measured->values[key], line->params, rule)) return false;
        measured->is_known[key] = true;
        return true;
    }
    return false;
}

static bool put_config(struct ocl_measured *measured, const ocl_tune_result_t *line)
{
    for (int set = 0; set < OCL_NMEASURED_SETS; ++set) {
        const ocl_measured_set_rule_t *const rule = &prim__ocl_measured_set_rules[set];
        config_t config = {.set = (ocl_measured_set_t)set};
        if (strcmp(rule->owner, line->family) != 0 ||
                !prim__ocl_tune_params_parse(
                        &config.params, rule->params, line->bucket + strlen("config ")))
            continue;
        if (!prim__ocl_measured_parse_values(&config.values, line->params, rule)) return false;
        config_t *const old = find_config(measured, config.set, &config.params);
        if (!old && measured->nconfigs == MAX_CONFIGS) return false;
        *(old ? old : &measured->configs[measured->nconfigs++]) = config;
        return true;
    }
    return false;
}

/// Returns how many lines no rule knows.
static int put_all(
        struct ocl_measured *measured, const ocl_tune_results_t *lines, const ocl_device_t *device)
{
    int nfaults = 0;
    for (size_t i = 0; i < lines->n; ++i) {
        const ocl_tune_result_t *const line = &lines->entries[i].result;
        if (!prim__ocl_tune_is_measured(line)) continue;
        const bool is_config = line->bucket[0] == 'c';
        if (is_config ? put_config(measured, line) : put_limit(measured, line)) continue;
        ++nfaults;
        prim__log(LOG_WARN, NULL, "warn,ocl_measured,%s,%s | %s | %s,unknown or out of bounds",
                device->name, line->family, line->bucket, line->params);
    }
    return nfaults;
}

/// The numbers of the device's family, which has perhaps none.
static prim_status_t put_family(struct ocl_measured *measured, const ocl_device_t *device)
{
    const char *const family = prim__ocl_device_family(device);
    ocl_tune_results_t lines = {0};
    bool has_memory = true;
    for (const char *const *table = prim__ocl_measured_tables; family && *table; ++table) {
        const ocl_tune_parsed_t parsed =
                prim__ocl_tune_text_parse(&lines, *table, strlen(*table), NULL, family);
        assert(parsed.nfaults == 0);
        has_memory = has_memory && parsed.has_memory;
    }
    const int nfaults = put_all(measured, &lines, device);
    assert(nfaults == 0); // ocl_measured_test reads all tables
    (void)nfaults;
    prim__ocl_tune_results_fini(&lines);
    return has_memory ? PRIM_SUCCESS : prim__fail(PRIM_OUT_OF_MEMORY, "no memory for a table");
}

prim_status_t prim__ocl_measured_create(
        struct ocl_measured **measured, const ocl_device_t *device, const ocl_tune_results_t *own)
{
    struct ocl_measured *const created = prim__calloc(sizeof *created);
    if (!created) return prim__fail_memory(sizeof *created);
    const prim_status_t st = put_family(created, device);
    if (st != PRIM_SUCCESS) {
        prim__ocl_measured_destroy(created);
        return st;
    }
    if (own) (void)put_all(created, own, device);
    *measured = created;
    return PRIM_SUCCESS;
}

void prim__ocl_measured_destroy(struct ocl_measured *measured)
{
    prim__free(measured);
}
