/* Names of the values of enumerated options. */
#include "sotto/choices.h"
#include "inside/base.h"

#define NAME(names, value) ((unsigned)(value) < sizeof(names) / sizeof *(names) ? (names)[value] : "unknown")

const char *sotto_adjacency_name(sotto_adjacency adjacency) {
  static const char *const names[] = {"none", "transfer", "edge", "k-neighbour", "node", "graph", "client"};
  return NAME(names, adjacency);
}

const char *sotto_accounting_name(sotto_accounting accounting) {
  static const char *const names[] = {"sound", "paper"};
  return NAME(names, accounting);
}

const char *sotto_layer_name(sotto_layer_kind kind) {
  static const char *const names[] = {"gin", "gcn", "mean", "gat", "sage"};
  return NAME(names, kind);
}

const char *sotto_activation_name(sotto_activation activation) {
  static const char *const names[] = {"none", "relu", "selu", "tanh", "sigmoid"};
  return NAME(names, activation);
}

const char *sotto_combination_name(sotto_combination combination) {
  static const char *const names[] = {"cat", "sum", "max", "mean", "attention", "regression", "gru"};
  return NAME(names, combination);
}

const char *sotto_measure_name(sotto_measure measure) {
  static const char *const names[] = {"accuracy", "auc", "macro_f1", "r2", "rmse", "mae"};
  return NAME(names, measure);
}

const char *sotto_wire_format_name(sotto_wire_format format) {
  static const char *const names[] = {"float32", "bf16", "int8"};
  return NAME(names, format);
}
