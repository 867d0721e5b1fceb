/* Horizontal partition among clients: whole nodes with the edges among them, or whole graphs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "graph/generate/generate.h"
#include "graph/io/read.h"
#include "inside/graph.h"
#include "sotto/split.h"

uint64_t sotto_deal_items(const sotto_dataset *data) {
  return data->graph_count > 0 ? data->graph_count : data->graph.nodes;
}

static const int32_t *item_labels(const sotto_dataset *data) {
  return data->graph_count > 0 ? data->graph_labels : data->labels;
}

static const char *item_name(const sotto_dataset *data) {
  return data->graph_count > 0 ? "graph" : "node";
}

static sotto_status check_arguments(const sotto_dataset *data, uint32_t clients, const sotto_key *key,
                                    sotto_error *err) {
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  if (clients < 2 || clients > sotto_deal_items(data))
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %u clients for %llu %ss; at least 2, and one %s each",
                        data->name, (unsigned)clients, (unsigned long long)sotto_deal_items(data),
                        item_name(data), item_name(data));
  return SOTTO_OK;
}

static sotto_status shuffled_items(uint32_t **out, const sotto_dataset *data, const sotto_key *key,
                                   sotto_error *err) {
  uint64_t count = sotto_deal_items(data);
  sotto_i_random random;
  sotto_status status = sotto_i_new_raw(out, count, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < count; i++) (*out)[i] = (uint32_t)i;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_DEAL_ITEMS, 0);
  sotto_i_random_shuffle(&random, *out, count);
  return SOTTO_OK;
}

sotto_status sotto_deal_iid(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                            const sotto_key *key, sotto_error *err) {
  uint32_t *order = NULL;
  sotto_status status = check_arguments(data, clients, key, err);
  if (status == SOTTO_OK) status = shuffled_items(&order, data, key, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < sotto_deal_items(data); i++) owner[order[i]] = (uint32_t)(i % clients);
  sotto_i_free(order);
  return SOTTO_OK;
}

/* Logarithm of a gamma variate of shape `alpha` (Marsaglia and Tsang 2000). Below 1, that of alpha + 1
 * times u^(1 / alpha), in logarithms because it underflows. */
static double log_gamma_variate(double alpha, sotto_i_random *random) {
  double shape = alpha < 1 ? alpha + 1 : alpha, d = shape - 1.0 / 3, c = 1 / sqrt(9 * d), v, x, u;
  do {
    x = sotto_i_random_normal(random);
    v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    u = 1 - sotto_i_random_double(random);
  } while (v <= 0 || log(u) > x * x / 2 + d - d * v + d * log(v));
  double boost = alpha < 1 ? log(1 - sotto_i_random_double(random)) / alpha : 0;
  return log(d * v) + boost;
}

/* Draws share[clients] from the symmetric Dirichlet distribution. */
static void draw_shares(double *share, uint32_t clients, double alpha, sotto_i_random *random) {
  double largest = -INFINITY, sum = 0;
  for (uint32_t i = 0; i < clients; i++) {
    share[i] = log_gamma_variate(alpha, random);
    largest = fmax(largest, share[i]);
  }
  for (uint32_t i = 0; i < clients; i++) sum += share[i] = exp(share[i] - largest);
  for (uint32_t i = 0; i < clients; i++) share[i] /= sum;
}

/* Partitions each class, and the unlabelled items, by its own shares; false when a client got nothing. */
static bool partition_once(uint32_t *owner, double *share, uint64_t *received, const uint32_t *order,
                           const sotto_dataset *data, uint32_t clients, double alpha,
                           sotto_i_random *random) {
  const int32_t *labels = item_labels(data);
  uint64_t count = sotto_deal_items(data);
  uint32_t classes = data->graph_count > 0 ? data->graph_classes : data->classes;
  memset(received, 0, clients * sizeof *received);
  for (int64_t label = -1; label < (int64_t)classes; label++) {
    uint64_t members = 0, at = 0;
    draw_shares(share, clients, alpha, random);
    for (uint64_t i = 0; i < count; i++) members += labels[i] == label;
    uint32_t client = 0;
    double reached = share[0];
    for (uint64_t i = 0; i < count; i++) {
      if (labels[order[i]] != label) continue;
      while (client + 1 < clients && (double)at >= reached * (double)members) reached += share[++client];
      owner[order[i]] = client;
      received[client]++;
      at++;
    }
  }
  for (uint32_t i = 0; i < clients; i++)
    if (received[i] == 0) return false;
  return true;
}

