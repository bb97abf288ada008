// SPDX-License-Identifier: Apache-2.0
// Reads and shuffles the digits; see digits.h.
#include "digits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One line: 64 characters, a space, the label.
static bool parse(const char *line, float *pixels, int *label)
{
    static const char characters[] = "0123456789abcdefg";
    for (int i = 0; i < DIGIT_PIXELS; ++i) {
        const char *const found = line[i] ? strchr(characters, line[i]) : NULL;
        if (!found) return false;
        pixels[i] = (float)(found - characters) / 16;
    }
    const char *const rest = line + DIGIT_PIXELS;
    if (rest[0] != ' ' || rest[1] < '0' || rest[1] > '9' || rest[2] != '\n') return false;
    *label = rest[1] - '0';
    return true;
}

digits_t *digits_read(const char *path)
{
    char line[DIGIT_PIXELS + 8];
    FILE *const file = fopen(path, "r");
    digits_t *const digits = file ? malloc(sizeof *digits) : NULL;
    int n = 0;
    while (digits && n < DIGITS && fgets(line, sizeof line, file) &&
            parse(line, digits->pixels[n], &digits->labels[n]))
        ++n;
    const bool is_whole = n == DIGITS && !fgets(line, sizeof line, file);
    if (file) (void)fclose(file);
    if (is_whole) return digits;
    fprintf(stderr, "%s: %s\n", path, file ? "not the digits that are expected" : "cannot be read");
    free(digits);
    return NULL;
}

float digits_draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-24f;
}

void digits_shuffle(int *order, int n, unsigned *seed)
{
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = n - 1; i > 0; --i) {
        const int j = (int)(digits_draw(seed) * (float)(i + 1));
        const int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
