/* Trains on a graph in arrays, each edge protected at epsilon 2, and predicts the class of every node. */
#include <sotto/run.h>
#include <stdio.h>

enum { NODES = 1000, EDGES = 6 * NODES, COLUMNS = 2 };
static uint32_t from[EDGES], to[EDGES];
static float features[NODES * COLUMNS], scores[NODES * 2];
static int32_t labels[NODES];

int main(void) {
  static sotto_error err; /* static: zeroed, in C as in C++ */
  static sotto_arrays arrays;
  static sotto_dataset data;
  sotto_run *run = NULL;
  sotto_model *model = NULL;
  unsigned right = 0;
  for (uint32_t v = 0; v < NODES; v++) labels[v] = v % 2; /* the class is not in the features */
  for (uint32_t i = 0; i < NODES * COLUMNS; i++) features[i] = (float)(i * 7919 % 101);
  for (uint32_t i = 0; i < EDGES; i++) from[i] = i % NODES, to[i] = (from[i] + 2 + 2 * (i / 7)) % NODES;
  arrays.nodes = NODES, arrays.labels = labels;
  arrays.features = features, arrays.feature_columns = COLUMNS;
  arrays.sources.data = from, arrays.targets.data = to;
  arrays.sources.count = arrays.targets.count = EDGES;
  if (sotto_dataset_from_arrays(&data, &arrays, &err) == SOTTO_OK && sotto_run_new(&run, &err) == SOTTO_OK &&
      sotto_run_set(run, "method", "best", &err) == SOTTO_OK &&
      sotto_run_set(run, "epsilon", "2", &err) == SOTTO_OK &&
      sotto_run_train(run, &data, NULL, &err) == SOTTO_OK && /* charged to the user's ledger */
      sotto_run_model(run, &model, 0, &err) == SOTTO_OK &&
      sotto_model_predict(model, scores, NODES * 2, NULL, NODES, &err) == SOTTO_OK) {
    for (uint32_t v = 0; v < NODES; v++) right += (scores[2 * v + 1] > scores[2 * v]) == labels[v];
    printf("%u of %d nodes are right\n%s\n", right, NODES, sotto_run_statement(run));
  } else
    fprintf(stderr, "%s\n", err.text);
  sotto_model_free(model);
  sotto_run_free(run);
  sotto_dataset_free(&data);
  return right == 0;
}
