// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // strtok_r
#include "impl_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char **names;
    int n;
} names_t;

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/// The options with has[i] == `wanted`, edges of tiles apart, in alphabetical order.
static names_t sorted(const pool_t *pool, const bool *has, bool wanted)
{
    names_t names = {calloc((size_t)pool->noptions + 1, sizeof(char *)), 0};
    for (int i = 0; names.names && i < pool->noptions; ++i)
        if (pool->options[i].size == 0 && has[i] == wanted)
            names.names[names.n++] = pool->options[i].name;
    if (names.n) qsort(names.names, (size_t)names.n, sizeof *names.names, compare);
    return names;
}

/// One line for each axis: "axis value value …"; an option without a value is "axis -".
static void print_axes(const names_t *names, const char *indent)
{
    size_t axis_length = 0;
    for (int i = 0; i < names->n; ++i) {
        const char *const name = names->names[i];
        const size_t length = strcspn(name, "=");
        const bool is_same =
                i > 0 && length == axis_length && strncmp(name, names->names[i - 1], length) == 0;
        if (!is_same) printf("%s%s%.*s", i ? "\n" : "", indent, (int)length, name);
        const char *const value = name[length] ? name + length + 1 : "-";
        printf(" %s", *value ? value : "''");
        axis_length = length;
    }
    if (names->n) printf("\n");
}

void impl_options_print(const pool_t *pool, int impl, const bool *has)
{
    const names_t names = sorted(pool, has, true);
    printf("%s\n", pool->impls[impl].name);
    print_axes(&names, "    ");
    free(names.names);
}

void impl_options_print_declined(const pool_t *pool, int impl, const bool *has)
{
    const names_t names = sorted(pool, has, false);
    if (names.n) {
        printf("%s declines\n", pool->impls[impl].name);
        print_axes(&names, "    ");
    }
    free(names.names);
}

/// Whether the implementation still takes `axis=value`.
static bool is_kept(const pool_t *pool, int impl, const bool *has, const char *option, bool prints)
{
    const int index = pool_find_option(pool, option);
    if (index >= 0 && (has[index] || pool_lacks(pool, impl, index))) return true;
    if (prints)
        printf("%s lost the option %s%s\n", pool->impls[impl].name, option,
                index < 0 ? ", which the generator no longer draws" : "");
    return false;
}

static int count_lost(const pool_t *pool, int impl, const bool *has, char *line, bool prints)
{
    int lost = 0;
    char *rest = line;
    const char *const axis = strtok_r(rest, " \n", &rest);
    for (char *value; axis && (value = strtok_r(NULL, " \n", &rest));) {
        char option[256];
        if (strcmp(value, "''") == 0) value = "";
        const bool has_value = strcmp(value, "-") != 0;
        snprintf(option, sizeof option, "%s%s%s", axis, has_value ? "=" : "",
                has_value ? value : "");
        lost += !is_kept(pool, impl, has, option, prints);
    }
    return lost;
}

int impl_options_lost(
        const pool_t *pool, int impl, const bool *has, const char *folder, bool prints)
{
    char path[512], line[8192];
    snprintf(path, sizeof path, "%s/%s", folder, pool->generator->driver);
    FILE *const file = fopen(path, "r");
    if (!file) return -1;
    bool is_section = false;
    int lost = -1;
    while (fgets(line, sizeof line, file)) {
        if (line[0] != ' ') {
            is_section = strcspn(line, "\n") == strlen(pool->impls[impl].name) &&
                         strncmp(line, pool->impls[impl].name, strcspn(line, "\n")) == 0;
            if (is_section) lost = 0;
        } else if (is_section) {
            lost += count_lost(pool, impl, has, line, prints);
        }
    }
    fclose(file);
    return lost;
}
