// SPDX-License-Identifier: Apache-2.0
// The processes that train one network together, each with a part of every batch: team_mpi.c over
// MPI, team_alone.c for one process.
#ifndef EXAMPLES_TEAM_H
#define EXAMPLES_TEAM_H

#include <stddef.h>

/// Before the arguments are read. Processes that lose one of the team end with it.
void team_open(int *argc, char ***argv);
void team_close(void);

/// From 0 on.
int team_rank(void);
int team_size(void);
/// The rank among the processes of this machine.
int team_local_rank(void);

/// Begins to replace `values` by their sums over all processes, which call it in the same order.
/// Until team_sum_end() nothing else touches them.
void team_sum_begin(float *values, size_t n);
/// Lets sums that were begun go on, without waiting.
void team_sum_progress(void);
/// Waits for all of them.
void team_sum_end(void);

#endif
