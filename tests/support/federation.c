/* A small federation to train, and what it wrote. */
#include "federation.h"

#include <jansson.h>

#include "check.h"
#include "sotto/generate.h"

check_federation check_federation_new(const char *folder) {
  const sotto_sbm_options sbm = {
      .nodes = 90, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  check_federation f = {check_communities(&sbm), check_options("fedavg", folder)};
  check_set(&f.options, "hidden", "4");
  check_set(&f.options, "clients", "4");
  check_set(&f.options, "dropout", "0");
  check_set(&f.options, "optimiser", "sgd");
  check_set(&f.options, "learning-rate", "0.5");
  check_set(&f.options, "rounds", "6");
  return f;
}

void check_clients_new(check_clients *out, sotto_options *options, const sotto_dataset *data) {
  sotto_options_resolve(options);
  *out = (check_clients){.job = {.options = options, .data = data, .seed = 1}};
  CHECK_OK(sotto_i_fed_assemble(&out->all, &out->job, &err));
  out->of = sotto_i_fed_clients(out->all, &out->count);
  for (uint32_t i = 0; i < out->count; i++) sotto_key_system(&out->of[i].drawn.key);
}

void check_clients_free(check_clients *c) {
  for (uint32_t i = 0; i < c->count; i++) c->of[i].link = NULL;
  sotto_i_fed_disassemble(c->all);
}

sotto_i_federation *check_clients_shared(const check_clients *c) {
  return (sotto_i_federation *)(uintptr_t)c->of[0].federation;
}

/* Losses of the rounds that a run wrote. */
void check_losses(double *losses, size_t count, const sotto_options *o, uint64_t *bytes) {
  char path[1200], line[1024];
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/rounds.jsonl", o->out);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  for (size_t i = 0; i < count; i++) {
    assert_non_null(fgets(line, sizeof line, file));
    json_t *root = json_loads(line, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(root, "round")), i + 1);
    losses[i] = json_number_value(json_object_get(root, "loss"));
    if (bytes != NULL) bytes[i] = (uint64_t)json_integer_value(json_object_get(root, "received"));
    json_decref(root);
  }
  assert_null(fgets(line, sizeof line, file));
  assert_int_equal(fclose(file), 0);
}
