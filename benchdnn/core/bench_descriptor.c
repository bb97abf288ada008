// SPDX-License-Identifier: Apache-2.0
// Problem descriptors of both families: scanning, and printing in the shortest form.
#include "bench_descriptor.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"
#include "bench_text.h"

static int64_t *integer_at(problem_t *problem, const field_t *field)
{
    return (int64_t *)(void *)((char *)problem + field->offset);
}

static double value_of(const problem_t *problem, const field_t *field)
{
    const void *const at = (const char *)problem + field->offset;
    return field->is_float ? *(const double *)at : (double)*(const int64_t *)at;
}

static void set_value(problem_t *problem, const field_t *field, double value)
{
    if (field->is_float)
        *(double *)(void *)((char *)problem + field->offset) = value;
    else
        *integer_at(problem, field) = (int64_t)value;
}

static const field_t *match_field(const field_t *fields, const char *text)
{
    const field_t *best = NULL;
    for (const field_t *f = fields; f->name; ++f) {
        const size_t length = strlen(f->name);
        if (strncmp(text, f->name, length) == 0 && (!best || length > strlen(best->name))) best = f;
    }
    return best;
}

/// Reads the number behind a field's letters; NULL when there is none.
static const char *read_value(problem_t *problem, const field_t *field, const char *text)
{
    if (!isdigit((unsigned char)*text)) return NULL;
    size_t length = strspn(text, field->is_float ? "0123456789.e-" : "0123456789");
    double value = 0.;
    // "0.5e" may be followed by the letters of another field: give back what is no number.
    while (length && !parse_float(text, length, &value)) --length;
    if (!length || (!field->is_float && value > 0x1p53)) return NULL;
    set_value(problem, field, value);
    if (field->offset == offsetof(problem_t, g)) problem->has_groups = true;
    return text + length;
}

static bool set_name(problem_t *problem, const char *name)
{
    problem->name = bench_intern(name, strlen(name));
    return true;
}

static void clear_problem(problem_t *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->name = "";
}

bool parse_fields(problem_t *problem, const field_t *fields, const char *text)
{
    clear_problem(problem);
    for (const field_t *f = fields; f->name; ++f) set_value(problem, f, f->fallback);
    for (const char *p = text; *p;) {
        if (*p == '_') {
            ++p;
            continue;
        }
        if (*p == 'n') return set_name(problem, p + 1);
        const field_t *const field = match_field(fields, p);
        if (!field) return problem_error("`%s` in the descriptor `%s` is not a field", p, text);
        const char *const next = read_value(problem, field, p + strlen(field->name));
        if (!next)
            return problem_error(
                    "field `%s` of the descriptor `%s` needs a number from 0", field->name, text);
        p = next;
    }
    return true;
}

static void set_dst_dims(problem_t *problem)
{
    for (int d = 0; d < problem->ndims; ++d) {
        int64_t largest = 0;
        bool has_zero = false;
        for (int t = 0; t < problem->ntensors; ++t) {
            has_zero = has_zero || problem->dims[t][d] == 0;
            if (problem->dims[t][d] > largest) largest = problem->dims[t][d];
        }
        problem->dst_dims[d] = has_zero ? 0 : largest;
    }
}

static bool read_tensor(problem_t *problem, const char *piece, size_t length)
{
    int ndims = 0;
    prim_dim_t *const dims = problem->dims[problem->ntensors];
    if (!parse_dims(piece, length, dims, &ndims))
        return problem_error("`%.*s` is not a list of dims", (int)length, piece);
    if (problem->ntensors == 0) problem->ndims = ndims;
    if (ndims > problem->ndims)
        return problem_error("`%.*s` has more dims than the first tensor", (int)length, piece);
    for (int d = ndims; d < problem->ndims; ++d) dims[d] = 1;
    ++problem->ntensors;
    return true;
}

static bool read_tensors(problem_t *problem, int min_tensors, int max_tensors, const char *dims)
{
    for (const char *rest = dims; rest;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ':', &length);
        if (problem->ntensors == max_tensors)
            return problem_error("`%s` has more than %d tensors", dims, max_tensors);
        if (!read_tensor(problem, piece, length)) return false;
    }
    if (problem->ntensors < min_tensors)
        return problem_error("`%s` has %d tensors, at least %d are needed", dims, problem->ntensors,
                min_tensors);
    set_dst_dims(problem);
    return true;
}

bool parse_tensors(problem_t *problem, int min_tensors, int max_tensors, const char *text)
{
    clear_problem(problem);
    if (!isdigit((unsigned char)*text))
        return problem_error("the descriptor `%s` does not start with a number", text);
    const char *const name = strchr(text, 'n');
    size_t length = name ? (size_t)(name - text) : strlen(text);
    if (name) set_name(problem, name + 1);
    if (name && length && text[length - 1] == '_') --length;
    char *const dims = bench_calloc(length + 1, 1);
    memcpy(dims, text, length);
    const bool ok = read_tensors(problem, min_tensors, max_tensors, dims);
    free(dims);
    return ok;
}

void problem_set_mb(problem_t *problem, bool is_dims_family, int64_t mb)
{
    if (!is_dims_family) {
        problem->mb = mb;
        return;
    }
    for (int t = 0; t < problem->ntensors; ++t) problem->dims[t][0] = mb;
    set_dst_dims(problem);
}

