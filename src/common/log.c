// SPDX-License-Identifier: Apache-2.0
// The logger: what is on is one atomic word; the filter, the callback and the output share a lock.
#define _POSIX_C_SOURCE 200112L
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "environment.h"

enum { FILTER_BYTES = 64, LINE_BYTES = 1024, WHY_BYTES = 512, MAX_SHOWN = 200 };

/// Not a level: PRIM_VERBOSE has not been read yet.
#define UNREAD (1U << 31)
enum {
    ALL_LEVELS = LOG_ERROR | LOG_WARN | LOG_INFO | LOG_CHECK | LOG_DISPATCH | LOG_PROFILE_CREATE |
                 LOG_PROFILE_EXEC
};

typedef struct {
    const char *name;
    unsigned levels;
} word_t;

static const word_t words[] = {
        // The numbers are those that ONEDNN_VERBOSE takes.
        {"0", 0},
        {"1", LOG_ERROR | LOG_INFO | LOG_PROFILE_EXEC},
        {"2", LOG_ERROR | LOG_INFO | LOG_PROFILE_EXEC | LOG_PROFILE_CREATE},
        {"none", 0},
        {"error", LOG_ERROR},
        {"warn", LOG_WARN},
        {"info", LOG_INFO},
        {"check", LOG_CHECK},
        {"dispatch", LOG_DISPATCH},
        {"profile_create", LOG_PROFILE_CREATE},
        {"profile_exec", LOG_PROFILE_EXEC},
        {"profile", LOG_PROFILE_CREATE | LOG_PROFILE_EXEC},
        {"all", ALL_LEVELS},
};

#define KNOWN_WORDS                                                                 \
    "known are 0, 1, 2, none, error, warn, info, check, dispatch, profile_create, " \
    "profile_exec, profile, all, filter=<part of a primitive kind>"

/// What prim_set_verbose() sets, parsed.
typedef struct {
    unsigned levels;
    char filter[FILTER_BYTES];
} settings_t;

static atomic_uint levels_on = UNREAD;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Behind the lock:
static char filter[FILTER_BYTES];
static bool has_timestamp;
static prim_log_callback_t log_callback;
static void *log_user;

/// The callback may call Prim, and Prim may log: such lines are dropped rather than deadlock.
static _Thread_local bool is_in_callback;

/// Takes one word of the list. Tells whether it knows the word.
static bool take_word(settings_t *settings, const char *text, size_t length)
{
    static const char filter_word[] = "filter=";
    const size_t prefix = sizeof filter_word - 1;
    if (length >= prefix && memcmp(text, filter_word, prefix) == 0) {
        const size_t filter_length = length - prefix;
        if (filter_length >= FILTER_BYTES) return false;
        memcpy(settings->filter, text + prefix, filter_length);
        settings->filter[filter_length] = '\0';
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strlen(words[i].name) != length || memcmp(words[i].name, text, length) != 0) continue;
        settings->levels |= words[i].levels;
        return true;
    }
    return false;
}

/// Parses a comma list; a list that names no level has `error` on. False, with the first unknown
/// word in `why`.
static bool parse(settings_t *settings, const char *list, char *why, size_t why_bytes)
{
    *settings = (settings_t){0};
    bool has_level = false;
    for (const char *word = list; *word;) {
        const size_t length = strcspn(word, ",");
        if (length > 0 && !take_word(settings, word, length)) {
            (void)snprintf(why, why_bytes, "no log level is called \"%.*s\"; " KNOWN_WORDS,
                    length < MAX_SHOWN ? (int)length : MAX_SHOWN, word);
            return false;
        }
        has_level = has_level || (length > 0 && memchr(word, '=', length) == NULL);
        word += length + (word[length] == ',');
    }
    if (!has_level) settings->levels = LOG_ERROR;
    return true;
}

