/* SPDX-License-Identifier: MIT
 * Runs a few instructions on one wave with registers and memory that the caller chooses: the tests' way in. */
#ifndef GFXSIM_PROBE_H
#define GFXSIM_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gfxsim_probe_state {
    uint32_t v[512][64]; /* VGPRs, then AGPRs from row 256 */
    uint32_t s[128];     /* 106: vcc, 108: ttmp0, 124: m0, 126: exec */
    uint32_t scc;
    uint32_t mode;      /* the MODE register's low 10 bits */
    uint32_t wave_size; /* 32 or 64 */
    uint32_t lds_bytes;
    uint8_t* lds;    /* read before, written after */
    uint8_t* memory; /* the only global memory that the code may touch */
    uint64_t memory_bytes;
    uint32_t scratch_bytes; /* per lane */
    uint8_t* scratch;       /* wave_size * scratch_bytes, one lane after the other; may be null */
    char error[1024];       /* why it failed */
} gfxsim_probe_state;

/* Decodes and runs code until s_endpgm. 0: done; 1: failed, with the reason in state->error. */
int gfxsim_probe(const char* gpu, const uint8_t* code, uint64_t size, gfxsim_probe_state* state);

/* Every instruction that is simulated, a line each: name, generations ("gfx9,gfx11,gfx12"), class, "exact" or
 * "rounding". The text lives as long as the process. */
const char* gfxsim_probe_definitions(void);

#ifdef __cplusplus
}
#endif

#endif
