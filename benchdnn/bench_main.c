// SPDX-License-Identifier: Apache-2.0
// benchdnn: correctness and performance of Prim's primitives. doc/benchdnn.md explains the grammar.
#include "core/bench_cli.h"

int main(int argc, char **argv)
{
    return cli_run(bench_drivers, argc, argv);
}
