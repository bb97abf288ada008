# SPDX-License-Identifier: Apache-2.0
# Makes C of ocl_calls.txt, which explains itself: for each function of the table one of the same name that lets
# ocl_faults.c decide whether it fails, calls the real one and counts objects; and the list of all.
function trim(text) { gsub(/^ +| +$/, "", text); return text }

# Sets result, name, params, names (without their types), last (parameter).
function parse(prototype,    open, head, n, parts, i) {
    open = index(prototype, "(")
    params = substr(prototype, open + 1, length(prototype) - open - 1)
    head = substr(prototype, 1, open - 1)
    match(head, /[A-Za-z0-9_]+$/)
    name = substr(head, RSTART)
    result = trim(substr(head, 1, RSTART - 1))
    names = ""
    n = split(params, parts, /, */)
    for (i = 1; i <= n; ++i) {
        match(parts[i], /[A-Za-z0-9_]+$/)
        last = substr(parts[i], RSTART)
        if (i == 1) first = last
        names = names (i > 1 ? ", " : "") last
    }
}

function has(effects, word) { return (" " effects " ") ~ (" " word " ") }
function kind_of(effects, word) {
    if (!match(effects, word " [A-Z_]+")) return ""
    return "OCL_" substr(effects, RSTART + length(word) + 1, RLENGTH - length(word) - 1)
}

BEGIN {
    FS = "|"
    print "// Made of ocl_calls.txt by ocl_calls.awk."
    print "#include \"ocl_faults_calls.h\"\n"
}
/^#/ || !NF { next }
{
    prototype = trim($1); code = trim($2); effects = trim($3)
    parse(prototype)
    is_void = result == "void"; is_code = result == "cl_int"
    takes_code = last == "code"
    event = takes_code ? "event" : last
    declared = declared prototype ";\n"
    list = list "        {.name = \"" name "\", .code = " code ", .stand_in = (function_t)" name "},\n"
    body = body prototype "\n{\n"
    body = body "    typedef " result (result ~ /\*$/ ? "" : " ") "(*real_t)(" params ");\n"
    body = body "    ocl_call_t *const call = &ocl_calls[" count++ "];\n"
    body = body "    const real_t real = (real_t)ocl_call_real(call);\n"
    # A function that drops a reference, and fails, has dropped it nevertheless: there is no second try.
    failure = "    const cl_int failure = ocl_call_fails(call);\n"
    if (!is_void && !has(effects, "drops")) {
        body = body failure "    if (failure != CL_SUCCESS) "
        if (is_code) body = body "return failure;\n"
        else if (takes_code) body = body "{\n        if (code) *code = failure;\n        return NULL;\n    }\n"
        else body = body "return NULL;\n"
    } else if (!is_void) body = body failure
    if (has(effects, "before")) {
        body = body "    const cl_int verdict = ocl_before_" name "(" names ");\n"
        body = body "    if (verdict != CL_SUCCESS) return verdict;\n"
    }
    # Before the call: once it is made, another thread may get an object of the same address.
    if (kind_of(effects, "drops") != "") body = body "    ocl_count(" kind_of(effects, "drops") ", " first ", -1);\n"
    if (is_void && has(effects, "after")) {
        body = body "    ocl_after_" name "(" names ");\n    real(" names ");\n}\n\n"
        next
    }
    if (is_void) { body = body "    real(" names ");\n}\n\n"; next }
    body = body "    " result (result ~ /\*$/ ? "" : " ") "made = real(" names ");\n"
    good = is_code ? "made == CL_SUCCESS" : "made"
    if (kind_of(effects, "makes") != "") body = body "    if (made) ocl_count(" kind_of(effects, "makes") ", made, 1);\n"
    if (kind_of(effects, "keeps") != "") body = body "    if (" good ") ocl_count(" kind_of(effects, "keeps") ", " first ", 1);\n"
    if (has(effects, "event")) body = body "    if (" good " && " event ") ocl_count(OCL_EVENT, *" event ", 1);\n"
    if (has(effects, "after")) {
        body = body "    made = ocl_after_" name "(made, " names ");\n"
    }
    if (has(effects, "drops")) body = body "    if (failure != CL_SUCCESS) return failure;\n"
    body = body "    return made;\n}\n\n"
}
END {
    print declared
    print "ocl_call_t ocl_calls[] = {\n" list "};"
    print "const int ocl_ncalls = sizeof ocl_calls / sizeof *ocl_calls;\n"
    printf "%s", body
}
