/* SPDX-License-Identifier: MIT
 *
 * Checks for the tests of the C ABI, which are C11 and nothing else. The first that fails ends the test.
 */
#ifndef TESTS_DISPATCHER_SUPPORT_CHECK_H_
#define TESTS_DISPATCHER_SUPPORT_CHECK_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckdispatch/ckdispatch.h"

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

/* The call succeeds. */
#define CHECK_OK(call) check_status((call), CKD_OK, NULL, #call, __FILE__, __LINE__)

/* The call fails with that status and exactly that sentence. */
#define CHECK_REFUSED(status, sentence, call) check_status((call), (status), (sentence), #call, __FILE__, __LINE__)

/* The text has the part. */
#define CHECK_HAS(text, part) check_has((text), (part), #text, __FILE__, __LINE__)

#define CHECK_TEXT(text, expected) check_text((text), (expected), #text, __FILE__, __LINE__)

static inline void check(int holds, const char* what, const char* file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: %s does not hold.\n", file, line, what);
    exit(EXIT_FAILURE);
}

static inline void check_text(const char* text, const char* expected, const char* what, const char* file, int line) {
    if (strcmp(text, expected) == 0) return;
    fprintf(stderr, "%s:%d: %s is\n  %s\nand not\n  %s\n", file, line, what, text, expected);
    exit(EXIT_FAILURE);
}

static inline void check_has(const char* text, const char* part, const char* what, const char* file, int line) {
    if (strstr(text, part)) return;
    fprintf(stderr, "%s:%d: %s is\n  %s\nwithout\n  %s\n", file, line, what, text, part);
    exit(EXIT_FAILURE);
}

static inline void check_status(ckd_status status, ckd_status expected, const char* sentence, const char* call,
                                const char* file, int line) {
    if (status != expected) {
        fprintf(stderr, "%s:%d: %s gave '%s' and not '%s'.\n  %s\n", file, line, call, ckd_status_name(status),
                ckd_status_name(expected), status == CKD_OK ? "" : ckd_last_error());
        exit(EXIT_FAILURE);
    }
    if (sentence) check_text(ckd_last_error(), sentence, call, file, line);
}

/* The only file of CK_TEST_FILES whose name has both parts; never freed. */
static inline const char* built_file(const char* part, const char* other_part) {
    const char* all = getenv("CK_TEST_FILES");
    char* words = calloc(1, strlen(all ? all : "") + 1);
    char* found = NULL;
    char* word;
    check(words != NULL, "There is memory", __FILE__, __LINE__);
    strcpy(words, all ? all : "");
    for (word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
        const char* name = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
        if (!strstr(name, part) || !strstr(name, other_part)) continue;
        check(found == NULL, "One file alone has that name", __FILE__, __LINE__);
        found = word;
    }
    if (!found) fprintf(stderr, "No built file is called %s and %s.\n", part, other_part);
    check(found != NULL, "The file was built", __FILE__, __LINE__);
    return found;
}

/* An fp16 problem in rows, columns, rows. */
static inline ckd_gemm_problem fp16_problem(int64_t m, int64_t n, int64_t k) {
    ckd_gemm_problem problem = {.base = {.struct_size = sizeof(ckd_gemm_problem), .family = CKD_GEMM},
                                .m = m,
                                .n = n,
                                .k = k,
                                .dtype_a = "fp16"};
    return problem;
}

#endif /* TESTS_DISPATCHER_SUPPORT_CHECK_H_ */
