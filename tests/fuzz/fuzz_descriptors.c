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
#include "fuzz_rounds.h"

enum { ROUND_BYTES = 1024, FILE_BYTES = 1 << 16 };

static void tell_round(uint64_t seed)
{
    printf("ROUND %llu\n", (unsigned long long)seed);
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
    if (has_files) {
        for (int i = 1; i < argc; ++i) ncalls += run_path(argv[i], &nrounds);
    } else {
        const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
        const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
        ncalls = fuzz_rounds("fuzz_descriptors", wanted, seed, ROUND_BYTES,
                fuzz_tells ? tell_round : NULL, fuzz_run, &nrounds);
    }
    printf("fuzz_descriptors: %ld calls in %ld rounds, %ld lines logged\n", ncalls, nrounds,
            fuzz_lines_logged());
    fuzz_close();
    return 0;
}
