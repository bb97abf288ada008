// SPDX-License-Identifier: Apache-2.0
// Enumerates devices over all platforms, by type, filtered by PRIM_OCL_DEVICE.
#include "ocl_platform.h"

#include <stdlib.h>
#include <string.h>

#include "common/environment.h"
#include "common/log.h"
#include "common/text_buffer.h"
#include "ocl_status.h"

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64, NAME_BYTES = 256 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, const char *part)
{
    for (; *text; ++text) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i])) ++i;
        if (!part[i]) return true;
    }
    return false;
}

// What PRIM_OCL_DEVICE selects.
typedef struct {
    const char *part; ///< of a name; NULL: every device, or `index`
    bool has_index;
    size_t index;
} filter_t;

static filter_t read_filter(void)
{
    const char *const text = prim__env_text(ENV_OCL_DEVICE);
    if (!text || !*text) return (filter_t){0};
    if (text[strspn(text, "0123456789")] != '\0') return (filter_t){.part = text};
    return (filter_t){.has_index = true, .index = (size_t)strtoull(text, NULL, 10)};
}

enum { PLATFORM_NOT_FOUND_KHR = -1001 };

// Whether the call succeeded. "Nothing to list" is no failure; anything else is logged, because a
// device is missing that the user may look for.
static bool is_answered(cl_int code, const char *call)
{
    if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND && code != PLATFORM_NOT_FOUND_KHR) {
        prim__log(LOG_WARN, NULL, "warn,ocl_platform,%s failed: %s (%d), devices are left out",
                call, prim__ocl_code_name(code), (int)code);
    }
    return code == CL_SUCCESS;
}

static bool platform_matches(cl_platform_id platform, const char *part)
{
    char name[NAME_BYTES] = "";
    return clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) ==
                   CL_SUCCESS &&
           contains(name, part);
}

// Usable: it answers, is available and brings a compiler.
static bool is_usable(cl_device_id device)
{
    cl_bool is_available = CL_FALSE, has_compiler = CL_FALSE;
    cl_int code =
            clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof is_available, &is_available, NULL);
    if (code == CL_SUCCESS) {
        code = clGetDeviceInfo(
                device, CL_DEVICE_COMPILER_AVAILABLE, sizeof has_compiler, &has_compiler, NULL);
    }
    return is_answered(code, "clGetDeviceInfo") && is_available && has_compiler;
}

typedef struct {
    ocl_listed_device_t *list;
    size_t room, count; ///< count: devices that passed the filter
    size_t position;    ///< usable devices seen
    size_t nplatforms;
    filter_t filter;
} walk_t;

static void visit(walk_t *walk, cl_platform_id platform, cl_device_id device)
{
    char name[NAME_BYTES] = "";
    if (!is_usable(device) ||
            !is_answered(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL),
                    "clGetDeviceInfo")) {
        return;
    }
    const size_t position = walk->position++;
    if (walk->filter.has_index && position != walk->filter.index) return;
    if (walk->filter.part && !contains(name, walk->filter.part) &&
            !platform_matches(platform, walk->filter.part)) {
        return;
    }
    if (walk->count < walk->room) {
        walk->list[walk->count] = (ocl_listed_device_t){platform, device};
    }
    ++walk->count;
}

static void walk_devices(walk_t *walk)
{
    static const cl_device_type types[] = {
            CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU};
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint nplatforms = 0;
    const cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms);
    if (!is_answered(code, "clGetPlatformIDs")) return;
    if (nplatforms > MAX_PLATFORMS) nplatforms = MAX_PLATFORMS;
    walk->nplatforms = nplatforms;

    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t) {
        for (cl_uint p = 0; p < nplatforms; ++p) {
            cl_device_id devices[MAX_DEVICES];
            cl_uint ndevices = 0;
            const cl_int found =
                    clGetDeviceIDs(platforms[p], types[t], MAX_DEVICES, devices, &ndevices);
            if (!is_answered(found, "clGetDeviceIDs")) continue;
            if (ndevices > MAX_DEVICES) ndevices = MAX_DEVICES;
            for (cl_uint d = 0; d < ndevices; ++d) visit(walk, platforms[p], devices[d]);
        }
    }
}

size_t prim__ocl_list_devices(ocl_listed_device_t *list, size_t room)
{
    walk_t walk = {.list = list, .room = room, .filter = read_filter()};
    walk_devices(&walk);
    return walk.count;
}

// "0: NAME (PLATFORM), 1: …", as PRIM_OCL_DEVICE counts them.
static void add_names(text_buffer_t *out, const ocl_listed_device_t *list, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        char device[NAME_BYTES] = "?", platform[NAME_BYTES] = "?";
        (void)clGetDeviceInfo(list[i].device, CL_DEVICE_NAME, sizeof device - 1, device, NULL);
        (void)clGetPlatformInfo(
                list[i].platform, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
        prim__text_add(out, "%s%zu: %s (%s)", i > 0 ? ", " : "", i, device, platform);
    }
}

void prim__ocl_explain_devices(char *text, size_t bytes)
{
    enum { MAX_TOLD = 8 };
    ocl_listed_device_t all[MAX_TOLD];
    walk_t walk = {.list = all, .room = MAX_TOLD};
    text_buffer_t out = prim__text_buffer(text, bytes);
    const char *const filter = prim__env_text(ENV_OCL_DEVICE);
    walk_devices(&walk);
    if (walk.nplatforms == 0) {
        prim__text_add(&out, " (there is no OpenCL platform: no driver is installed, or the ICD "
                             "loader does not find it)");
    } else if (walk.count == 0) {
        prim__text_add(&out, " (of %zu OpenCL platform%s none has a device that can be used)",
                walk.nplatforms, walk.nplatforms == 1 ? "" : "s");
    } else if (filter && *filter) {
        prim__text_add(&out, " (PRIM_OCL_DEVICE=%s leaves %zu of these %zu: ", filter,
                prim__ocl_list_devices(NULL, 0), walk.count);
        add_names(&out, all, walk.count < MAX_TOLD ? walk.count : MAX_TOLD);
        prim__text_add(&out, ")");
    }
}
