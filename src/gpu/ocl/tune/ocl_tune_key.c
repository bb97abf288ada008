// SPDX-License-Identifier: Apache-2.0
// Devices and problems as the lines of tuning results name them.
#include "ocl_tune_key.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/desc_storage.h"
#include "common/fnv.h"
#include "common/int_math.h"
#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "common/text_buffer.h"
#include "prim/prim.h"

prim_dim_t prim__ocl_tune_round(prim_dim_t size)
{
    prim_dim_t octave = 16;
    if (size <= octave) return size;
    while (octave <= size / 2) octave *= 2;
    const prim_dim_t step = octave / 8;
    return prim__round_up(size, step);
}

static void add_tensor(text_buffer_t *out, const op_schema_t *schema, const tensor_t *tensor)
{
    const prim_memory_desc_t *const md = &tensor->md;
    const tensor_rule_t *const rule = prim__schema_rule(schema, tensor->arg);
    char tag[64];
    prim__md_tag_text(md, tag);
    prim__text_add(out, "%s", rule ? prim__rule_log_name(rule) : "arg");
    if (!rule || rule->flags & TENSOR_REPEATED)
        prim__text_add(out, "%d", tensor->arg - (rule ? rule->arg : 0));
    prim__text_add(out, ":%s:%s:", prim_data_type_name(md->data_type), tag[0] ? tag : "strided");
    prim_dims_t dims;
    for (int d = 0; d < md->ndims; ++d) dims[d] = prim__ocl_tune_round(md->dims[d]);
    prim__text_add_dims(out, md->ndims, dims);
}

/// The parameters that decide on configurations, and the algorithm.
static void add_operation(text_buffer_t *out, const prim_desc_t *pd, const op_schema_t *schema)
{
    const int nspatial = prim__pd_md(pd, PRIM_ARG_SRC)->ndims - 2;
    for (const param_rule_t *param = schema->params; param && param->name; ++param) {
        const void *const value = (const char *)&pd->op + param->offset;
        if (!param->tune_name) continue;
        prim__text_add(out, " %s:", param->tune_name);
        if (param->type == PARAM_DIMS)
            prim__text_add_dims(out, nspatial, value);
        else
            prim__text_add(out, "%d", *(const int *)value);
    }
    if (pd->op.alg_kind != PRIM_ALG_UNDEF && !schema->alg_is_choice)
        prim__text_add(out, " %s", prim_alg_kind_name(pd->op.alg_kind));
}

void prim__ocl_tune_bucket(char *text, const prim_desc_t *pd)
{
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    text_buffer_t out = prim__text_buffer(text, OCL_TUNE_BUCKET_BYTES);
    for (int i = 0; i < pd->origin->ntensors; ++i) {
        if (i) prim__text_add(&out, " ");
        add_tensor(&out, schema, &pd->tensors[i]);
    }
    add_operation(&out, pd, schema);
    if (pd->attr.fpmath_mode != PRIM_FPMATH_STRICT)
        prim__text_add(&out, " fpmath:%d", (int)pd->attr.fpmath_mode);
    if (pd->attr.accumulation_mode != PRIM_ACCUMULATION_STRICT)
        prim__text_add(&out, " acc:%d", (int)pd->attr.accumulation_mode);
}

void prim__ocl_tune_device(char *text, const ocl_device_t *device)
{
    const prim_version_t *const version = prim_version();
    (void)snprintf(text, OCL_TUNE_DEVICE_BYTES, "%s; %s; driver %s; %s; prim %d.%d.%d",
            device->name, device->vendor, device->driver_version, device->platform_version,
            version->major, version->minor, version->patch);
    for (char *c = text; *c; ++c)
        if (iscntrl((unsigned char)*c)) *c = ' ';
}

void prim__ocl_tune_file_name(char *name, const char *device_text)
{
    enum { SLUG_BYTES = 48 };
    char slug[SLUG_BYTES];
    int n = 0;
    for (const char *c = device_text; *c && *c != ';' && n < SLUG_BYTES - 1; ++c) {
        const bool is_plain = isalnum((unsigned char)*c) || *c == '-' || *c == '.';
        if (is_plain || (n > 0 && slug[n - 1] != '_')) slug[n++] = is_plain ? *c : '_';
    }
    slug[n] = '\0';
    (void)snprintf(name, OCL_TUNE_FILE_BYTES, "%s-%016llx.tune", slug,
            (unsigned long long)prim__fnv64(FNV64_START, device_text, strlen(device_text)));
}
