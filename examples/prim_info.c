// SPDX-License-Identifier: Apache-2.0
// prim-info [cpu|gpu] [--measure]: every engine of this machine with everything it tells, and, on
// request, how fast it copies and multiplies.
#include "prim_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// How an answer is printed; INT is int, LONG, BYTES and BITS are int64_t.
typedef enum { TEXT, WORDS, LINES, INT, LONG, BYTES, BITS, BOOL } form_t;

typedef struct {
    form_t form;
    prim_engine_query_t query;
    const char *label; ///< a title if the query is UNDEF
} row_t;

#define Q(name) PRIM_ENGINE_QUERY_##name

static const row_t rows[] = {
        {TEXT, Q(KIND_STR), "kind"},
        {TEXT, Q(VENDOR_STR), "vendor"},
        {TEXT, Q(PLATFORM_STR), "platform"},
        {TEXT, Q(DRIVER_VERSION_STR), "driver"},
        {TEXT, Q(DEVICE_VERSION_STR), "version"},
        {TEXT, Q(LANGUAGE_VERSION_STR), "language"},
        {TEXT, Q(ISA_STR), "instructions"},
        {WORDS, Q(EXTENSIONS_STR), "extensions"},
        {WORDS, Q(LANGUAGE_FEATURES_STR), "language features"},

        {TEXT, Q(UNDEF), "optional features"},
        {WORDS, Q(TRUSTED_STR), "passed their self-test"},
        {LINES, Q(DISTRUSTED_STR), "claimed, not used"},

        {TEXT, Q(UNDEF), "size"},
        {INT, Q(COMPUTE_UNITS_S32), "compute units"},
        {INT, Q(CLOCK_MHZ_S32), "clock, MHz"},
        {INT, Q(ADDRESS_BITS_S32), "address bits"},
        {LONG, Q(TIMER_NS_S64), "timer resolution, ns"},
        {BOOL, Q(HAS_OUT_OF_ORDER_QUEUES_BOOL), "out-of-order queues"},
        {LONG, Q(MAX_GROUP_ITEMS_S64), "largest work-group"},
        {LONG, Q(MAX_GROUP_X_S64), "… along x"},
        {LONG, Q(MAX_GROUP_Y_S64), "… along y"},
        {LONG, Q(MAX_GROUP_Z_S64), "… along z"},
        {LONG, Q(GROUP_MULTIPLE_S64), "… a multiple of"},
        {BYTES, Q(MAX_PARAMETER_BYTES_S64), "arguments of a kernel"},

        {TEXT, Q(UNDEF), "memory"},
        {BYTES, Q(GLOBAL_BYTES_S64), "global"},
        {BYTES, Q(MAX_ALLOCATION_BYTES_S64), "largest allocation"},
        {BYTES, Q(MAX_CONSTANT_BYTES_S64), "largest constant buffer"},
        {BYTES, Q(LOCAL_BYTES_S64), "local"},
        {BOOL, Q(HAS_DEDICATED_LOCAL_BOOL), "… of its own"},
        {BYTES, Q(CACHE_BYTES_S64), "cache"},
        {INT, Q(CACHE_LINE_BYTES_S32), "… line, bytes"},
        {INT, Q(BASE_ALIGNMENT_BITS_S32), "sub-buffer alignment, bits"},
        {BOOL, Q(HAS_UNIFIED_MEMORY_BOOL), "shared with the host"},
        {BITS, Q(SVM_S64), "shared virtual memory"},
        {BITS, Q(USM_HOST_S64), "unified shared memory, host"},
        {BITS, Q(USM_DEVICE_S64), "… device"},
        {BITS, Q(USM_SHARED_S64), "… shared"},

        {TEXT, Q(UNDEF), "vector widths, preferred"},
        {INT, Q(PREFERRED_WIDTH_I8_S32), "8-bit integer"},
        {INT, Q(PREFERRED_WIDTH_I16_S32), "16-bit integer"},
        {INT, Q(PREFERRED_WIDTH_I32_S32), "32-bit integer"},
        {INT, Q(PREFERRED_WIDTH_I64_S32), "64-bit integer"},
        {INT, Q(PREFERRED_WIDTH_F16_S32), "half"},
        {INT, Q(PREFERRED_WIDTH_F32_S32), "float"},
        {INT, Q(PREFERRED_WIDTH_F64_S32), "double"},
        {TEXT, Q(UNDEF), "vector widths, native"},
        {INT, Q(NATIVE_WIDTH_I8_S32), "8-bit integer"},
        {INT, Q(NATIVE_WIDTH_I16_S32), "16-bit integer"},
        {INT, Q(NATIVE_WIDTH_I32_S32), "32-bit integer"},
        {INT, Q(NATIVE_WIDTH_I64_S32), "64-bit integer"},
        {INT, Q(NATIVE_WIDTH_F16_S32), "half"},
        {INT, Q(NATIVE_WIDTH_F32_S32), "float"},
        {INT, Q(NATIVE_WIDTH_F64_S32), "double"},

        {TEXT, Q(UNDEF), "what the device claims"},
        {BOOL, Q(HAS_F64_BOOL), "double"},
        {BOOL, Q(HAS_F16_BOOL), "half"},
        {BOOL, Q(HAS_INT_DOT_BOOL), "integer dot product"},
        {BITS, Q(INT_DOT_S64), "… capabilities"},
        {BOOL, Q(HAS_FAST_INT_DOT_BOOL), "… in hardware"},
        {BOOL, Q(HAS_SUBGROUPS_BOOL), "sub-groups"},
        {INT, Q(MAX_SUBGROUPS_S32), "… of a group"},
        {INT, Q(SUBGROUP_ITEMS_S32), "… items, as a kernel sees"},
        {BOOL, Q(HAS_COMMAND_BUFFER_BOOL), "command buffers"},
        {BITS, Q(COMMAND_BUFFER_S64), "… capabilities"},
        {BOOL, Q(HAS_IMAGES_BOOL), "images"},
        {LONG, Q(MAX_IMAGE_WIDTH_S64), "… width, pixels"},
        {LONG, Q(MAX_IMAGE_HEIGHT_S64), "… height, pixels"},
        {LONG, Q(MAX_IMAGE_BUFFER_S64), "… of a buffer, pixels"},
        {INT, Q(MAX_READ_IMAGES_S32), "… that a kernel reads"},
        {INT, Q(MAX_WRITE_IMAGES_S32), "… that a kernel writes"},
        {INT, Q(MAX_SAMPLERS_S32), "… samplers of a kernel"},
        {INT, Q(IMAGE_PITCH_ALIGNMENT_S32), "… pitch of buffers, pixels"},
        {INT, Q(IMAGE_BASE_ALIGNMENT_S32), "… base in buffers, pixels"},

        {TEXT, Q(UNDEF), "what the vendor tells"},
        {INT, Q(NV_CAPABILITY_MAJOR_S32), "compute capability, major"},
        {INT, Q(NV_CAPABILITY_MINOR_S32), "… minor"},
        {INT, Q(NV_WARP_ITEMS_S32), "items of a warp"},
        {INT, Q(NV_GROUP_REGISTERS_S32), "registers of a group"},
        {INT, Q(AMD_GFXIP_MAJOR_S32), "gfx ip, major"},
        {INT, Q(AMD_GFXIP_MINOR_S32), "… minor"},
        {INT, Q(AMD_WAVEFRONT_ITEMS_S32), "items of a wavefront"},
        {INT, Q(AMD_UNIT_SIMDS_S32), "SIMDs of a compute unit"},
        {INT, Q(INTEL_IP_VERSION_S32), "ip version"},
        {INT, Q(INTEL_SLICES_S32), "slices"},
        {INT, Q(INTEL_SLICE_SUBSLICES_S32), "sub-slices of a slice"},
        {INT, Q(INTEL_SUBSLICE_EUS_S32), "execution units of a sub-slice"},
        {INT, Q(INTEL_EU_THREADS_S32), "threads of an execution unit"},
        {BITS, Q(INTEL_FEATURES_S64), "features"},
};

