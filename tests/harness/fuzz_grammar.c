// SPDX-License-Identifier: Apache-2.0
// fuzz_grammar INPUTS SEED COUNT [I]: mutates command lines made of the tokens of the inputs
// <driver>/test_<driver>_grammar and runs COUNT of them for each driver in mode L, or I, which asks
// the library for descriptors and primitives. Each has to end within seconds with exit code 0, or
// with 1 or 2 and a sentence. A child process runs them; when
// it does not survive one, the parent shows the line and what stderr has (a sanitizer's report).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/bench_cli.h"
#include "core/bench_text.h"

enum { MAX_TOKENS = 8, MAX_COMMAS = 24, MAX_SECONDS = 60, MAX_LINE = 65536 };

static char errors_path[64], batch_path[64];
/// The line under way, in memory that the parent shares. Files that are made anew for each line
/// would wait for the disk.
static char *shared_line;
static FILE *batch_file;

static char mode[] = "--mode=L";
static uint64_t state;

/// splitmix64 (Steele, Lea, Flood 2014).
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t draw_below(size_t n)
{
    return (size_t)(draw() % n);
}

static const char *pick_token(const list_t *tokens)
{
    return *(char **)list_item(tokens, (int)draw_below((size_t)tokens->count));
}

/// Replaces `length` characters at `at` by a text.
static void splice(text_t *token, size_t at, size_t length, const char *by)
{
    char *const tail = bench_strdup(text_string(token) + at + length);
    token->length = at;
    token->data[at] = 0;
    text_append(token, by);
    text_append(token, tail);
    free(tail);
}

static void insert_character(text_t *token)
{
    static const char characters[] =
            "0123456789:::,,++xx==--__..nabcdefghiklmopstwABCGx\"'\\#%\x80 ";
    const char one[2] = {characters[draw_below(sizeof characters - 1)], 0};
    const size_t at = draw_below(token->length + 1);
    splice(token, at, at < token->length && draw_below(2) ? 1 : 0, one);
}

static void drop_characters(text_t *token)
{
    const size_t at = draw_below(token->length), rest = token->length - at;
    splice(token, at, 1 + draw_below(rest < 4 ? rest : 4), "");
}

/// Puts an extreme number in the place of one that the token has.
static void stretch_number(text_t *token)
{
    static const char *const numbers[] = {"0", "-1", "1", "4096", "2147483647", "2147483648",
            "4294967296", "9007199254740992", "9223372036854775807", "-9223372036854775808",
            "99999999999999999999999999999999999999999999999999999999999999999999999999", "1e999",
            "-1e-999", "nan", "inf", "0x10", "007", ""};
    const char *const text = text_string(token);
    const size_t start = draw_below(token->length);
    const size_t at = start + strcspn(text + start, "0123456789");
    const size_t length = strspn(text + at, "0123456789");
    if (length) splice(token, at, length, numbers[draw_below(sizeof numbers / sizeof *numbers)]);
}

/// Puts a piece of another token somewhere.
static void graft(text_t *token, const list_t *tokens)
{
    const char *const other = pick_token(tokens);
    const size_t from = draw_below(strlen(other));
    char *const piece = bench_strdup(other + from);
    piece[1 + draw_below(strlen(piece))] = 0;
    splice(token, draw_below(token->length + 1), 0, piece);
    free(piece);
}

static void repeat_piece(text_t *token)
{
    const size_t at = draw_below(token->length);
    char *const piece = bench_strdup(text_string(token) + at);
    const size_t times = 1 + draw_below(draw_below(16) ? 2 : 200);
    piece[1 + draw_below(strlen(piece))] = 0;
    for (size_t i = 0; i < times; ++i) splice(token, at, 0, piece);
    free(piece);
}

static void mutate(text_t *token, const list_t *tokens)
{
    // Most tokens of a line stay as they are, so that the parser gets to the ones behind them.
    for (size_t n = draw_below(3) ? 0 : 1 + draw_below(3); n > 0 && token->length; --n) {
        switch (draw_below(6)) {
        case 0:
        case 1: insert_character(token); break;
        case 2: drop_characters(token); break;
        case 3: stretch_number(token); break;
        case 4: graft(token, tokens); break;
        default: repeat_piece(token);
        }
    }
}

static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; *text; ++text) count += *text == c;
    return count;
}

/// What would execute something, run a product for hours or read another file.
static bool is_harmless(const char *token)
{
    return strncmp(token, "--mode=", 7) != 0 && strncmp(token, "--repeats", 9) != 0 &&
           strncmp(token, "--batch=", 8) != 0;
}

static void build_line(list_t *line, const list_t *tokens)
{
    size_t commas = 0;
    const size_t count = 1 + draw_below(MAX_TOKENS);
    for (size_t i = 0; i < count; ++i) {
        text_t token = {0};
        text_append(&token, pick_token(tokens));
        mutate(&token, tokens);
        commas += count_of(text_string(&token), ',');
        if (is_harmless(text_string(&token)) && commas <= MAX_COMMAS) {
            char *const copy = bench_strdup(text_string(&token));
            list_append(line, &copy);
        }
        text_free(&token);
    }
}

/// The line's tokens in a batch file; what blanks, # and \ make of them is part of the test.
static char *as_batch(const list_t *line)
{
    rewind(batch_file);
    if (ftruncate(fileno(batch_file), 0) != 0) return NULL;
    for (int i = 0; i < line->count; ++i)
        fprintf(batch_file, "%s%c", *(char **)list_item(line, i), draw_below(4) ? ' ' : '\n');
    fflush(batch_file);
    text_t token = {0};
    text_printf(&token, "--batch=%s", batch_path);
    return token.data;
}

