// SPDX-License-Identifier: Apache-2.0
// The processes of an MPI program. MPI's own error handler ends all of them when one fails, and the
// launcher when one dies.
#include "team.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SUMS = 64 };

static MPI_Request sums[MAX_SUMS];
static int nsums;

void team_open(int *argc, char ***argv)
{
    (void)MPI_Init(argc, argv);
}

void team_close(void)
{
    (void)MPI_Finalize();
}

int team_rank(void)
{
    int rank = 0;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int team_size(void)
{
    int size = 1;
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int team_local_rank(void)
{
    MPI_Comm machine;
    int rank = 0;
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    (void)MPI_Comm_rank(machine, &rank);
    (void)MPI_Comm_free(&machine);
    return rank;
}

void team_sum_begin(float *values, size_t n)
{
    if (nsums == MAX_SUMS) team_sum_end();
    (void)MPI_Iallreduce(
            MPI_IN_PLACE, values, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &sums[nsums++]);
}

void team_sum_progress(void)
{
    int are_done = 0;
    (void)MPI_Testall(nsums, sums, &are_done, MPI_STATUSES_IGNORE);
}

void team_sum_end(void)
{
    (void)MPI_Waitall(nsums, sums, MPI_STATUSES_IGNORE);
    nsums = 0;
}
