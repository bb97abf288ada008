// SPDX-License-Identifier: Apache-2.0
// Builds the text of -D options.
#include "ocl_options.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(ocl_options_t *options, const char *format, ...) PRIM_PRINTF(2, 3);

static void append(ocl_options_t *options, const char *format, ...)
{
    const size_t room = sizeof options->text - options->length;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(options->text + options->length, room, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= room) {
        options->text[options->length] = '\0';
        options->has_overflowed = true;
    } else {
        options->length += (size_t)length;
    }
}

static void init(ocl_options_t *options, const char *standard)
{
    options->length = 0;
    options->has_overflowed = options->has_bf16 = false;
    append(options, "-cl-std=%s", standard);
}

void prim__ocl_options_init(ocl_options_t *options)
{
    init(options, "CL1.2");
}

void prim__ocl_options_init_newer(ocl_options_t *options, int opencl_major)
{
    init(options, opencl_major >= 3 ? "CL3.0" : "CL2.0");
}

void prim__ocl_options_int(ocl_options_t *options, const char *name, int64_t value)
{
    // Literals beyond int need their suffix where the compiler's default is 32 bits.
    const bool is_int = value >= INT32_MIN && value <= INT32_MAX;
    append(options, " -D%s=%lld%s", name, (long long)value, is_int ? "" : "L");
}

void prim__ocl_options_float(ocl_options_t *options, const char *name, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    append(options, " -D%s=as_float(0x%08xu)", name, (unsigned)bits);
}

void prim__ocl_options_word(ocl_options_t *options, const char *name, const char *word)
{
    append(options, " -D%s=%s", name, word);
}

void prim__ocl_options_registers(ocl_options_t *options, int most)
{
    append(options, " -DREGISTERS=%d", most);
    if (most > 0) append(options, " -cl-nv-maxrregcount=%d", most);
}

void prim__ocl_options_arg_info(ocl_options_t *options)
{
    append(options, " -cl-kernel-arg-info");
}

// What the device code calls a type: suffix of its loads and stores, and its storage.
static const struct {
    prim_data_type_t dt;
    const char *suffix, *storage;
    bool is_int;
} types[] = {
        {PRIM_F32, "f32", "float", false},
        {PRIM_F16, "f16", "f16_t", false},
        {PRIM_BF16, "bf16", "bf16_t", false},
        {PRIM_S32, "s32", "int", true},
        {PRIM_S8, "s8", "char", true},
        {PRIM_U8, "u8", "uchar", true},
};

static int find_type(prim_data_type_t dt)
{
    for (int i = 0; i < (int)(sizeof types / sizeof types[0]); ++i) {
        if (types[i].dt == dt) return i;
    }
    return -1;
}

bool prim__ocl_dt_is_supported(prim_data_type_t dt)
{
    return find_type(dt) >= 0;
}

void prim__ocl_options_type(ocl_options_t *options, const char *prefix, prim_data_type_t dt)
{
    const int i = find_type(dt);
    assert(i >= 0);
    const char *const suffix = types[i].suffix;
    options->has_bf16 = options->has_bf16 || dt == PRIM_BF16;
    append(options, " -D%s_DT=%d -D%s_T=%s -D%s_IS_INT=%d", prefix, (int)dt, prefix,
            types[i].storage, prefix, types[i].is_int);
    append(options, " -D%s_LOAD=load_%s -D%s_STORE=store_%s", prefix, suffix, prefix, suffix);
    for (int n = 2; n <= 16; n *= 2) {
        append(options, " -D%s_LOAD%d=load%d_%s -D%s_STORE%d=store%d_%s", prefix, n, n, suffix,
                prefix, n, n, suffix);
    }
    if (types[i].is_int) {
        append(options, " -D%s_LOAD_INT=load_int_%s -D%s_STORE_INT=store_int_%s", prefix, suffix,
                prefix, suffix);
        append(options, " -D%s_SATURATE=convert_%s_sat", prefix, types[i].storage);
    }
}
