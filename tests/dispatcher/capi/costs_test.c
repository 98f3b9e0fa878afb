/* SPDX-License-Identifier: MIT
 *
 * The cost model and learned models over the C ABI: what they see, other constants, and models from files. It needs no device.
 */
#include <math.h>

#include "tests/dispatcher/support/check.h"

#define UNKNOWN_FAMILY 77u
#define MOST_TERMS 64

static ckd_registry* registry;
static char terms[MOST_TERMS][64];
static size_t term_count;

static ckd_dispatcher* made(const char* gpu) {
    ckd_dispatcher* dispatcher = NULL;
    CHECK_OK(ckd_dispatcher_create(registry, gpu, &dispatcher));
    return dispatcher;
}

static char* costs_of(ckd_dispatcher* dispatcher) {
    ckd_gemm_problem problem = fp16_problem(2048, 2048, 2048);
    char* json               = NULL;
    CHECK_OK(ckd_costs(dispatcher, &problem.base, &json));
    return json;
}

static char* ranking_of(ckd_dispatcher* dispatcher) {
    ckd_gemm_problem problem = fp16_problem(2048, 2048, 2048);
    char* json               = NULL;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    return json;
}

static int has(char* json, const char* part) {
    const int found = strstr(json, part) != NULL;
    ckd_free_text(json);
    return found;
}

/* What the first kernel of a ranking is predicted to take. */
static double best_of(ckd_dispatcher* dispatcher) {
    char* json        = ranking_of(dispatcher);
    const char* found = strstr(json, "\"microseconds\":");
    double time;
    CHECK(found != NULL);
    time = strtod(found + strlen("\"microseconds\":"), NULL);
    ckd_free_text(json);
    return time;
}

/* The names of the terms, which come last in the document. */
static void read_terms(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    char* json                 = costs_of(dispatcher);
    char *at                   = json, *names = NULL, *name;
    while ((at = strstr(at, "\"terms\":[")) != NULL) names = at += strlen("\"terms\":[");
    CHECK(names != NULL);
    *strchr(names, ']') = 0;
    for (name = strtok(names, "\","); name; name = strtok(NULL, "\",")) {
        CHECK(term_count < MOST_TERMS);
        snprintf(terms[term_count++], sizeof terms[0], "%s", name);
    }
    CHECK(term_count > 1);
    ckd_free_text(json);
    ckd_dispatcher_destroy(dispatcher);
}

/* A file in the folder of the test; the caller frees the path. */
static char* written(const char* name, const char* content) {
    const char* folder = getenv("TEST_TMPDIR") ? getenv("TEST_TMPDIR") : "/tmp";
    char* path         = calloc(1, strlen(folder) + strlen(name) + 2);
    FILE* file;
    sprintf(path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(content, file);
    CHECK(fclose(file) == 0);
    return path;
}

/* A model by which every kernel takes twice as long as its constants say, which are all 1. */
static char* model_file(const char* family, const char* gpu) {
    static char content[8192];
    char constants[4096] = "";
    size_t used = 0, i;
    for (i = 0; i < term_count; ++i) {
        used += (size_t)snprintf(constants + used, sizeof constants - used, "%s\"%s\": 1", i ? ", " : "", terms[i]);
        CHECK(used < sizeof constants);
    }
    snprintf(content, sizeof content,
             "{\"schema_version\": 1, \"family\": \"%s\", \"gpu\": \"%s\", \"serves\": {}, \"features\": [\"tile_m\"], \"ranges\": {\"tile_m\": [0, 1000]}, "
             "\"constants\": {%s}, \"trees\": [{\"feature\": [], \"threshold\": [], \"left\": [], \"right\": [], \"leaf\": [0.6931471805599453]}], "
             "\"manifest\": {\"provenance\": \"simulated\"}}",
             family, gpu, constants);
    return written("model.json", content);
}

static void costs_have_a_number_for_every_name(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    char* json                 = costs_of(dispatcher);
    CHECK_HAS(json, "\"problem\":\"gemm 2048x2048x2048 fp16 rcr\"");
    CHECK_HAS(json, "\"gpu\":\"gfx942\"");
    CHECK_HAS(json, "\"constants\":[");
    CHECK_HAS(json, "\"features\":[\"share_launch\",");
    CHECK_HAS(json, "\"terms\":[\"launch\",");
    CHECK_HAS(json, "\"kernel\":\"gemm_fp16_rcr_");
    CHECK_HAS(json, "\"parts\":1");
    CHECK(strstr(json, "null") == NULL);
    ckd_free_text(json);
    ckd_dispatcher_destroy(dispatcher);
}

static void constants_can_be_given(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    double constants[MOST_TERMS];
    const double before = best_of(dispatcher);
    size_t i;
    CHECK(has(ranking_of(dispatcher), "\"carried_over\":true"));
    for (i = 0; i < term_count; ++i) constants[i] = 1000;
    CHECK_OK(ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, term_count));
    CHECK(best_of(dispatcher) > 2 * before);
    CHECK(has(ranking_of(dispatcher), "\"carried_over\":false"));
    CHECK(has(ranking_of(dispatcher), "\"source\":\"constants of the caller's own\""));
    CHECK(has(costs_of(dispatcher), "\"constants\":[1000.0,1000.0,"));
    ckd_dispatcher_destroy(dispatcher);
}

static void constants_without_any_cost_still_give_numbers(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    double constants[MOST_TERMS] = {0};
    CHECK_OK(ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, term_count));
    CHECK(!has(costs_of(dispatcher), "null"));
    ckd_dispatcher_destroy(dispatcher);
}

