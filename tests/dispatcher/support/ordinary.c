/* SPDX-License-Identifier: MIT
 *
 * A shared library like any other, with nothing for a GPU in it. Whoever loads it has CK_ORDINARY_RAN in the environment.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>

__attribute__((constructor)) static void run(void) { setenv("CK_ORDINARY_RAN", "1", 1); }

int answer(void);
int answer(void) { return 42; }
