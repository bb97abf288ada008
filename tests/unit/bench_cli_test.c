// SPDX-License-Identifier: Apache-2.0
// benchdnn's command line from outside: batch tokens, lists, the order and number of cases, and
// that every repro line lists the same case again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_cli_rig.h"
#include "core/bench_cli.h"
#include "core/bench_globals.h"
#include "core/bench_text.h"
#include "support/unit_test.h"

static void tokens_of_batch_files(void **state)
{
    (void)state;
    static const char text[] = "--reset # the rest of the line, \\ too\n"
                               "--a=1,2  3x4:5 \t--attr=, \\\n  sum:0.5, \\\n# in between\n relu\n"
                               "--b=\\\n x#y \\\nz\n \\\n";
    static const char *const expected[] = {
            "--reset", "--a=1,2", "3x4:5", "--attr=,sum:0.5,relu", "--b=x#yz"};
    list_t tokens = {sizeof(char *), 0, NULL};
    tokenise(text, &tokens);
    assert_int_equal(tokens.count, COUNT_OF(expected));
    for (int i = 0; i < tokens.count; ++i) {
        char *const token = *(char **)list_item(&tokens, i);
        assert_string_equal(token, expected[i]);
        free(token);
    }
    list_free(&tokens);
}

static void defaults_are_left_out(void **state)
{
    (void)state;
    cli_rig_check("--mode=L --window ic3ih4kh3", "--mode=L --window ic3ih4oh2kh3ph0\n");
    cli_rig_check("--mode=L --dims 2x3:1_n\"x\"", "--mode=L --dims --scales=1 2x3:1x1_n\"x\"\n");
    cli_rig_check("--mode=L --window --dt=f32 --flags=,GC --mb=5 ic3iw4kw3",
            "--mode=L --window mb5ic3iw4ow2kw3pw0\n"
            "--mode=L --window --flags=GC mb5ic3iw4ow2kw3pw0\n");
}

static void products_nest_in_order(void **state)
{
    (void)state;
    cli_rig_check("--mode=L --dims --inplace=false,true --attr-scales=,src:common:2 --mask=0,1 2x3",
            "--mode=L --dims --scales=1 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true 2x3\n"
            "--mode=L --dims --scales=1 --attr-scales=src:common:2 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true --attr-scales=src:common:2 2x3\n"
            "--mode=L --dims --scales=1 --mask=1 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true --mask=1 2x3\n"
            "--mode=L --dims --scales=1 --attr-scales=src:common:2 --mask=1 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true --attr-scales=src:common:2 --mask=1 2x3\n");
    // A mask without a bias counts once.
    cli_rig_check("--mode=L --dims --bia_dt=undef,s8 --bia_mask=2,3 2x3",
            "--mode=L --dims --scales=1 2x3\n"
            "--mode=L --dims --bia-dt=s8 --scales=1 2x3\n"
            "--mode=L --dims --bia-dt=s8 --bia_mask=3 --scales=1 2x3\n");
}

static void options_persist_until_reset(void **state)
{
    (void)state;
    cli_rig_check("--mode=L --dims --scales=0.5:2 2x3 --scales= 4x5 --scales=3 --reset 6x7",
            "--mode=L --dims --scales=0.5:2 2x3\n"
            "--mode=L --dims --scales=1 4x5\n"
            "--mode=L --dims --scales=1 6x7\n");
    // As in oneDNN's benchdnn also what was given before the batch file that begins with it.
    cli_rig_check("--mode=L --dims --impl=fast 2x3 --reset 4x5",
            "--mode=L --dims --scales=1 --impl=fast 2x3\n"
            "--mode=L --dims --scales=1 4x5\n");
    cli_rig_check("--mode=L --dims --skip-impl=fast 2x3 --reset 4x5",
            "--mode=L --dims --scales=1 --skip-impl=fast 2x3\n"
            "--mode=L --dims --scales=1 4x5\n");
    cli_rig_check(
            "--mode=L --dims --match=.*inplace.* --reset 4x5", "--mode=L --dims --scales=1 4x5\n");
    // --match abandons the product at the first case that does not fit.
    cli_rig_check("--mode=L --dims --match=.*inplace.* --inplace=true,false 2x3",
            "--mode=L --dims --scales=1 --inplace=true 2x3\n");
    cli_rig_check("--mode=L --dims --match=.*inplace.* --inplace=false,true 2x3", "");
}

