// SPDX-License-Identifier: Apache-2.0
// What the examples share: giving up with the library's own sentence.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <prim/prim.h>

/// Ends the program with the library's last error unless `call` succeeded.
#define DO(call)                                                                   \
    do {                                                                           \
        if ((call) != PRIM_SUCCESS) {                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, prim_last_error()); \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

/// The exit code of an example that had nothing to show here, behind a line "skipped: why".
enum { EXAMPLE_SKIPPED = 77 };

/// The type that `word` names: f32, f16 or bf16; false: none of these.
static inline bool example_type(prim_data_type_t *type, const char *word)
{
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_BF16};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (strcmp(word, prim_data_type_name(types[i])) != 0) continue;
        *type = types[i];
        return true;
    }
    return false;
}

/// The engine named on the command line ("cpu", "gpu", "gpu:1"), or the first GPU engine.
static inline prim_engine_t *example_engine(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "gpu";
    const prim_engine_kind_t kind = name[0] == 'c' ? PRIM_CPU : PRIM_GPU;
    const size_t index = name[3] == ':' ? strtoul(name + 4, NULL, 10) : 0;
    prim_engine_t *engine = NULL;
    DO(prim_engine_create(&engine, kind, index));
    return engine;
}

#endif
