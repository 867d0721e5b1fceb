/* The service of predictions: its routes are those of docs/openapi.yaml, names of runs, and what a source of
 * answers may say. */
#include "serve/service.h"

#include "check.h"

static void the_routes_are_the_documented_ones(void **state) {
  (void)state;
  const char *source = getenv("SOTTO_SOURCE");
  char path[1024], line[400], at[128] = "", described[1024] = "", answered[1024] = "";
  if (source == NULL) skip();
  (void)snprintf(path, sizeof path, "%s/docs/openapi.yaml", source);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "  /", 3) == 0)
      (void)snprintf(at, sizeof at, "%.*s", (int)strcspn(line + 2, ":"), line + 2);
    const bool get = strcmp(line, "    get:\n") == 0, post = strcmp(line, "    post:\n") == 0;
    const size_t used = strlen(described);
    if (get || post)
      (void)snprintf(described + used, sizeof described - used, "%s %s\n", get ? "GET" : "POST", at);
  }
  (void)fclose(file);
  for (size_t i = 0; i < serve_route_count; i++) {
    const size_t used = strlen(answered), length = strcspn(serve_routes[i].path, "*");
    (void)snprintf(answered + used, sizeof answered - used, "%s %.*s%s\n", serve_routes[i].method,
                   (int)length, serve_routes[i].path, serve_routes[i].path[length] == '*' ? "{name}" : "");
  }
  assert_string_equal(answered, described);
}

static void runs_are_named_after_their_folders(void **state) {
  (void)state;
  static serve_service s;
  const char *const good[] = {"runs/a", "b/", "/x/y/c_1.2-3//", "name=runs/a"};
  CHECK_OK(serve_service_begin(&s, good, 4, 0, &err));
  assert_string_equal(s.slots[0].name, "a");
  assert_string_equal(s.slots[1].name, "b");
  assert_string_equal(s.slots[2].name, "c_1.2-3");
  assert_string_equal(s.slots[3].name, "name");
  assert_string_equal(s.slots[3].path, "runs/a");
  serve_service_end(&s);
  static const char *const bad[] = {"", "/", "..", ".", "runs/..", "a b", "=x", "a/b=x", "a\"b", "a\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_FAILS(SOTTO_INVALID, "NAME=RUN", serve_service_begin(&s, &bad[i], 1, 0, &err));
    serve_service_end(&s);
  }
  const char *const twice[] = {"x/a", "y/a"};
  CHECK_FAILS(SOTTO_INVALID, "two runs are called 'a'", serve_service_begin(&s, twice, 2, 0, &err));
  serve_service_end(&s);
}

/* A source as another one may be: it says what it is told to. */
typedef struct oracle {
  sotto_status says;
  unsigned freed;
} oracle;

static sotto_status say(void *context, float *out, const uint32_t *nodes, size_t count, size_t classes,
                        sotto_error *err) {
  const oracle *o = context;
  if (o->says != SOTTO_OK) {
    err->status = o->says;
    (void)snprintf(err->text, sizeof err->text, "the oracle is silent");
    return o->says;
  }
  assert_int_equal(classes, 3);
  for (size_t i = 0; i < count; i++) {
    out[3 * i] = 0.25F;
    out[3 * i + 1] = nodes[i] == 7 ? 0.5F : 0.25F;
    out[3 * i + 2] = nodes[i] == 7 ? 0.25F : 0.5F;
  }
  return SOTTO_OK;
}

static void note_free(void *context) {
  ((oracle *)context)->freed++;
}

static http_reply post(serve_service *s, const char *name, const char *body) {
  http_reply reply = {0};
  const http_request request = {"POST", "/predict", body, strlen(body)};
  serve_predict(s, name, &request, &reply);
  return reply;
}

static void check_reply(http_reply reply, unsigned status, const char *words) {
  assert_non_null(reply.body);
  if (reply.status != status || strstr(reply.body, words) == NULL)
    fail_msg("%u, '%s' expected: %u %s", status, words, reply.status, reply.body);
  free(reply.body);
}

static void a_source_answers_refuses_or_is_not_there(void **state) {
  (void)state;
  static serve_service s;
  const char *const words[] = {"a"};
  oracle o = {SOTTO_OK, 0};
  CHECK_OK(serve_service_begin(&s, words, 1, 0, &err));
  check_reply(post(&s, NULL, "{\"nodes\":[7]}"), 503, "not loaded yet");
  assert_false(serve_is_ready(&s, NULL));
  serve_run *run = calloc(1, sizeof *run);
  run->source = (serve_source){.context = &o, .nodes = 10, .classes = 3, .answer = say, .free = note_free};
  run->users = 1;
  s.slots[0].run = run;
  assert_true(serve_is_ready(&s, NULL));
  check_reply(
      post(&s, NULL, "{\"nodes\":[7,2]}"), 200,
      "{\"run\":\"a\",\"answers\":[{\"node\":7,\"classes\":[1,0,2],\"probabilities\":[0.5,0.25,0.25]},"
      "{\"node\":2,\"classes\":[2,0,1],\"probabilities\":[0.5,0.25,0.25]}]}");
  check_reply(post(&s, "a", "{\"nodes\":[7],\"top\":1}"), 200, "\"classes\":[1],\"probabilities\":[0.5]");
  check_reply(post(&s, "b", "{\"nodes\":[7]}"), 404, "no run of this name");
  check_reply(post(&s, NULL, "{\"nodes\":[10]}"), 400, "nodes 0 to 9");
  o.says = SOTTO_REFUSED;
  check_reply(post(&s, NULL, "{\"nodes\":[7]}"), 403, "the oracle is silent");
  o.says = SOTTO_PROTOCOL;
  check_reply(post(&s, NULL, "{\"nodes\":[7]}"), 503, "the oracle is silent");
  o.says = SOTTO_IO;
  check_reply(post(&s, NULL, "{\"nodes\":[7]}"), 500, "the oracle is silent");
  assert_int_equal(s.slots[0].predictions, 3);
  /* who answers from a run keeps it, whatever is loaded meanwhile */
  serve_run *held = serve_hold(&s, NULL, "a");
  assert_ptr_equal(held, run);
  serve_service_end(&s);
  assert_int_equal(o.freed, 0);
  assert_int_equal(held->users, 1);
  serve_run_free(held);
  assert_int_equal(o.freed, 1);
}

