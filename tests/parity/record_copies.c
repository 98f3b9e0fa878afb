/* SPDX-License-Identifier: MIT
 *
 * For LD_PRELOAD: what a program copies to the device and from it is kept, in files of the folder CK_COPIES with their numbers for names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Of HIP, whose headers are not needed for the rest. */
enum
{
    HOST_TO_DEVICE = 1,
    DEVICE_TO_HOST = 2
};

static void keep(const char* kind, unsigned number, const void* data, size_t size)
{
    char path[4096];
    const char* folder = getenv("CK_COPIES");
    snprintf(path, sizeof path, "%s/%s_%02u", folder ? folder : ".", kind, number);
    FILE* file = fopen(path, "wb");
    if(!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
    {
        perror(path);
        abort();
    }
}

int hipMemcpy(void* to, const void* from, size_t size, int kind)
{
    static unsigned uploads, downloads;
    int (*copy)(void*, const void*, size_t, int) = (int (*)(void*, const void*, size_t, int))dlsym(RTLD_NEXT, "hipMemcpy");
    const int status                             = copy(to, from, size, kind);
    if(kind == HOST_TO_DEVICE)
        keep("upload", uploads++, from, size);
    if(kind == DEVICE_TO_HOST)
        keep("download", downloads++, to, size);
    return status;
}