static void repro_lines_come_back(void **state)
{
    (void)state;
    static const char *const lines[] = {
            "--mode=L --engine=gpu:1 --window --dir=fwd_i,BWD_WB --dt=u8:s8:f32,bf16 "
            "--stag=axb,nhwc "
            "--strides=,8x1::4x1 --alg=SECOND --flags=CG mb3ic5ih9kh3sh2ph1n\"a:b*3\"",
            "--mode=L --canonical=true --window --mb=7 ic12ih11iw8kh3kw2dh1ph2",
            "--mode=L --canonical=true --cold-cache=wei --tune=full --dims 2x3:1x3",
            "--mode=L --tune=quick --dims 2x3:1x3",
            "--mode=L --max-ms-per-prb=50 --fix-times-per-prb=3 --dims --scales=-1.5:0.25 --mask=3 "
            "--attr-post-ops=,sum:0.5+relu:0.1,add:f32:per_oc:axb --attr-fpmath=bf16:true "
            "--attr-scratchpad=user --attr-zero-points=src:common:2+dst:per_dim_1 "
            "--attr-rounding-mode=dst:stochastic:7 --attr-dropout=0.5:3 --ctx-exe=2:1 "
            "--impl=\"ref\" "
            "2x3x4:1x3_nname",
            "--mode=L --global-skip-impl=a,b --dims 2",
            "--mode=L --engine=gpu --memory-kind=usm_shared --stream-kind=out_of_order "
            "--cold-cache=wei+tlb:0.5G --dims "
            "--attr-scales=attr_post_op_dw_wei:per_oc+attr_post_op_dw_dst:common:2 2",
    };
    for (size_t i = 0; i < COUNT_OF(lines); ++i) {
        cli_rig_forget();
        char *const first = cli_rig_repros(lines[i]);
        assert_true(strlen(first) > 0);
        char *rest = first;
        for (char *end = strchr(rest, '\n'); end; end = strchr(rest, '\n')) {
            *end = 0;
            cli_rig_forget();
            char *const again = cli_rig_repros(rest);
            assert_memory_equal(again, rest, strlen(rest));
            assert_string_equal(again + strlen(rest), "\n");
            free(again);
            rest = end + 1;
        }
        free(first);
    }
    cli_rig_forget();
}

static void samples_share_all_cases(void **state)
{
    (void)state;
    enum { NCASES = 6000, NSAMPLES = 6 };
    int sizes[NSAMPLES][2] = {{0}}; // of even numbers and of odd ones
    for (int64_t i = 0; i < NCASES; ++i) {
        int nowners = 0;
        for (bench.sample = 0, bench.nsamples = NSAMPLES; bench.sample < NSAMPLES; ++bench.sample) {
            if (!bench_sample_has(i)) continue;
            ++sizes[bench.sample][i % 2];
            ++nowners;
        }
        assert_int_equal(nowners, 1);
    }
    for (int k = 0; k < NSAMPLES; ++k) {
        assert_in_range(sizes[k][0], 400, 600);
        assert_in_range(sizes[k][1], 400, 600);
    }
    int code = 0, nlisted = 0;
    char *const text =
            cli_rig_run("--mode=L --sample=1/2 --dims 1 2 3 4 5 6 7 8 9 10 --sample=", &code);
    for (const char *p = strstr(text, ":LISTED"); p; p = strstr(p + 1, ":LISTED")) ++nlisted;
    assert_int_equal(code, 0);
    assert_true(nlisted > 0 && nlisted < 10);
    assert_non_null(strstr(text, ":SKIPPED (Not in the sample)"));
    free(text);
}

