// SPDX-License-Identifier: Apache-2.0
// The functions as TVM FFI sees them: one packed function for each operation, under its global
// name.
#include <stdio.h>
#include <string.h>

#include "ffi.h"

const ffi_op_t *const ffi_op_tables[] = {
        ffi_product_ops, ffi_window_ops, ffi_norm_ops, ffi_element_ops, NULL};

/// The exception of a status, with Prim's sentence.
static int raise_failure(const ffi_call_t *call, prim_status_t status)
{
    static const char *const kinds[] = {[PRIM_OUT_OF_MEMORY] = "MemoryError",
            [PRIM_INVALID_ARGUMENTS] = "ValueError",
            [PRIM_UNIMPLEMENTED] = "NotImplementedError",
            [PRIM_RUNTIME_ERROR] = "RuntimeError"};
    const char *kind = call->error_kind;
    const bool has_kind = (size_t)status < sizeof kinds / sizeof kinds[0] && kinds[status];
    if (!kind) kind = has_kind ? kinds[status] : "RuntimeError";
    TVMFFIErrorSetRaisedFromCStr(kind, prim_last_error());
    return -1;
}

prim_status_t ffi_return_string(TVMFFIAny *result, const char *text)
{
    const TVMFFIByteArray string = {text, strlen(text)};
    if (TVMFFIStringFromByteArray(&string, result) == 0) return PRIM_SUCCESS;
    return prim_report_failure(PRIM_OUT_OF_MEMORY, "TVM FFI makes no string");
}

/// "implementation": its name; "workspace_bytes": the size of the workspace, 0 without one.
static prim_status_t answer(ffi_call_t *call, const prim_t *primitive, TVMFFIAny *result)
{
    const prim_desc_t *pd;
    prim_status_t status = prim_get_desc(primitive, &pd);
    if (status) return status;
    if (ffi_string_is(&call->query, "implementation")) {
        const char *name;
        status = prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name);
        return status ? status : ffi_return_string(result, name);
    }
    if (!ffi_string_is(&call->query, "workspace_bytes"))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "there is no query '%.*s'",
                (int)call->query.size, call->query.data);
    const prim_memory_desc_t *md = prim_desc_query_md(pd, PRIM_QUERY_WORKSPACE_MD, 0);
    const int64_t bytes = md && md->ndims ? (int64_t)prim_memory_desc_get_size(md) : 0;
    *result = (TVMFFIAny){.type_index = kTVMFFIInt, .v_int64 = bytes};
    return PRIM_SUCCESS;
}

static int call_op(void *self, const TVMFFIAny *args, int32_t nargs, TVMFFIAny *result)
{
    ffi_call_t call = {.op = self};
    ffi_entry_t *entry = NULL;
    ffi_params_init(&call);
    prim_status_t status = ffi_call_parse(&call, args, nargs);
    if (!status) status = ffi_engine_of_call(&call);
    if (!status) status = ffi_call_describe(&call);
    const bool packs = !status && ffi_string_is(&call.query, "weights");
    if (packs) status = ffi_packed_create(&call, result);
    if (!status && !packs) status = ffi_entry_acquire(&entry, &call);
    if (!status && !packs)
        status = call.query.size ? answer(&call, ffi_entry_primitive(entry), result)
                                 : ffi_execute(&call, ffi_entry_primitive(entry));
    ffi_entry_release(entry);
    ffi_call_clear(&call);
    return status ? raise_failure(&call, status) : 0;
}

static int call_service(void *self, const TVMFFIAny *args, int32_t nargs, TVMFFIAny *result)
{
    const ffi_service_t *service = self;
    static const ffi_op_t no_op = {.name = "prim"};
    ffi_call_t call = {.op = &no_op};
    const prim_status_t status = service->run(&call, args, nargs, result);
    return status ? raise_failure(&call, status) : 0;
}

static prim_status_t set_verbose(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    TVMFFIByteArray levels;
    char text[200];
    if (nargs != 1 || !ffi_as_string(&levels, &args[0]) || levels.size >= sizeof text)
        return ffi_fail(
                call, PRIM_INVALID_ARGUMENTS, "TypeError", "set_verbose takes a list of levels");
    memcpy(text, levels.data, levels.size);
    text[levels.size] = '\0';
    return prim_set_verbose(text);
}

static prim_status_t version(ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)call, (void)args, (void)nargs;
    char text[40];
    const prim_version_t *v = prim_version();
    snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
    return ffi_return_string(result, text);
}

/// "capacity size hits misses"
static prim_status_t cache_info(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)call, (void)args, (void)nargs;
    ffi_cache_info_t info;
    char text[120];
    ffi_cache_get_info(&info);
    snprintf(text, sizeof text, "%lld %lld %lld %lld", (long long)info.capacity,
            (long long)info.size, (long long)info.hits, (long long)info.misses);
    return ffi_return_string(result, text);
}

static prim_status_t set_cache_capacity(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    int64_t capacity;
    if (nargs != 1 || !ffi_as_int(&capacity, &args[0]) || capacity < 0)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
                "the cache's capacity is a number of primitives, 0 or more");
    ffi_cache_set_capacity(capacity);
    return PRIM_SUCCESS;
}

static const ffi_service_t services[] = {{"set_verbose", set_verbose}, {"version", version},
        {"cache_info", cache_info}, {"set_cache_capacity", set_cache_capacity}, {NULL, NULL}};

static int register_function(const char *name, const void *self, TVMFFISafeCallType function)
{
    char global[80];
    snprintf(global, sizeof global, "prim.%s", name);
    const TVMFFIByteArray key = {global, strlen(global)};
    TVMFFIObjectHandle object;
    if (TVMFFIFunctionCreate((void *)(uintptr_t)self, function, NULL, &object)) return -1;
    const int failed = TVMFFIFunctionSetGlobal(&key, object, 1);
    TVMFFIObjectDecRef(object);
    return failed;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi_register_functions(
        void *self, const TVMFFIAny *args, int32_t nargs, TVMFFIAny *result);

/// Makes every function known as prim.<name>; the module's only function of its own.
int __tvm_ffi_register_functions(
        void *self, const TVMFFIAny *args, int32_t nargs, TVMFFIAny *result)
{
    (void)self, (void)args, (void)nargs, (void)result;
    int failed = 0;
    for (const ffi_op_t *const *table = ffi_op_tables; *table; ++table) {
        for (const ffi_op_t *op = *table; op->name && !failed; ++op)
            failed = register_function(op->name, op, call_op);
    }
    const ffi_service_t *const lists[] = {ffi_array_services, ffi_engine_services,
            ffi_recording_services, ffi_packed_services, services};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        for (const ffi_service_t *s = lists[i]; s->name && !failed; ++s)
            failed = register_function(s->name, s, call_service);
    }
    return failed;
}
