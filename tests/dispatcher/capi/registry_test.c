/* SPDX-License-Identifier: MIT
 *
 * Registries over the C ABI.
 */
#include "tests/dispatcher/support/check.h"

#define KERNEL "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
#define KEY                                                                                                                                \
    "gemm{variant=standard,dtype_a=fp16,dtype_b=fp16,dtype_c=fp16,dtype_acc=fp32,layout=rcr,tile=64x64x64,waves=2x2x1,warp_tile=32x32x16," \
    "pipeline=compv3,epilogue=cshuffle,scheduler=intrawave,pad_m=true,pad_n=true,pad_k=true,persistent=false,split_k=none,"  \
    "fused_op=PassThrough,d_count=0,dtype_d=fp16,d_layout=r}"

static ckd_registry* made(const char* name) {
    ckd_registry* registry = NULL;
    CHECK_OK(ckd_registry_create(name, &registry));
    CHECK(registry != NULL);
    return registry;
}

static const char *library, *manifest;

static void the_library_says_its_version_and_names_its_codes(void) {
    CHECK(ckd_abi_version() == CKD_ABI_VERSION);
    CHECK_TEXT(ckd_status_name(CKD_OK), "ok");
    CHECK_TEXT(ckd_status_name(CKD_INVALID_ARGUMENT), "invalid argument");
    CHECK_TEXT(ckd_status_name(CKD_NOT_FOUND), "not found");
    CHECK_TEXT(ckd_status_name(CKD_DUPLICATE), "duplicate");
    CHECK_TEXT(ckd_status_name(CKD_UNSUPPORTED), "unsupported");
    CHECK_TEXT(ckd_status_name(CKD_NO_KERNEL), "no kernel");
    CHECK_TEXT(ckd_status_name(CKD_WRONG_GPU), "wrong GPU");
    CHECK_TEXT(ckd_status_name(CKD_ABI_MISMATCH), "ABI mismatch");
    CHECK_TEXT(ckd_status_name(CKD_DAMAGED), "damaged");
    CHECK_TEXT(ckd_status_name(CKD_DEVICE_FAILED), "device failed");
    CHECK_TEXT(ckd_status_name(CKD_OUT_OF_MEMORY), "out of memory");
    CHECK_TEXT(ckd_status_name(CKD_IO_FAILED), "i/o failed");
    CHECK_TEXT(ckd_status_name(CKD_MISMATCH), "mismatch");
    CHECK_TEXT(ckd_status_name(CKD_INTERNAL), "internal error");
    CHECK_TEXT(ckd_status_name((ckd_status)99), "unknown");
    ckd_free_text(NULL);
}

static void a_registry_loads_a_manifest(void) {
    ckd_registry* registry = made("mine");
    size_t count           = 0;
    uint64_t version       = ckd_registry_version(registry);
    CHECK_OK(ckd_registry_load_manifest(registry, manifest, CKD_REFUSE, 0, &count));
    CHECK(count == 6);
    CHECK(ckd_registry_size(registry) == 6);
    CHECK(ckd_registry_version(registry) > version);
    CHECK(ckd_registry_load_manifest(registry, manifest, CKD_REFUSE, 0, &count) == CKD_DUPLICATE);
    CHECK_HAS(ckd_last_error(), "The registry mine already has the kernel ");
    CHECK_OK(ckd_registry_load_manifest(registry, manifest, CKD_KEEP, 0, &count));
    CHECK(count == 0);
    CHECK_OK(ckd_registry_load_manifest(registry, manifest, CKD_REPLACE, 0, NULL));
    ckd_registry_destroy(registry);
}

