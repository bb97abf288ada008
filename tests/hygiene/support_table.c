// SPDX-License-Identifier: Apache-2.0
// support_table [README]: prints the README's support table from the schemas and implementation
// lists, or, given the file, tells whether the table in it is that one.
#include <stdio.h>
#include <string.h>

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"

enum { MAX_KIND = 64 };

/// A table's text while it grows.
typedef struct {
    char *text;
    size_t room_bytes;
} writer_t;

static void write_text(writer_t *writer, const char *text)
{
    const size_t bytes = strlen(text);
    if (bytes >= writer->room_bytes) return;
    memcpy(writer->text, text, bytes + 1);
    writer->text += bytes;
    writer->room_bytes -= bytes;
}

static int length(const impl_t *const *list)
{
    int n = 0;
    while (list[n]) ++n;
    return n;
}

static void write_count(writer_t *writer, int n)
{
    char cell[16] = " – |";
    if (n > 0) snprintf(cell, sizeof cell, " %d |", n);
    write_text(writer, cell);
}

static void write_operation(writer_t *writer, prim_primitive_kind_t kind)
{
    static const prim_engine_kind_t engines[] = {PRIM_CPU, PRIM_GPU};
    const char *const name = prim_primitive_kind_name(kind);
    char cell[128];
    snprintf(cell, sizeof cell, "| [%s](doc/primitives/%s.md) |", name, name);
    write_text(writer, cell);
    for (int e = 0; e < 2; ++e)
        write_count(writer, length(prim__impl_list(engines[e], kind, FORWARD)));
    for (int e = 0; e < 2; ++e)
        write_count(writer, length(prim__impl_list(engines[e], kind, BACKWARD)) +
                                    length(prim__impl_list(engines[e], kind, BACKWARD_WEIGHTS)));
    write_text(writer, "\n");
}

static void print_table(char *text, size_t text_bytes)
{
    writer_t writer = {text, text_bytes};
    write_text(&writer, "| operation | forward: CPU | OpenCL | backward: CPU | OpenCL |\n"
                        "|---|---|---|---|---|\n");
    for (int kind = 0; kind < MAX_KIND; ++kind)
        if (prim__op_schema((prim_primitive_kind_t)kind, FORWARD))
            write_operation(&writer, (prim_primitive_kind_t)kind);
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