static void print_bytes(int64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        ++unit;
    }
    printf("%.*f %s\n", unit > 0 && value < 100, value, units[unit]);
}

// Words, or lines, one below the other.
static void print_list(const char *text, const char *separators)
{
    const char *indent = "";
    if (!*text) printf("none\n");
    while (*text) {
        const size_t length = strcspn(text, separators);
        if (length > 0) {
            printf("%s%.*s\n", indent, (int)length, text);
            indent = "                                  ";
        }
        text += length;
        text += strspn(text, separators);
    }
}

// Whatever a query may answer with.
typedef union {
    const char *text;
    int number;
    int64_t wide;
    bool yes;
} answer_t;

static void print_answer(const row_t *row, const answer_t *answer)
{
    printf("    %-28s  ", row->label);
    // Dots are three bytes and one column.
    if (strncmp(row->label, "…", 3) == 0) printf("  ");
    switch (row->form) {
    case TEXT: printf("%s\n", answer->text); break;
    case WORDS: print_list(answer->text, " "); break;
    case LINES: print_list(answer->text, "\n"); break;
    case INT: printf("%d\n", answer->number); break;
    case LONG: printf("%" PRId64 "\n", answer->wide); break;
    case BYTES: print_bytes(answer->wide); break;
    case BITS: printf("0x%" PRIx64 "\n", (uint64_t)answer->wide); break;
    case BOOL: printf("%s\n", answer->yes ? "yes" : "no"); break;
    }
}

