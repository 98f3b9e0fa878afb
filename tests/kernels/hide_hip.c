/* SPDX-License-Identifier: MIT
 *
 * For LD_AUDIT: the loader of the process finds no HIP runtime, wherever one is installed.
 */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

unsigned la_version(unsigned version) { return version; }

/* Asked for every place where the loader would look; null means not there. */
char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag)
{
    (void)cookie;
    return flag != LA_SER_ORIG && strstr(name, "libamdhip64") ? NULL : (char*)name;
}
