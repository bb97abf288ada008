// SPDX-License-Identifier: Apache-2.0
// Translation of layout names into abc-notation.
#include "bench_tag.h"

#include <ctype.h>
#include <string.h>

#include <prim/prim.h>

#include "bench_text.h"

/// One letter of the outer part, or one inner block with its digits.
typedef struct {
    char letter; ///< upper case: the dimension is blocked
    char digits[8];
} unit_t;

typedef struct {
    int count;
    unit_t units[BENCH_MAX_TAG];
} units_t;

/// Cuts "aBcd16b" into a B c d 16b, up to a minus sign.
static bool split_units(units_t *out, const char *tag)
{
    *out = (units_t){0};
    for (const char *p = tag; *p && *p != '-'; ++p) {
        if (out->count == BENCH_MAX_TAG) return false;
        unit_t *const unit = &out->units[out->count++];
        size_t ndigits = 0;
        for (; isdigit((unsigned char)*p); ++p) {
            if (ndigits + 1 >= sizeof unit->digits) return false;
            unit->digits[ndigits++] = *p;
        }
        if (!isalpha((unsigned char)*p)) return false;
        unit->letter = *p;
    }
    return out->count > 0;
}

static bool join_units(const units_t *units, char out[BENCH_MAX_TAG])
{
    size_t length = 0;
    for (int i = 0; i < units->count; ++i) {
        const unit_t *const unit = &units->units[i];
        const size_t ndigits = strlen(unit->digits);
        if (length + ndigits + 2 > BENCH_MAX_TAG) return false;
        memcpy(out + length, unit->digits, ndigits);
        out[length + ndigits] = unit->letter;
        length += ndigits + 1;
    }
    out[length] = 0;
    return true;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static bool has_letter(const units_t *units, int letter)
{
    for (int i = 0; i < units->count; ++i)
        if (lower(units->units[i].letter) == letter) return true;
    return false;
}

/// The letter of abc-notation for a letter of a logical order, counting only those of the order
/// that the tag has; 0 when the order does not know it.
static char translate_letter(const units_t *units, const char *order, char letter)
{
    char abc = 'a';
    for (const char *o = order; *o; ++o) {
        if (lower(*o) == lower(letter))
            return isupper((unsigned char)letter) ? (char)(abc - 'a' + 'A') : abc;
        if (has_letter(units, lower(*o))) ++abc;
    }
    return 0;
}

/// Letters the order writes in upper case have to be in the tag.
static bool order_fits(const units_t *units, const char *order)
{
    for (const char *o = order; *o; ++o)
        if (isupper((unsigned char)*o) && !has_letter(units, lower(*o))) return false;
    for (int i = 0; i < units->count; ++i)
        if (!translate_letter(units, order, units->units[i].letter)) return false;
    return true;
}

static bool translate_named(units_t *units)
{
    static const char *const orders[] = {"GOIdhw", "OIdhw", "NCdhw", "TNc", "LDNC", "LDigO"};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
        if (!order_fits(units, orders[k])) continue;
        const units_t named = *units;
        for (int i = 0; i < units->count; ++i)
            units->units[i].letter = translate_letter(&named, orders[k], named.units[i].letter);
        return true;
    }
    return false;
}

static bool append_unit(units_t *units, unit_t unit)
{
    if (units->count == BENCH_MAX_TAG) return false;
    units->units[units->count++] = unit;
    return true;
}

/// Puts the letters from behind the largest one (from c at least) in the place of x, then drops
/// all letters beyond the rank with their blocks.
static bool expand_meta(units_t *units, int ndims)
{
    int first = units->count == 1 ? 'a' : 'c';
    for (int i = 0; i < units->count; ++i) {
        const int letter = lower(units->units[i].letter);
        if (letter != 'x' && letter >= first) first = letter + 1;
    }
    const units_t meta = *units;
    const int end = 'a' + ndims;
    units->count = 0;
    for (int i = 0; i < meta.count; ++i) {
        if (meta.units[i].letter != 'x') {
            if (lower(meta.units[i].letter) >= end) continue;
            if (!append_unit(units, meta.units[i])) return false;
            continue;
        }
        for (int letter = first; letter < end; ++letter)
            if (!append_unit(units, (unit_t){(char)letter, ""})) return false;
    }
    return units->count > 0;
}

/// Names that are no letters: for `image` the library knows the layout.
static bool is_word(const char *tag)
{
    return strcmp(tag, "any") == 0 || strcmp(tag, "undef") == 0 || strcmp(tag, "image") == 0;
}

bool tag_normalise(const char *tag, int ndims, char out[BENCH_MAX_TAG])
{
    if (is_word(tag)) return copy_string(out, BENCH_MAX_TAG, tag, strlen(tag));
    units_t units;
    if (!split_units(&units, tag)) return false;
    const bool is_meta = has_letter(&units, 'x');
    if (is_meta ? !expand_meta(&units, ndims)
                : !has_letter(&units, 'a') && !translate_named(&units))
        return false;
    return join_units(&units, out);
}

bool tag_broadcasts(const char *tag, int dim)
{
    const char *const minus = strchr(tag, '-');
    return minus && strchr(minus + 1, 'a' + dim);
}

/// Letters behind a minus sign are outer ones of the layout, and not in blocks.
static bool broadcasts_well(const char *tag, const char *abc)
{
    const char *const minus = strchr(tag, '-');
    if (!minus) return true;
    for (const char *p = minus + 1; *p; ++p)
        if (!islower((unsigned char)*p) || !strchr(abc, *p) || strchr(abc, toupper(*p)))
            return false;
    return minus[1] != 0;
}

/// Outer letters: each once and without a gap from a; inner blocks: of upper-case letters, sizes
/// from 2, at least one for each upper-case letter.
static bool is_well_formed(const char *abc)
{
    units_t units;
    if (!split_units(&units, abc)) return false;
    bool seen[26] = {false}, is_upper[26] = {false}, is_blocked[26] = {false};
    int nouter = 0;
    for (int i = 0; i < units.count; ++i) {
        const unit_t *const unit = &units.units[i];
        const int index = lower(unit->letter) - 'a';
        if (unit->digits[0]) {
            if (!seen[index] || !is_upper[index] || isupper((unsigned char)unit->letter))
                return false;
            int64_t size = 0;
            if (!parse_int(unit->digits, strlen(unit->digits), &size) || size < 2) return false;
            is_blocked[index] = true;
            continue;
        }
        if (seen[index] || nouter != i) return false;
        seen[index] = true;
        is_upper[index] = isupper((unsigned char)unit->letter) != 0;
        ++nouter;
    }
    for (int d = 0; d < nouter; ++d)
        if (!seen[d] || is_upper[d] != is_blocked[d]) return false;
    return nouter > 0 && nouter <= PRIM_MAX_NDIMS;
}

static bool is_numbered(const char *abc)
{
    static const char *const names[] = {
#define NAME(name, number) #name,
            PRIM_FORMAT_TAG_LIST(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], abc) == 0) return true;
    return false;
}

bool tag_is_valid(const char *tag, bool only_numbered)
{
    if (is_word(tag)) return true;
    for (int ndims = PRIM_MAX_NDIMS; ndims >= 1; --ndims) {
        char abc[BENCH_MAX_TAG];
        if (!tag_normalise(tag, ndims, abc)) return false;
        const bool is_layout = is_well_formed(abc) && broadcasts_well(tag, abc);
        if (is_layout && (!only_numbered || is_numbered(abc))) return true;
    }
    return false;
}
