/* Defaults that are a method's own, where they are not those of the list of options. */
#include <string.h>

#include "base/error.h"
#include "options.h"

/* `aggregator` narrows a row to runs with that one; NULL: all. Rows that set the aggregator come first. */
static const struct {
  const char *method, *aggregator, *key, *value;
} rows[] = {
    /* Kipf and Welling 2017 */
    {"gnn", "gcn", "epochs", "200"},        {"gnn", "gcn", "weight-decay", "5e-4"},
    {"gnn", "mean", "epochs", "200"},       {"gnn", "mean", "weight-decay", "5e-4"},
    {"caribou", NULL, "aggregator", "gcn"},
};

void sotto_options_resolve(sotto_options *options) {
  const sotto_options asked = *options;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].method, options->method) != 0) continue;
    if (rows[i].aggregator != NULL && strcmp(rows[i].aggregator, options->aggregator) != 0) continue;
    if (sotto_i_option_given(&asked, rows[i].key)) continue;
    SOTTO_I_CHECK(sotto_options_set(options, rows[i].key, rows[i].value, NULL) == SOTTO_OK);
  }
  memcpy(options->given, asked.given, sizeof options->given);
}
