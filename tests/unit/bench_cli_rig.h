// SPDX-License-Identifier: Apache-2.0
// benchdnn's command line run inside a test, on drivers of its own: --window reads fields (it has
// the letters of pooling), --dims reads tensors. Neither can create a primitive: mode L, or cases
// that are skipped.
#ifndef BENCH_CLI_RIG_H
#define BENCH_CLI_RIG_H

/// Runs a command line given as one text, split at blanks; returns what it printed to stdout, for
/// the caller to free.
char *cli_rig_run(const char *line, int *code);
/// The repro lines of a run that has to end with 0, one to a line; the caller frees them.
char *cli_rig_repros(const char *line);
/// cli_rig_repros() has to give the expected lines.
void cli_rig_check(const char *line, const char *expected);
/// Global options stay set for the process: back to their defaults, but mode L.
void cli_rig_forget(void);

#endif
