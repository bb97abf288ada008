// SPDX-License-Identifier: Apache-2.0
// Devices and problems as the lines of tuning results name them.
#include "ocl_tune_key.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/dispatch.h"
#include "common/fnv.h"
#include "common/int_math.h"
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

static const char *name_of(int arg)
{
    switch (arg) {
    case PRIM_ARG_SRC_0: return "src";
    case PRIM_ARG_SRC_1: return "src1";
    case PRIM_ARG_WEIGHTS_0: return "wei";
    case PRIM_ARG_BIAS: return "bia";
    case PRIM_ARG_DST_0: return "dst";
    default: return NULL;
    }
}

static void add_tensor(text_buffer_t *out, const tensor_t *tensor)
{
    const prim_memory_desc_t *md = &tensor->md;
    const char *name = name_of(tensor->arg);
    char tag[64];
    prim__md_tag_text(md, tag);
    if (name)
        prim__text_add(out, "%s", name);
    else
        prim__text_add(out, "arg%d", tensor->arg);
    prim__text_add(out, ":%s:%s:", prim_data_type_name(md->data_type), tag[0] ? tag : "strided");
    prim_dims_t dims;
    for (int d = 0; d < md->ndims; ++d) dims[d] = prim__ocl_tune_round(md->dims[d]);
    prim__text_add_dims(out, md->ndims, dims);
}

static void add_operation(text_buffer_t *out, const prim_desc_t *pd)
{
    const op_desc_t *op = &pd->op;
    if (op->kind == PRIM_CONVOLUTION) {
        const int nspatial = prim__pd_md(pd, PRIM_ARG_SRC)->ndims - 2;
        prim__text_add(out, " stride:");
        prim__text_add_dims(out, nspatial, op->u.spatial.strides);
        prim__text_add(out, " dilation:");
        prim__text_add_dims(out, nspatial, op->u.spatial.dilates);
    } else if (op->kind == PRIM_SOFTMAX) {
        prim__text_add(out, " axis:%d", op->u.axis.axis);
    }
    if (op->alg_kind != PRIM_ALG_UNDEF && op->kind != PRIM_CONVOLUTION)
        prim__text_add(out, " %s", prim_alg_kind_name(op->alg_kind));
}

void prim__ocl_tune_bucket(char *text, const prim_desc_t *pd)
{
    text_buffer_t out = prim__text_buffer(text, OCL_TUNE_BUCKET_BYTES);
    for (int i = 0; i < pd->origin->ntensors; ++i) {
        if (i) prim__text_add(&out, " ");
        add_tensor(&out, &pd->tensors[i]);
    }
    add_operation(&out, pd);
    if (pd->attr.fpmath_mode != PRIM_FPMATH_STRICT)
        prim__text_add(&out, " fpmath:%d", (int)pd->attr.fpmath_mode);
    if (pd->attr.accumulation_mode != PRIM_ACCUMULATION_STRICT)
        prim__text_add(&out, " acc:%d", (int)pd->attr.accumulation_mode);
}

void prim__ocl_tune_device(char *text, const ocl_device_t *device)
{
    const prim_version_t *version = prim_version();
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
