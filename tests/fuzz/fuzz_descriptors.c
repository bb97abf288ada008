// SPDX-License-Identifier: Apache-2.0
// Random calls of the functions of descriptors, without a fuzzing engine:
//     fuzz_descriptors [CALLS [SEED]]    so many calls; 100000 and 1
//     fuzz_descriptors PATH…             inputs in files and folders, as libFuzzer keeps them
//     fuzz_descriptors reach CALLS SEED  the first, and prints what each round reaches
// Meant for builds with sanitizers: what a call must not do is theirs to notice. A report ends the
// program after it told which round it was: `fuzz_descriptors 1 SEED` repeats that alone.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_body.h"
#include "fuzz_ops.h"

enum { MAX_BYTES = 1024, FILE_BYTES = 1 << 16 };

static uint64_t round_seed;

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
#endif

static void tell_round(void)
{
    fprintf(stderr, "fuzz_descriptors: repeat with: fuzz_descriptors 1 %llu\n",
            (unsigned long long)round_seed);
}

/// The undefined-behaviour sanitizer of GCC calls this one instead (sanitizer/ubsan_interface.h).
__attribute__((visibility("default"))) void __ubsan_on_report(void);
void __ubsan_on_report(void)
{
    tell_round();
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static long run_round(uint64_t seed)
{
    uint8_t bytes[MAX_BYTES];
    uint64_t state = seed;
    const size_t nbytes = 16 + (size_t)(next_random(&state) % (MAX_BYTES - 16));
    for (size_t i = 0; i < nbytes; ++i) bytes[i] = (uint8_t)(next_random(&state) >> 56);
    round_seed = seed;
    if (fuzz_tells) printf("ROUND %llu\n", (unsigned long long)seed);
    return fuzz_run(bytes, nbytes);
}

static long run_file(const char *path)
{
    static uint8_t bytes[FILE_BYTES];
    FILE *const file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "fuzz_descriptors: cannot read %s\n", path);
        exit(2);
    }
    const size_t nbytes = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return fuzz_run(bytes, nbytes);
}

/// A file, or all of a folder.
static long run_path(const char *path, long *nrounds)
{
    DIR *const folder = opendir(path);
    if (!folder) {
        ++*nrounds;
        return run_file(path);
    }
    long ncalls = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        ncalls += run_file(name);
        ++*nrounds;
    }
    closedir(folder);
    return ncalls;
}

int main(int argc, char **argv)
{
    long ncalls = 0, nrounds = 0;
    if (argc > 1 && strcmp(argv[1], "reach") == 0) {
        fuzz_tells = true;
        --argc;
        ++argv;
    }
    const bool has_files = argc > 1 && strspn(argv[1], "0123456789") != strlen(argv[1]);
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    if (__sanitizer_set_death_callback && !has_files) __sanitizer_set_death_callback(tell_round);
#else
    (void)tell_round;
#endif
    if (has_files) {
        for (int i = 1; i < argc; ++i) ncalls += run_path(argv[i], &nrounds);
    } else {
        const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
        const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
        while (ncalls < wanted) ncalls += run_round(seed + (uint64_t)nrounds++);
    }
    printf("fuzz_descriptors: %ld calls in %ld rounds, %ld lines logged\n", ncalls, nrounds,
            fuzz_lines_logged());
    fuzz_close();
    return 0;
}