static void free_tokens(list_t *tokens)
{
    for (int i = 0; i < tokens->count; ++i) free(*(char **)list_item(tokens, i));
    list_free(tokens);
}

static void note_line(const list_t *line, const char *driver)
{
    int length = snprintf(shared_line, MAX_LINE, "--%s", driver);
    for (int i = 0; i < line->count && length < MAX_LINE; ++i)
        length += snprintf(shared_line + length, (size_t)(MAX_LINE - length), " %s",
                *(char **)list_item(line, i));
}

/// --mode=L --<driver> and the tokens, or a batch of them; sometimes one stands before the driver.
static void build_argv(list_t *argv, const list_t *line, char *driver, char *batch)
{
    static char program[] = "benchdnn";
    char *const lead[] = {program, mode, driver};
    for (int i = 0; i < 3; ++i) list_append(argv, &lead[i]);
    for (int i = 0; !batch && i < line->count; ++i) list_append(argv, list_item(line, i));
    if (batch) list_append(argv, &batch);
    if (argv->count == 3 || draw_below(8) != 0) return;
    char **const items = (char **)(void *)argv->items;
    items[2] = items[3];
    items[3] = driver;
}

/// Runs one line; false when its end is not as it should be.
static bool run_line(const list_t *line, const char *driver)
{
    text_t option = {0};
    list_t argv = {sizeof(char *), 0, NULL};
    char *const batch = draw_below(4) == 0 ? as_batch(line) : NULL;
    text_printf(&option, "--%s", driver);
    build_argv(&argv, line, option.data, batch);
    note_line(line, driver);
    rewind(stderr);
    const bool is_cut = ftruncate(STDERR_FILENO, 0) == 0;
    const int code = cli_run(bench_drivers, argv.count, (char **)(void *)argv.items);
    fflush(stderr);
    const bool has_sentence = ftell(stderr) > 0;
    list_free(&argv);
    free(batch);
    text_free(&option);
    // What the library declines is told on stdout, case by case.
    const bool is_told = has_sentence || (code == 1 && strcmp(mode, "--mode=I") == 0);
    return is_cut && (code == 0 || ((code == 1 || code == 2) && is_told));
}

static bool read_seeds(list_t *tokens, const char *inputs, const char *driver)
{
    text_t path = {0};
    text_printf(&path, "%s/%s/test_%s_grammar", inputs, driver, driver);
    char *text = read_batch(text_string(&path), driver);
    if (text) tokenise(text, tokens);
    free(text);
    text_clear(&path);
    text_printf(&path, "%s/grammar_shared", inputs);
    text = text ? read_batch(text_string(&path), driver) : NULL;
    if (text) tokenise(text, tokens);
    free(text);
    text_free(&path);
    return text != NULL;
}

static bool fuzz_driver(const char *inputs, const char *driver, int64_t count)
{
    list_t tokens = {sizeof(char *), 0, NULL};
    bool ok = read_seeds(&tokens, inputs, driver);
    for (int64_t i = 0; i < count && ok; ++i) {
        list_t line = {sizeof(char *), 0, NULL};
        build_line(&line, &tokens);
        alarm(MAX_SECONDS);
        ok = run_line(&line, driver);
        free_tokens(&line);
    }
    free_tokens(&tokens);
    return ok;
}

static int run_child(const char *inputs, int64_t count)
{
    batch_file = fopen(batch_path, "w");
    if (!batch_file || !freopen("/dev/null", "w", stdout) || !freopen(errors_path, "w", stderr))
        return EXIT_CODE_FAILED;
    for (const driver_t *const *d = bench_drivers; *d; ++d)
        if (!fuzz_driver(inputs, (*d)->name, count)) return EXIT_CODE_FAILED;
    fclose(batch_file);
    return 0;
}

static void show(const char *path)
{
    char bytes[4096];
    FILE *const file = fopen(path, "r");
    if (!file) return;
    for (size_t got = 1; got > 0;) {
        got = fread(bytes, 1, sizeof bytes, file);
        fwrite(bytes, 1, got, stdout);
    }
    fclose(file);
}

/// 0 when the child has survived all lines.
static int judge(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return EXIT_CODE_FAILED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
    printf("%s\n", shared_line);
    show(errors_path);
    return EXIT_CODE_FAILED;
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/fuzz_grammar_XXXXXX";
    int64_t seed = 0, count = 0;
    const bool creates = argc == 5 && strcmp(argv[4], "I") == 0;
    if ((argc != 4 && !creates) || !parse_int(argv[2], strlen(argv[2]), &seed) ||
            !parse_int(argv[3], strlen(argv[3]), &count)) {
        fprintf(stderr, "usage: fuzz_grammar INPUTS SEED COUNT [I]\n");
        return EXIT_CODE_USAGE;
    }
    if (!mkdtemp(dir)) return EXIT_CODE_FAILED;
    snprintf(errors_path, sizeof errors_path, "%s/errors", dir);
    snprintf(batch_path, sizeof batch_path, "%s/batch", dir);
    shared_line = mmap(NULL, MAX_LINE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared_line == MAP_FAILED) return EXIT_CODE_FAILED;
    if (creates) strcpy(mode, "--mode=I");
    state = (uint64_t)seed;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) return run_child(argv[1], count);
    const int code = judge(child);
    munmap(shared_line, MAX_LINE);
    remove(errors_path);
    remove(batch_path);
    rmdir(dir);
    if (code == 0) printf("%" PRId64 " lines for each driver, seed %" PRId64 "\n", count, seed);
    return code;
}