static void constants_are_checked(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    double constants[MOST_TERMS];
    char sentence[128];
    const double before = best_of(dispatcher);
    size_t i;
    for (i = 0; i < MOST_TERMS; ++i) constants[i] = 1;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_dispatcher_use_constants(NULL, CKD_GEMM, constants, term_count));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without constants.", ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, NULL, term_count));
    for (i = 0; i < 3; ++i) {
        const size_t wrong[] = {0, term_count - 1, (size_t)-1};
        snprintf(sentence, sizeof sentence, "The cost model was given %zu constants; it has %zu.", wrong[i], term_count);
        CHECK_REFUSED(CKD_INVALID_ARGUMENT, sentence, ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, wrong[i]));
    }
    CHECK(ckd_dispatcher_use_constants(dispatcher, UNKNOWN_FAMILY, constants, term_count) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "77");
    constants[1] = -1;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The cost model was given the constant -1.000000; each is a finite number from 0.",
                  ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, term_count));
    constants[1] = INFINITY;
    CHECK(ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, term_count) == CKD_INVALID_ARGUMENT);
    constants[1] = NAN;
    CHECK(ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, term_count) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "; each is a finite number from 0.");
    CHECK(best_of(dispatcher) == before);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_model_can_be_given(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    char* path                 = model_file("gemm", "gfx942");
    double constants[MOST_TERMS], uncorrected, by_rules;
    size_t i;
    by_rules = best_of(dispatcher);
    CHECK(has(ranking_of(dispatcher), "\"models\":[]"));
    CHECK(has(ranking_of(dispatcher), "\"basis\":\"cost_model\""));
    for (i = 0; i < term_count; ++i) constants[i] = 1;
    CHECK_OK(ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, constants, term_count));
    uncorrected = best_of(dispatcher);
    CHECK_OK(ckd_dispatcher_use_model(dispatcher, path));
    CHECK(fabs(best_of(dispatcher) / uncorrected - 2) < 1e-9);
    CHECK(has(ranking_of(dispatcher), "\"basis\":\"learned\""));
    CHECK(has(ranking_of(dispatcher), "\"provenance\":\"simulated\""));
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_RULES));
    CHECK(best_of(dispatcher) == uncorrected);
    /* Families without a model are chosen for by rules. */
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_MODEL));
    CHECK(fabs(best_of(dispatcher) / uncorrected - 2) < 1e-9);
    CHECK(by_rules > 0);
    ckd_dispatcher_destroy(dispatcher);
    remove(path);
    free(path);
}

static void models_are_checked(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    const double before        = best_of(dispatcher);
    char* path                 = model_file("gemm", "gfx950");
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_dispatcher_use_model(NULL, path));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without the path of a model.", ckd_dispatcher_use_model(dispatcher, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A model for gfx950 was given to a dispatcher for gfx942.", ckd_dispatcher_use_model(dispatcher, path));
    free(path);
    path = model_file("attention", "gfx942");
    CHECK(ckd_dispatcher_use_model(dispatcher, path) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "attention");
    free(path);
    path = written("model.json", "no JSON");
    CHECK(ckd_dispatcher_use_model(dispatcher, path) == CKD_DAMAGED);
    CHECK_HAS(ckd_last_error(), path);
    remove(path);
    CHECK(ckd_dispatcher_use_model(dispatcher, path) == CKD_NOT_FOUND);
    CHECK_HAS(ckd_last_error(), path);
    free(path);
    CHECK(ckd_dispatcher_use_model(dispatcher, "") != CKD_OK);
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The strategy 'model' was asked for, and there is no model for this GPU; give one, or a predictor.",
                  ckd_dispatcher_use_strategy(dispatcher, CKD_MODEL));
    CHECK(best_of(dispatcher) == before);
    ckd_dispatcher_destroy(dispatcher);
}

/* Where a model comes with the library, for another family even, the strategy is there. */
static void a_model_that_comes_with_the_library_is_used(void) {
    ckd_dispatcher* dispatcher = made("gfx950");
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_MODEL));
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_RULES));
    ckd_dispatcher_destroy(dispatcher);
}

static void costs_are_checked(void) {
    ckd_dispatcher* dispatcher = made("gfx942");
    ckd_gemm_problem problem   = fp16_problem(64, 64, 64);
    char* json                 = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_costs(NULL, &problem.base, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_costs(dispatcher, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_costs(dispatcher, &problem.base, NULL));
    problem.m = 0;
    CHECK(ckd_costs(dispatcher, &problem.base, &json) == CKD_INVALID_ARGUMENT);
    CHECK(json == NULL);
    problem.m = 64, problem.dtype_a = "bf16";
    CHECK_OK(ckd_costs(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"fit\":[]");
    ckd_free_text(json);
    ckd_dispatcher_destroy(dispatcher);
}

int main(void) {
    CHECK_OK(ckd_registry_create("mine", &registry));
    CHECK_OK(ckd_registry_load_manifest(registry, built_file("gemm_fp16_rcr_essential", ".manifest.json"), CKD_REFUSE, 0, NULL));
    read_terms();
    costs_have_a_number_for_every_name();
    constants_can_be_given();
    constants_without_any_cost_still_give_numbers();
    constants_are_checked();
    a_model_can_be_given();
    models_are_checked();
    a_model_that_comes_with_the_library_is_used();
    costs_are_checked();
    ckd_registry_destroy(registry);
    return 0;
}
