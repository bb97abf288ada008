// SPDX-License-Identifier: Apache-2.0
// Reads environment variables. Values that cannot be parsed are kept under a lock until they are
// logged.
#define _POSIX_C_SOURCE 200112L
#include "environment.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_UNDERSTOOD \
    "it takes a number of bytes, alone or with K, M, G or T (1024, 64K, 512MiB, 2G)"

typedef struct {
    const char *name;
    const char *understood; ///< the end of the sentence about a value that is not; "" for any text
} variable_t;

static const variable_t variables[ENV_NVARIABLES] = {
        // log.c reports PRIM_VERBOSE itself, because it can name the word that is wrong.
        [ENV_VERBOSE] = {"PRIM_VERBOSE", ""},
        [ENV_VERBOSE_TIMESTAMP] = {"PRIM_VERBOSE_TIMESTAMP", "it takes 0 or 1"},
        [ENV_OCL_DEVICE] = {"PRIM_OCL_DEVICE", ""},
        [ENV_PRIMITIVE_CACHE_CAPACITY] = {"PRIM_PRIMITIVE_CACHE_CAPACITY",
                "it takes a number of primitives from 0 to 2147483647"},
        [ENV_CACHE_DIR] = {"PRIM_CACHE_DIR", ""},
        [ENV_CACHE_MAX_BYTES] = {"PRIM_CACHE_MAX_BYTES", BYTES_UNDERSTOOD},
        [ENV_MEMORY_MAX_BYTES] = {"PRIM_MEMORY_MAX_BYTES", BYTES_UNDERSTOOD},
        [ENV_TUNE] = {"PRIM_TUNE", "it takes none, quick or full"},
        [ENV_DEFAULT_FPMATH_MODE] = {"PRIM_DEFAULT_FPMATH_MODE",
                "it takes strict, bf16, f16, tf32 or any"},
        [ENV_MAX_CPU_ISA] = {"PRIM_MAX_CPU_ISA",
                "it takes portable, avx2, avx512, avx512_vnni, avx512_bf16 or avx512_amx; on "
                "64-bit ARM portable or neon"},
        [ENV_CPU_RUNTIME] = {"PRIM_CPU_RUNTIME", "it takes omp or seq"},
        [ENV_XDG_CACHE_HOME] = {"XDG_CACHE_HOME", ""},
        [ENV_HOME] = {"HOME", ""},
};

enum { VALUE_BYTES = 64 };

/// What is to be logged about each variable, and what was logged last.
static struct {
    pthread_mutex_t lock;
    char noted[ENV_NVARIABLES][VALUE_BYTES];
    bool is_pending[ENV_NVARIABLES];
} faults = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int npending;

const char *prim__env_name(env_variable_t variable)
{
    return variables[variable].name;
}

const char *prim__env_text(env_variable_t variable)
{
    return getenv(variables[variable].name);
}

/// Variables may be read more than once, by each engine for one; the same value is reported once.
static void note(env_variable_t variable, const char *text)
{
    char value[VALUE_BYTES];
    (void)snprintf(value, sizeof value, "%s", text);
    (void)pthread_mutex_lock(&faults.lock);
    if (strcmp(faults.noted[variable], value) != 0) {
        memcpy(faults.noted[variable], value, sizeof value);
        if (!faults.is_pending[variable]) atomic_fetch_add(&npending, 1);
        faults.is_pending[variable] = true;
    }
    (void)pthread_mutex_unlock(&faults.lock);
}

bool prim__env_take_fault(char *sentence, size_t sentence_bytes)
{
    if (atomic_load_explicit(&npending, memory_order_relaxed) == 0) return false;
    (void)pthread_mutex_lock(&faults.lock);
    int i = 0;
    while (i < ENV_NVARIABLES && !faults.is_pending[i]) ++i;
    const bool has_fault = i < ENV_NVARIABLES;
    if (has_fault) {
        (void)snprintf(sentence, sentence_bytes, "%s=%s is ignored: %s", variables[i].name,
                faults.noted[i], variables[i].understood);
        faults.is_pending[i] = false;
        atomic_fetch_sub(&npending, 1);
    }
    (void)pthread_mutex_unlock(&faults.lock);
    return has_fault;
}

/// The value if there is one to understand.
static const char *given(env_variable_t variable)
{
    const char *const text = prim__env_text(variable);
    return text && *text ? text : NULL;
}

/// Reads digits from the start of `text`; NULL if there are none or they exceed 64 bits, else what
/// follows them.
static const char *read_digits(uint64_t *value, const char *text)
{
    uint64_t sum = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; ++c) {
        const uint64_t digit = (uint64_t)(*c - '0');
        if (sum > (UINT64_MAX - digit) / 10) return NULL;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return c > text ? c : NULL;
}

bool prim__env_int(int *value, env_variable_t variable, int max)
{
    const char *const text = given(variable);
    if (!text) return false;
    uint64_t number = 0;
    const char *const rest = read_digits(&number, text);
    const bool is_good = rest && *rest == '\0' && number <= (uint64_t)max;
    if (is_good)
        *value = (int)number;
    else
        note(variable, text);
    return is_good;
}

bool prim__env_bool(bool *value, env_variable_t variable)
{
    int number = 0;
    if (!prim__env_int(&number, variable, 1)) return false;
    *value = number == 1;
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/// The power of two that a unit ("", "K", "Ki", "KiB" …) stands for, or -1.
static int shift_of_unit(const char *unit)
{
    static const char letters[] = "kmgt";
    if (*unit == '\0') return 0;
    const char *const letter = strchr(letters, lower(*unit));
    if (!letter || *letter == '\0') return -1;
    const char *const rest = unit + 1;
    const bool has_end = rest[0] == '\0' || (lower(rest[0]) == 'i' && rest[1] == '\0') ||
                         (lower(rest[0]) == 'i' && lower(rest[1]) == 'b' && rest[2] == '\0');
    return has_end ? 10 * (int)(letter - letters + 1) : -1;
}

bool prim__env_bytes(uint64_t *value, env_variable_t variable)
{
    const char *const text = given(variable);
    if (!text) return false;
    uint64_t number = 0;
    const char *const unit = read_digits(&number, text);
    const int shift = unit ? shift_of_unit(unit) : -1;
    const bool is_good = shift >= 0 && number <= UINT64_MAX >> shift;
    if (is_good)
        *value = number << shift;
    else
        note(variable, text);
    return is_good;
}

bool prim__env_word(int *value, env_variable_t variable, const char *const *words, int nwords)
{
    const char *const text = given(variable);
    if (!text) return false;
    for (int i = 0; i < nwords; ++i) {
        if (strcmp(text, words[i]) != 0) continue;
        *value = i;
        return true;
    }
    note(variable, text);
    return false;
}
