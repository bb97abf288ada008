# SPDX-License-Identifier: Apache-2.0
# The warnings everything here is built with; they are errors.

function(prim_warnings target)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANG_AND_ID:C,GNU,Clang,AppleClang>:-Wall -Wextra -Wpedantic -Wconversion
        -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Werror>)
endfunction()