static void a_registry_adds_and_removes_a_library(void) {
    ckd_registry* registry = made("mine");
    char* name             = NULL;
    CHECK_OK(ckd_registry_add_library(registry, library, NULL, CKD_REFUSE, 7, &name));
    CHECK_TEXT(name, KERNEL);
    ckd_free_text(name);
    CHECK_OK(ckd_registry_add_library(registry, library, NULL, CKD_REPLACE, 7, NULL));
    CHECK(ckd_registry_add_library(registry, library, "0000000000000000000000000000000000000000000000000000000000000000", CKD_REPLACE, 0, NULL) == CKD_DAMAGED);
    CHECK_HAS(ckd_last_error(), "is not the one that was built");
    CHECK_OK(ckd_registry_remove(registry, KERNEL));
    CHECK_REFUSED(CKD_NOT_FOUND, "The kernel " KERNEL " was to be removed from a registry that does not have it.", ckd_registry_remove(registry, KERNEL));
    CHECK(ckd_registry_size(registry) == 0);
    CHECK_REFUSED(CKD_NOT_FOUND, "The library /nowhere.so cannot be read: No such file or directory.", ckd_registry_add_library(registry, "/nowhere.so", NULL, CKD_REFUSE, 0, NULL));
    ckd_registry_destroy(registry);
}

static void a_kernel_is_found_by_name_and_by_key(void) {
    ckd_registry* registry = made("mine");
    const char* ways[]     = {KERNEL, KEY};
    size_t i;
    CHECK_OK(ckd_registry_add_library(registry, library, NULL, CKD_REFUSE, 7, NULL));
    for (i = 0; i < 2; ++i) {
        char* json = NULL;
        CHECK_OK(ckd_registry_find(registry, ways[i], &json));
        CHECK_HAS(json, "\"name\":\"" KERNEL "\"");
        CHECK_HAS(json, "\"key\":\"" KEY "\"");
        CHECK_HAS(json, "\"family\":\"gemm\"");
        CHECK_HAS(json, "\"priority\":7");
        CHECK_HAS(json, "\"gfx942\":");
        ckd_free_text(json);
    }
    {
        char* json = NULL;
        CHECK_REFUSED(CKD_NOT_FOUND, "The registry mine has no kernel gemm_none.", ckd_registry_find(registry, "gemm_none", &json));
        CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A kernel key has '' where the field 'variant' is expected.", ckd_registry_find(registry, "gemm{}", &json));
        CHECK(json == NULL);
    }
    ckd_registry_destroy(registry);
}

static void registries_are_merged_and_filtered(void) {
    ckd_registry *one = made("one"), *other = made("other"), *chosen = NULL;
    size_t count = 99;
    CHECK_OK(ckd_registry_add_library(one, library, NULL, CKD_REFUSE, 0, NULL));
    CHECK_OK(ckd_registry_load_manifest(other, manifest, CKD_REFUSE, 0, NULL));
    CHECK(ckd_registry_merge(one, other, CKD_REFUSE, &count) == CKD_DUPLICATE);
    CHECK(count == 99 && ckd_registry_size(one) == 1);
    CHECK_OK(ckd_registry_merge(one, other, CKD_KEEP, &count));
    CHECK(count == 5 && ckd_registry_size(one) == 6);

    CHECK_OK(ckd_registry_filtered(one, "{}", &chosen));
    CHECK(ckd_registry_size(chosen) == 6);
    ckd_registry_destroy(chosen);
    CHECK_OK(ckd_registry_filtered(one, "{\"pipeline\": \"mem\", \"gpu\": \"gfx942\", \"dtype_a\": \"fp16\", \"dtype_b\": \"fp16\", \"dtype_c\": \"fp16\", \"layout\": \"rcr\", \"variant\": \"standard\"}", &chosen));
    CHECK(ckd_registry_size(chosen) == 2);
    ckd_registry_destroy(chosen);
    CHECK_OK(ckd_registry_filtered(one, "{\"gpu\": \"gfx950\"}", &chosen));
    CHECK(ckd_registry_size(chosen) == 0);
    ckd_registry_destroy(chosen);

    chosen = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The filter is not valid JSON.", ckd_registry_filtered(one, "nonsense", &chosen));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The filter is no JSON object.", ckd_registry_filtered(one, "[]", &chosen));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The filter has a 'layout' that is no text.", ckd_registry_filtered(one, "{\"layout\": 1}", &chosen));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A filter by 'colour' was asked for; GEMMs are filtered by variant, dtype_a, dtype_b, dtype_c, dtype_acc, layout, pipeline, epilogue, scheduler, split_k, fused_op, dtype_d, d_layout, family and gpu.",
                  ckd_registry_filtered(one, "{\"colour\": \"red\"}", &chosen));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A filter is of the family cooking; this version has gemm, grouped_conv, fmha.", ckd_registry_filtered(one, "{\"family\": \"cooking\"}", &chosen));
    CHECK(ckd_registry_filtered(one, "{\"gpu\": \"gfx000\"}", &chosen) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "The GPU 'gfx000' was asked for; the known ones are ");
    CHECK(chosen == NULL);
    ckd_registry_destroy(one);
    ckd_registry_destroy(other);
}

