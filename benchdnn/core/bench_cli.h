// SPDX-License-Identifier: Apache-2.0
// The command line: token loop, batch files.
#ifndef BENCH_CLI_H
#define BENCH_CLI_H

#include "bench_list.h"
#include "driver.h"

/// Runs a whole command line on a NULL-terminated table of drivers; returns the exit code.
int cli_run(const driver_t *const *drivers, int argc, char **argv);

/// Splits the text of a batch file into tokens: white space separates, a token that starts with #
/// drops the rest of its line, a token that ends in \ is glued to the next one, and a \ alone glues
/// what stands on its two sides. Appends char * that the caller frees.
void tokenise(const char *text, list_t *tokens);

/// Opens a batch file by the lookup rule; returns its whole text (the caller frees it), or NULL
/// after an error sentence. Keeps the file's directory for later lookups.
char *read_batch(const char *name, const char *driver_name);
/// Starts the lookup anew: of one command line, folders of earlier files count.
void forget_batches(void);
/// Where the executable lies, for the lookup; argv[0] helps where /proc does not exist.
void set_executable(const char *argv0);

#endif
