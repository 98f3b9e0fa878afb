// SPDX-License-Identifier: MIT
// A library that leaves a trace as soon as it is loaded, in the folder that a variable names.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_a_trace(void) {
    char path[4096];
    const char* folder = getenv("HOSTILE_TRACE");
    if (folder == NULL || snprintf(path, sizeof path, "%s/trace", folder) >= (int)sizeof path) return;
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0) close(file);
}
