// SPDX-License-Identifier: Apache-2.0
// support_table [README]: prints the README's support table from the implementation lists, or,
// given the file, tells whether the table in it is that one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ops/schema.h"

static const prim_primitive_kind_t operations[] = {PRIM_CONVOLUTION, PRIM_MATMUL,
        PRIM_INNER_PRODUCT, PRIM_POOLING, PRIM_ELTWISE, PRIM_BINARY, PRIM_SOFTMAX,
        PRIM_BATCH_NORMALIZATION, PRIM_SUM, PRIM_CONCAT, PRIM_RESAMPLING, PRIM_PRELU, PRIM_REORDER};

static void add_names(char *text, size_t text_bytes, const impl_t *const *list)
{
    for (int i = 0; list[i]; ++i) {
        const size_t used = strlen(text);
        snprintf(text + used, text_bytes - used, "%s`%s`", i ? ", " : "", list[i]->name);
    }
}

static void print_table(char *text, size_t text_bytes)
{
    snprintf(text, text_bytes,
            "| operation | on the CPU, best first | on OpenCL devices, best first |\n"
            "|---|---|---|\n");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
        size_t used = strlen(text);
        snprintf(
                text + used, text_bytes - used, "| %s | ", prim_primitive_kind_name(operations[i]));
        add_names(text, text_bytes, prim__impl_list(PRIM_CPU, operations[i], FORWARD));
        used = strlen(text);
        snprintf(text + used, text_bytes - used, " | ");
        add_names(text, text_bytes, prim__impl_list(PRIM_GPU, operations[i], FORWARD));
        used = strlen(text);
        snprintf(text + used, text_bytes - used, " |\n");
    }
}

int main(int argc, char **argv)
{
    static char table[1 << 14], readme[1 << 18];
    print_table(table, sizeof table);
    if (argc < 2) {
        fputs(table, stdout);
        return 0;
    }
    FILE *const file = fopen(argv[1], "r");
    if (!file) return 2;
    readme[fread(readme, 1, sizeof readme - 1, file)] = 0;
    fclose(file);
    if (strstr(readme, table)) return 0;
    printf("%s does not hold the support table, which is now:\n%s", argv[1], table);
    return 1;
}