static void a_registry_is_written_and_read_back(void) {
    ckd_registry *registry = made("mine"), *again = NULL;
    char *json = NULL, *second = NULL;
    CHECK_OK(ckd_registry_load_manifest(registry, manifest, CKD_REFUSE, 3, NULL));
    CHECK_OK(ckd_registry_to_json(registry, &json));
    CHECK_OK(ckd_registry_from_json(json, &again));
    CHECK(ckd_registry_size(again) == 6);
    CHECK_OK(ckd_registry_to_json(again, &second));
    CHECK_TEXT(second, json);
    ckd_free_text(json);
    ckd_free_text(second);
    ckd_registry_destroy(registry);
    ckd_registry_destroy(again);
    CHECK_REFUSED(CKD_DAMAGED, "The exported registry is not valid JSON.", ckd_registry_from_json("nonsense", &again));
}

static void a_named_registry_outlives_its_handles(void) {
    ckd_registry *one = NULL, *other = NULL;
    CHECK_OK(ckd_registry_named("shared", &one));
    CHECK_OK(ckd_registry_add_library(one, library, NULL, CKD_REFUSE, 0, NULL));
    ckd_registry_destroy(one);
    CHECK_OK(ckd_registry_named("shared", &other));
    CHECK(ckd_registry_size(other) == 1);
    ckd_registry_destroy(other);
}

static void wrong_arguments_are_refused(void) {
    ckd_registry *registry = made("mine"), *out = NULL;
    char* json             = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The policy 9 for duplicates was asked for; there are 0 (refuse), 1 (replace) and 2 (keep).",
                  ckd_registry_load_manifest(registry, manifest, (ckd_duplicates)9, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a name.", ckd_registry_create(NULL, &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a name.", ckd_registry_named(NULL, &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the registry.", ckd_registry_create("mine", NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the registry.", ckd_registry_named("mine", NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_load_manifest(NULL, "x", CKD_REFUSE, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a path.", ckd_registry_load_manifest(registry, NULL, CKD_REFUSE, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_add_library(NULL, "x", NULL, CKD_REFUSE, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a path.", ckd_registry_add_library(registry, NULL, NULL, CKD_REFUSE, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_remove(NULL, "x"));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a name.", ckd_registry_remove(registry, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_merge(NULL, registry, CKD_REFUSE, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_merge(registry, NULL, CKD_REFUSE, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_filtered(NULL, "{}", &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a filter.", ckd_registry_filtered(registry, NULL, &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the registry.", ckd_registry_filtered(registry, "{}", NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_find(NULL, "x", &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a name or a key.", ckd_registry_find(registry, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_registry_find(registry, "x", NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_to_json(NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_registry_to_json(registry, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without the JSON text.", ckd_registry_from_json(NULL, &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the registry.", ckd_registry_from_json("{}", NULL));
    CHECK(ckd_registry_size(NULL) == 0);
    CHECK(ckd_registry_version(NULL) == 0);
    ckd_registry_destroy(NULL);
    CHECK(out == NULL && json == NULL);
    ckd_registry_destroy(registry);
}

int main(void) {
    library  = built_file("lib" KERNEL, ".so");
    manifest = built_file("gemm_fp16_rcr_essential", ".manifest.json");
    the_library_says_its_version_and_names_its_codes();
    a_registry_loads_a_manifest();
    a_registry_adds_and_removes_a_library();
    a_kernel_is_found_by_name_and_by_key();
    registries_are_merged_and_filtered();
    a_registry_is_written_and_read_back();
    a_named_registry_outlives_its_handles();
    wrong_arguments_are_refused();
    return 0;
}