static void batch_files_nest(void **state)
{
    (void)state;
    char dir[] = "/tmp/bench_cli_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    text_t outer = {0}, inner = {0}, line = {0};
    text_printf(&outer, "%s/outer", dir);
    text_printf(&inner, "%s/inner", dir);
    FILE *file = fopen(text_string(&outer), "w");
    assert_non_null(file);
    fputs("--scales=2 # set here\n2x3\n--batch=inner 6x7\n", file); // found beside this file
    fclose(file);
    file = fopen(text_string(&inner), "w");
    assert_non_null(file);
    fputs("4x5\n--scales=3\n", file); // stays set for the outer file
    fclose(file);
    text_printf(&line, "--mode=L --dims --batch=%s", text_string(&outer));
    cli_rig_check(text_string(&line),
            "--mode=L --dims --scales=2 2x3\n--mode=L --dims --scales=2 4x5\n"
            "--mode=L --dims --scales=3 6x7\n");
    remove(text_string(&outer));
    remove(text_string(&inner));
    rmdir(dir);
    text_free(&outer);
    text_free(&inner);
    text_free(&line);
}

/// Whether --impl=`list` and not --skip-impl=`list` lets `name` through, or the other way round.
static bool list_names(const char *list, const char *name)
{
    impl_filter_t only, skip;
    impl_filter_parse(&only, false, list);
    impl_filter_parse(&skip, true, list);
    assert_int_equal(impl_filter_takes(&only, name), !impl_filter_takes(&skip, name));
    return impl_filter_takes(&only, name);
}

static void implementations_are_named_by_whole_words(void **state)
{
    (void)state;
    static const char name[] = "ocl:matmul:wgmma_gather";
    static const char *const good[] = {"ocl:matmul:wgmma_gather", "wgmma_gather",
            "matmul:wgmma_gather", "ocl", "ocl:matmul", "mma,wgmma_gather", "ref,ocl",
            "\"wgmma_gather\""};
    static const char *const bad[] = {"wgmma", "mma", "gather", "matmul", "oc",
            "ocl:", ":wgmma_gather", "ocl:mat", "l:matmul", "ocl:matmul:wgmma",
            "ocl:matmul:wgmma_gather2", "ref,mma,wgmma", ","};
    for (size_t i = 0; i < COUNT_OF(good); ++i) assert_true(list_names(good[i], name));
    for (size_t i = 0; i < COUNT_OF(bad); ++i) assert_false(list_names(bad[i], name));
    // What runs inside is named like the rest.
    static const char nested[] = "ocl:ip:matmul+gemv_nt";
    static const char *const whole[] = {nested, "ocl:ip:matmul", "gemv_nt", "matmul+gemv_nt"};
    static const char *const broken[] = {"matmul", "gemv", "+gemv_nt", "ocl:ip:matmul+gemv"};
    for (size_t i = 0; i < COUNT_OF(whole); ++i) assert_true(list_names(whole[i], nested));
    for (size_t i = 0; i < COUNT_OF(broken); ++i) assert_false(list_names(broken[i], nested));
    impl_filter_t none;
    impl_filter_parse(&none, false, "");
    assert_true(impl_filter_takes(&none, name)); // an empty list switches the filter off
    impl_filter_parse(&none, true, "");
    assert_true(impl_filter_takes(&none, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(tokens_of_batch_files),
            cmocka_unit_test(defaults_are_left_out),
            cmocka_unit_test(products_nest_in_order),
            cmocka_unit_test(options_persist_until_reset),
            cmocka_unit_test(repro_lines_come_back),
            cmocka_unit_test(samples_share_all_cases),
            cmocka_unit_test(batch_files_nest),
            cmocka_unit_test(implementations_are_named_by_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
