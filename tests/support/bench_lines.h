// SPDX-License-Identifier: Apache-2.0
// Lines of benchdnn as data of a test: a program that links this file has benchdnn's parsers, and
// what they make of a batch file in place of its runner.
#ifndef PRIM_TESTS_BENCH_LINES_H
#define PRIM_TESTS_BENCH_LINES_H

#include "core/bench_case.h"

/// Gives every case of benchdnn/inputs/<driver>/test_<driver>_<set> to `take`, which owns it
/// (case_destroy()). Opens no engine. False when the file is not as it should be, after a sentence.
bool bench_lines_read(const char *driver, const char *set, prim_engine_kind_t engine,
        void (*take)(bench_case_t *c));

#endif
