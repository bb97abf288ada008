// SPDX-License-Identifier: Apache-2.0
// Handwritten digits: the data set of train_digits.c, and the order in which it is learned.
#ifndef EXAMPLES_DIGITS_H
#define EXAMPLES_DIGITS_H

enum { DIGIT_SIDE = 8, DIGIT_PIXELS = DIGIT_SIDE * DIGIT_SIDE, DIGIT_CLASSES = 10 };
/// The last ones are for the test.
enum { DIGITS = 1797, DIGITS_TEST = 360, DIGITS_TRAIN = DIGITS - DIGITS_TEST };

typedef struct {
    float pixels[DIGITS][DIGIT_PIXELS]; ///< from 0 to 1
    int labels[DIGITS];
} digits_t;

/// Reads the text that scripts/extract_digits.py writes; NULL, with a sentence on stderr, if the
/// file is not that. For free().
digits_t *digits_read(const char *path);

/// Uniform in [0, 1): a linear congruential generator (Numerical Recipes).
float digits_draw(unsigned *seed);
/// A permutation of the `n` training digits that depends on the seed alone (Fisher and Yates).
void digits_shuffle(int *order, int n, unsigned *seed);

#endif