static int print_engine(prim_engine_t *engine)
{
    const char *title = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].query == Q(UNDEF)) {
            title = rows[i].label; // printed when something follows
            continue;
        }
        answer_t answer = {NULL};
        const prim_status_t status = prim_engine_query(engine, rows[i].query, &answer);
        if (status == PRIM_UNIMPLEMENTED) continue; // nothing of this engine's
        if (status != PRIM_SUCCESS) {
            fprintf(stderr, "%s: %s\n", rows[i].label, prim_last_error());
            return 1;
        }
        if (title) printf("  %s\n", title);
        title = NULL;
        print_answer(&rows[i], &answer);
    }
    return 0;
}

static int measure(prim_engine_t *engine, prim_engine_kind_t kind)
{
    printf("  measured\n");
#ifdef PRIM_INFO_WITH_OCL
    if (kind == PRIM_GPU) return measure_ocl(engine);
#endif
    (void)kind;
    return measure_cpu(engine);
}

static int show(prim_engine_kind_t kind, size_t index, bool measures)
{
    prim_engine_t *engine = NULL;
    if (prim_engine_create(&engine, kind, index) != PRIM_SUCCESS) {
        fprintf(stderr, "%s:%zu: %s\n", prim_engine_kind_name(kind), index, prim_last_error());
        return 1;
    }
    printf("%s:%zu  %s\n", prim_engine_kind_name(kind), index, prim_engine_name(engine));
    int failed = print_engine(engine);
    if (!failed && measures) failed = measure(engine, kind);
    prim_engine_destroy(engine);
    return failed;
}

static int show_all(prim_engine_kind_t kind, bool measures)
{
    const size_t n = prim_engine_get_count(kind);
    int failed = 0;
    for (size_t i = 0; i < n; ++i) failed |= show(kind, i, measures);
    if (n == 0) printf("no %s engine\n", prim_engine_kind_name(kind));
    return failed;
}

int main(int argc, char **argv)
{
    bool measures = false, wants_cpu = false, wants_gpu = false;
    for (int i = 1; i < argc; ++i) {
        const bool is_known = strcmp(argv[i], "--measure") == 0 || strcmp(argv[i], "cpu") == 0 ||
                              strcmp(argv[i], "gpu") == 0;
        if (!is_known) {
            fprintf(stderr, "usage: prim-info [cpu|gpu] [--measure]\n");
            return 2;
        }
        measures |= strcmp(argv[i], "--measure") == 0;
        wants_cpu |= strcmp(argv[i], "cpu") == 0;
        wants_gpu |= strcmp(argv[i], "gpu") == 0;
    }
    const prim_version_t *const version = prim_version();
    printf("Prim %d.%d.%d (%s)\n", version->major, version->minor, version->patch, version->hash);
    const bool wants_all = !wants_cpu && !wants_gpu;
    int failed = 0;
    if (wants_gpu || wants_all) failed |= show_all(PRIM_GPU, measures);
    if (wants_cpu || wants_all) failed |= show_all(PRIM_CPU, measures);
    return failed;
}