static void apply(const settings_t *settings)
{
    pthread_mutex_lock(&lock);
    memcpy(filter, settings->filter, FILTER_BYTES);
    pthread_mutex_unlock(&lock);
    atomic_store(&levels_on, settings->levels);
}

static void read_environment(void)
{
    const char *const list = prim__env_text(ENV_VERBOSE);
    bool is_stamped = false;
    (void)prim__env_bool(&is_stamped, ENV_VERBOSE_TIMESTAMP);
    pthread_mutex_lock(&lock);
    has_timestamp = is_stamped;
    pthread_mutex_unlock(&lock);

    settings_t settings;
    char why[WHY_BYTES];
    const bool is_good = parse(&settings, list ? list : "", why, sizeof why);
    if (!is_good) settings = (settings_t){.levels = LOG_ERROR};
    apply(&settings);
    if (!is_good)
        prim__log(LOG_ERROR, NULL, "error,environment,PRIM_VERBOSE=%s is ignored: %s", list, why);
    prim__log_environment();
}

bool prim__log_is_on(unsigned level)
{
    unsigned on = atomic_load_explicit(&levels_on, memory_order_relaxed);
    if (on == UNREAD) {
        pthread_once(&environment_once, read_environment);
        on = atomic_load(&levels_on);
    }
    return (on & level) != 0;
}

bool prim__log_is_in_callback(void)
{
    return is_in_callback;
}

bool prim__log_set_levels(const char *levels, char *why, size_t why_bytes)
{
    settings_t settings;
    if (!parse(&settings, levels, why, why_bytes)) return false;
    prim__log_is_on(ALL_LEVELS); // the environment first, so that it cannot overwrite this later
    apply(&settings);
    return true;
}

void prim__log_set_callback(prim_log_callback_t callback, void *user)
{
    pthread_mutex_lock(&lock);
    log_callback = callback;
    log_user = user;
    pthread_mutex_unlock(&lock);
}

double prim__now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/// Hands a finished line out; the lock is held.
static void emit(char *line)
{
    // One event is one line: a compiler's log keeps its words and loses its line ends.
    for (char *c = strpbrk(line, "\r\n"); c; c = strpbrk(c, "\r\n")) *c = ' ';
    if (log_callback) {
        is_in_callback = true;
        log_callback(log_user, line);
        is_in_callback = false;
    } else {
        fputs(line, stdout);
        fputc('\n', stdout);
        fflush(stdout);
    }
}

/// Writes prefix and text to `line`, cut at `bytes`. Returns the length of the whole line.
static size_t format_line(char *line, size_t bytes, const char *format, va_list args)
{
    char stamp[32] = "";
    if (has_timestamp) snprintf(stamp, sizeof stamp, ",%.3f", prim__now_ms());
    const int prefix = snprintf(line, bytes, "prim_verbose,v1%s,", stamp);
    const int text = vsnprintf(line + prefix, bytes - (size_t)prefix, format, args);
    return (size_t)prefix + (text > 0 ? (size_t)text : 0);
}

void prim__log(unsigned level, const char *kind, const char *format, ...)
{
    if (!prim__log_is_on(level) || is_in_callback) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);

    pthread_mutex_lock(&lock);
    if (!kind || strstr(kind, filter)) {
        char line[LINE_BYTES];
        const size_t length = format_line(line, sizeof line, format, args);
        // Without memory for a longer line, its beginning has to do. The timestamp may have grown
        // by a digit since: the room for that is the 32 bytes.
        const size_t bytes = length + 32;
        char *const longer = length < sizeof line ? NULL : prim__calloc(bytes);
        if (longer) format_line(longer, bytes, format, again);
        emit(longer ? longer : line);
        prim__free(longer);
    }
    pthread_mutex_unlock(&lock);
    va_end(again);
    va_end(args);
}

void prim__log_environment(void)
{
    char sentence[WHY_BYTES];
    while (prim__env_take_fault(sentence, sizeof sentence))
        prim__log(LOG_ERROR, NULL, "error,environment,%s", sentence);
}