sotto_status sotto_deal_dirichlet(uint32_t *owner, const sotto_dataset *data, uint32_t clients, double alpha,
                                  const sotto_key *key, sotto_error *err) {
  enum { most_tries = 1000 };
  uint32_t *order = NULL;
  double *share = NULL;
  uint64_t *received = NULL;
  sotto_i_random random;
  bool done = false;
  sotto_status status;
  if (!(alpha >= 1e-3 && alpha <= 1e6))
    return sotto_i_fail(err, SOTTO_RANGE, "a concentration of %g is outside 0.001 to 1e6", alpha);
  if (item_labels(data) == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: has no labels to partition by; partition without them",
                        data->name);
  SOTTO_TRY(check_arguments(data, clients, key, err));
  SOTTO_TRY(shuffled_items(&order, data, key, err));
  SOTTO_TRY(sotto_i_new(&share, clients, sizeof *share, err));
  SOTTO_TRY(sotto_i_new(&received, clients, sizeof *received, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_DEAL_SHARES, 0);
  for (int i = 0; i < most_tries && !done; i++)
    done = partition_once(owner, share, received, order, data, clients, alpha, &random);
  if (!done)
    status = sotto_i_fail(err, SOTTO_RANGE,
                          "%s: with a concentration of %g, one of %u clients got no %s in each of %d tries; "
                          "take fewer clients or a larger concentration",
                          data->name, alpha, (unsigned)clients, item_name(data), most_tries);
done:
  sotto_i_free(order);
  sotto_i_free(share);
  sotto_i_free(received);
  return status;
}

/* Reads one client per line. Errors name the line. */
static sotto_status read_owners(uint32_t *owner, uint32_t *clients, uint64_t count,
                                const sotto_i_source *source, sotto_error *err) {
  sotto_i_lines lines;
  const uint8_t *text;
  size_t size;
  uint64_t read = 0;
  *clients = 0;
  sotto_i_lines_init(&lines, source);
  while (sotto_i_lines_next(&lines, &text, &size)) {
    int64_t value;
    if (!sotto_i_text_integer(text, size, &value))
      return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: is not the number of a client", source->file,
                          (unsigned long long)lines.line);
    if (read == count || value < 1 || (uint64_t)value > count)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: line %llu: %s", source->file, (unsigned long long)lines.line,
                          read == count ? "there are more lines than items"
                                        : "clients have numbers from 1 to at most the number of items");
    owner[read++] = (uint32_t)value - 1;
    if (value > *clients) *clients = (uint32_t)value;
  }
  if (read == count) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%s: has %llu lines for %llu items", source->file,
                      (unsigned long long)read, (unsigned long long)count);
}

sotto_status sotto_deal_list(uint32_t *owner, uint32_t *clients, const sotto_dataset *data, const char *path,
                             sotto_error *err) {
  sotto_i_map map = {0};
  uint64_t *received = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {.file = path, .data = map.data, .size = map.size};
  SOTTO_TRY(read_owners(owner, clients, sotto_deal_items(data), &source, err));
  SOTTO_TRY(sotto_i_new(&received, *clients, sizeof *received, err));
  for (uint64_t i = 0; i < sotto_deal_items(data); i++) received[owner[i]]++;
  for (uint32_t i = 0; i < *clients; i++)
    if (received[i] == 0) {
      status = sotto_i_fail(err, SOTTO_RANGE, "%s: client %u of %u gets nothing", path, (unsigned)i + 1,
                            (unsigned)*clients);
      goto done;
    }
done:
  sotto_i_free(received);
  sotto_i_map_close(&map);
  return status;
}

sotto_status sotto_split_horizontal(sotto_dataset *out, const sotto_dataset *data, const uint32_t *owner,
                                    uint32_t clients, sotto_error *err) {
  uint64_t all = sotto_deal_items(data);
  uint32_t *items = NULL;
  char name[256];
  sotto_status status;
  for (uint32_t c = 0; c < clients; c++) out[c] = (sotto_dataset){0};
  SOTTO_TRY(sotto_i_new_raw(&items, all, sizeof *items, err));
  for (uint32_t c = 0; c < clients; c++) {
    size_t count = 0;
    for (uint64_t i = 0; i < all; i++)
      if (owner[i] == c) items[count++] = (uint32_t)i;
    (void)snprintf(name, sizeof name, "%.*s.client-%u", sotto_i_fitting(data->name, 200), data->name,
                   (unsigned)c + 1);
    SOTTO_TRY(sotto_dataset_take(&out[c], data, items, count, name, err));
  }
done:
  sotto_i_free(items);
  for (uint32_t c = 0; status != SOTTO_OK && c < clients; c++) sotto_dataset_free(&out[c]);
  return status;
}