/* Ten nodes with ids in no order, and classes with names. */
static void nodes_are_asked_for_by_id(void **state) {
  (void)state;
  static const char ids[] = "n9\0n3\0\"q\"\0n1\0n7\0n2\0n0\0c,7\0n8\0n5", classes[] = "low\0mid\0high";
  static const uint64_t id_starts[] = {0, 3, 6, 10, 13, 16, 19, 22, 26, 29, 32};
  static const uint64_t class_starts[] = {0, 4, 8, 13};
  static serve_service s;
  const char *const words[] = {"a"};
  oracle o = {SOTTO_OK, 0};
  serve_run *run = calloc(1, sizeof *run);
  CHECK_OK(serve_service_begin(&s, words, 1, 0, &err));
  run->source = (serve_source){.context = &o, .nodes = 10, .classes = 3, .answer = say, .free = note_free};
  run->users = 1;
  s.slots[0].run = run;
  check_reply(post(&s, NULL, "{\"ids\":[\"c,7\"]}"), 400, "no ids but their numbers");
  CHECK_OK(serve_names_copy(&run->source.ids, &(sotto_names){10, id_starts, ids}, true, &err));
  CHECK_OK(serve_names_copy(&run->source.class_names, &(sotto_names){3, class_starts, classes}, false, &err));
  for (uint32_t v = 0, found; v < 10; v++) {
    assert_true(serve_find(&found, &run->source.ids, ids + id_starts[v]));
    assert_int_equal(found, v);
  }
  check_reply(post(&s, NULL, "{\"ids\":[\"c,7\",\"n4\",\"\\\"q\\\"\"],\"top\":1}"), 200,
              "{\"run\":\"a\",\"answers\":["
              "{\"node\":7,\"id\":\"c,7\",\"classes\":[1],\"names\":[\"mid\"],\"probabilities\":[0.5]},"
              "{\"node\":2,\"id\":\"\\\"q\\\"\",\"classes\":[2],\"names\":[\"high\"],\"probabilities\":[0.5]}"
              "],\"unknown\":[\"n4\"]}");
  check_reply(post(&s, NULL, "{\"nodes\":[6],\"top\":1}"), 200, "{\"node\":6,\"id\":\"n0\",");
  check_reply(post(&s, NULL, "{\"ids\":[\"\"]}"), 200, "\"answers\":[],\"unknown\":[\"\"]}");
  check_reply(post(&s, NULL, "{\"ids\":[]}"), 400, "not a list of one or more ids");
  check_reply(post(&s, NULL, "{\"ids\":\"n1\"}"), 400, "not a list of one or more ids");
  check_reply(post(&s, NULL, "{\"ids\":[\"n1\",7]}"), 400, "ids[1]");
  check_reply(post(&s, NULL, "{\"ids\":[\"n1\"],\"nodes\":[1]}"), 400, "one of them names the nodes");
  serve_service_end(&s);
}

static void latencies_are_counted_by_size(void **state) {
  (void)state;
  static serve_service s;
  const char *const words[] = {"a"};
  CHECK_OK(serve_service_begin(&s, words, 1, 0, &err));
  serve_count(&s, 200, true, 0.00001);
  serve_count(&s, 200, true, 0.0003);
  serve_count(&s, 200, true, 5);
  serve_count(&s, 404, false, 5);
  char *text = serve_metrics(&s);
  assert_non_null(text);
  assert_non_null(strstr(text, "sotto_predict_seconds_bucket{le=\"5e-05\"} 1\n"));
  assert_non_null(strstr(text, "sotto_predict_seconds_bucket{le=\"0.0005\"} 2\n"));
  assert_non_null(strstr(text, "sotto_predict_seconds_bucket{le=\"1\"} 2\n"));
  assert_non_null(strstr(text, "sotto_predict_seconds_bucket{le=\"+Inf\"} 3\n"));
  assert_non_null(strstr(text, "sotto_predict_seconds_count 3\n"));
  assert_non_null(strstr(text, "sotto_http_requests_total{code=\"404\"} 1\n"));
  free(text);
  serve_service_end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_routes_are_the_documented_ones),
      cmocka_unit_test(runs_are_named_after_their_folders),
      cmocka_unit_test(a_source_answers_refuses_or_is_not_there),
      cmocka_unit_test(nodes_are_asked_for_by_id),
      cmocka_unit_test(latencies_are_counted_by_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