/// The product of the sizes, those that are not given or 0 apart.
static double volume(const int64_t *sizes, int count)
{
    double product = 1.;
    for (int i = 0; i < count; ++i)
        if (sizes[i] > 1) product *= (double)sizes[i];
    return product;
}

bool problem_is_countable(const problem_t *problem)
{
    const int64_t src[] = {problem->mb, problem->ic}, dst[] = {problem->mb, problem->oc};
    const int64_t wei[] = {problem->ic, problem->oc};
    double largest = fmax(volume(src, 2) * volume(problem->in, BENCH_NSPATIAL),
            volume(wei, 2) * volume(problem->kernel, BENCH_NSPATIAL));
    // Inner products have the weights of every input element; pooling the channels of src.
    largest = fmax(largest, volume(wei, 2) * volume(problem->in, BENCH_NSPATIAL));
    largest = fmax(
            largest, fmax(volume(src, 2), volume(dst, 2)) * volume(problem->out, BENCH_NSPATIAL));
    for (int t = 0; t < problem->ntensors; ++t)
        largest = fmax(largest, volume(problem->dims[t], problem->ndims));
    if (problem->ntensors) largest = fmax(largest, volume(problem->dst_dims, problem->ndims));
    return largest < 0x1p53 || problem_error("a tensor of the problem has 2^53 elements or more");
}

void print_tensors(text_t *out, const problem_t *problem)
{
    for (int t = 0; t < problem->ntensors; ++t) {
        if (t) text_append(out, ":");
        print_dims(out, problem->dims[t], problem->ndims);
    }
}

/// Where a field lies among the spatial triples: which triple, which axis; -1 when in none.
static int axis_of(const field_t *field, size_t *triple)
{
    static const size_t triples[] = {offsetof(problem_t, in), offsetof(problem_t, out),
            offsetof(problem_t, kernel), offsetof(problem_t, stride), offsetof(problem_t, pad),
            offsetof(problem_t, dilation)};
    for (size_t t = 0; t < sizeof triples / sizeof *triples; ++t) {
        const size_t bytes = sizeof(int64_t);
        if (field->offset < triples[t] || field->offset >= triples[t] + BENCH_NSPATIAL * bytes)
            continue;
        *triple = triples[t];
        return (int)((field->offset - triples[t]) / bytes);
    }
    return -1;
}

static bool axes_agree(const problem_t *problem, int a, int b)
{
    return problem->in[a] == problem->in[b] && problem->out[a] == problem->out[b] &&
           problem->kernel[a] == problem->kernel[b] && problem->stride[a] == problem->stride[b] &&
           problem->pad[a] == problem->pad[b] && problem->dilation[a] == problem->dilation[b];
}

/// Whether the letters of an axis are printed: all used ones, or the first alone when it stands for
/// the others.
static bool axis_is_printed(const problem_t *problem, int axis, bool canonical)
{
    const int first = BENCH_NSPATIAL - problem_nspatial(problem);
    if (axis < first) return false;
    if (canonical || axis == first) return true;
    const bool is_square = axes_agree(problem, AXIS_H, AXIS_W);
    if (first == AXIS_D) return !(is_square && axes_agree(problem, AXIS_D, AXIS_H));
    return !is_square;
}

/// Strides and dilations are left out when no axis has one.
static bool triple_is_trivial(const problem_t *problem, size_t triple)
{
    if (triple == offsetof(problem_t, stride))
        return problem->stride[0] == 1 && problem->stride[1] == 1 && problem->stride[2] == 1;
    if (triple == offsetof(problem_t, dilation))
        return !problem->dilation[0] && !problem->dilation[1] && !problem->dilation[2];
    return false;
}

static bool field_is_printed(const problem_t *problem, const field_t *field, bool canonical)
{
    size_t triple = 0;
    const int axis = axis_of(field, &triple);
    // A negative padding has been inferred and is inferred again; the grammar has no way to say it.
    if (axis >= 0 && value_of(problem, field) < 0) return false;
    if (axis >= 0)
        return axis_is_printed(problem, axis, canonical) &&
               (canonical || !triple_is_trivial(problem, triple));
    if (field->offset == offsetof(problem_t, g)) return problem->has_groups;
    return canonical || value_of(problem, field) != field->fallback;
}

static void print_field_value(text_t *out, const problem_t *problem, const field_t *field)
{
    if (field->is_float)
        text_printf(out, "%g", value_of(problem, field));
    else
        text_printf(out, "%lld", (long long)value_of(problem, field));
}

void problem_print_fields(
        text_t *out, const field_t *fields, const problem_t *problem, bool canonical)
{
    for (const field_t *f = fields; f->name; ++f) {
        if (!field_is_printed(problem, f, canonical)) continue;
        text_append(out, f->name);
        print_field_value(out, problem, f);
    }
}

void print_field_values(text_t *out, const field_t *fields, const problem_t *problem)
{
    for (const field_t *f = fields; f->name; ++f) {
        if (f != fields) text_append(out, ",");
        print_field_value(out, problem, f);
    }
}
