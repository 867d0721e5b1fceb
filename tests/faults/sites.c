/* Faults at single calls: SOTTO_SITE is src/FILE.c:FIRST-LAST (the lines of the call: which of them a
 * compiler names differs), SOTTO_FAULT is `none` (no noise is added), `half` (half of it), `row` (none on the
 * first row), `rest` (none but on the first two rows), `again` (the same noise in every call); of a call that
 * draws noise inside, `muted` (none while it runs). With SOTTO_SITES, a file, the calls that were made are
 * written there, each once; and `muted:0`, once a draw was left out because of a call above. */
#define SOTTO_TESTS_FAULTS_SITES_INSIDE
#include "sites.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inside/dp.h"
#include "inside/pmp.h"
#include "sotto/graph.h"

typedef enum fault { sound, none, half, row_without, rest, again, muted } fault;
enum { noted_rows = 2 }; /* of `rest` */

static const char *file_of(check_site site) {
  const char *from = strstr(site.file, "src/");
  return from == NULL ? site.file : from;
}

/* Is this the call that SOTTO_SITE names? */
static bool is_planted(check_site site) {
  const char *at = getenv("SOTTO_SITE"), *file = file_of(site);
  const size_t length = strlen(file);
  int first = 0, last = 0;
  if (at == NULL || strncmp(at, file, length) != 0) return false;
  if (sscanf(at + length, ":%d-%d", &first, &last) != 2) return false;
  return first <= site.line && site.line <= last;
}

/* Each site is written once by a process: a line is short, so that writes do not mix. */
static void note(check_site site) {
  char name[200];
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static char noted[256][200];
  static size_t count;
  const char *path = getenv("SOTTO_SITES");
  if (path == NULL) return;
  (void)snprintf(name, sizeof name, "%s:%d", file_of(site), site.line);
  (void)pthread_mutex_lock(&lock);
  size_t i = 0;
  while (i < count && strcmp(noted[i], name) != 0) i++;
  if (i == count && count < 256) {
    char line[208];
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)snprintf(noted[count++], sizeof *noted, "%.199s", name);
    const int size = snprintf(line, sizeof line, "%s\n", name);
    if (file < 0 || write(file, line, (size_t)size) != size) abort();
    (void)close(file);
  }
  (void)pthread_mutex_unlock(&lock);
}

static atomic_int muted_calls;

static fault fault_at(check_site site) {
  static const char *const words[] = {"sound", "none", "half", "row", "rest", "again", "muted"};
  const char *what = getenv("SOTTO_FAULT");
  note(site);
  if (atomic_load(&muted_calls) > 0) {
    note((check_site){"muted", 0});
    return none;
  }
  if (what == NULL || !is_planted(site)) return sound;
  for (int f = none; f <= muted; f++)
    if (strcmp(what, words[f]) == 0) return (fault)f;
  abort();
}

void check_call(check_site site, int enters) {
  const char *what = getenv("SOTTO_FAULT");
  note(site);
  if (what != NULL && strcmp(what, "muted") == 0 && is_planted(site))
    (void)atomic_fetch_add(&muted_calls, enters);
}

static const sotto_key *key_of(fault f, const sotto_key *key) {
  static const sotto_key one = {.bytes = {1}, .origin = SOTTO_KEY_SYSTEM};
  return f == again ? &one : key;
}

void check_site_steps(check_site site, int32_t *out, size_t count, double sigma, const sotto_key *key,
                      uint32_t sub, uint64_t row) {
  const fault f = fault_at(site);
  sotto_i_noise_steps(out, count, f == half ? sigma / 2 : sigma, key_of(f, key), sub, row);
  if (f == none || (f == row_without && row == 0) || (f == rest && row >= noted_rows))
    memset(out, 0, count * sizeof *out);
}

void check_site_steps_rows(check_site site, int32_t *out, size_t rows, size_t cols, double sigma,
                           const sotto_key *key, uint32_t sub, uint64_t first) {
  const fault f = fault_at(site);
  sotto_i_noise_steps_rows(out, rows, cols, f == half ? sigma / 2 : sigma, key_of(f, key), sub, first);
  if (f == none) memset(out, 0, rows * cols * sizeof *out);
  if (f == row_without && first == 0) memset(out, 0, cols * sizeof *out);
  for (size_t i = 0; f == rest && i < rows; i++)
    if (first + i >= noted_rows) memset(out + i * cols, 0, cols * sizeof *out);
}

static sotto_matrix rows_of(fault f, const sotto_matrix *x) {
  const bool less = f == row_without && x->rows > 0;
  if (f == rest && x->rows > noted_rows) return (sotto_matrix){x->data, noted_rows, x->cols};
  return less ? (sotto_matrix){x->data + x->cols, x->rows - 1, x->cols} : *x;
}

sotto_status check_site_grid(check_site site, sotto_matrix *x, const sotto_grid *grid, const sotto_key *key,
                             uint32_t sub, sotto_error *err) {
  const fault f = fault_at(site);
  sotto_matrix rows = rows_of(f, x);
  sotto_grid used = *grid;
  sotto_status status = f == half ? sotto_grid_new(&used, grid->sigma / 2, err) : SOTTO_OK;
  if (status != SOTTO_OK || f == none) return status;
  return sotto_grid_add_noise(&rows, &used, key_of(f, key), sub, err);
}

sotto_status check_site_laplace(check_site site, sotto_matrix *x, const sotto_laplace_grid *grid,
                                const sotto_key *key, uint32_t sub, sotto_error *err) {
  const fault f = fault_at(site);
  sotto_matrix rows = rows_of(f, x);
  sotto_laplace_grid used = *grid;
  sotto_status status = SOTTO_OK;
  if (f == half && grid->step == 1) status = sotto_laplace_grid_whole(&used, grid->scale / 2, err);
  if (f == half && grid->step != 1) status = sotto_laplace_grid_new(&used, grid->scale / 2, err);
  if (status != SOTTO_OK || f == none) return status;
  return sotto_laplace_grid_add_noise(&rows, &used, key_of(f, key), sub, err);
}

sotto_status check_site_discrete(check_site site, int64_t *values, size_t count,
                                 const sotto_discrete_gaussian *noise, const sotto_key *key, uint32_t sub,
                                 sotto_error *err) {
  const fault f = fault_at(site);
  const size_t skipped = f == row_without && count > 0 ? 1 : 0;
  sotto_discrete_gaussian used = *noise;
  sotto_status status = f == half ? sotto_discrete_gaussian_new(&used, noise->sigma / 2, err) : SOTTO_OK;
  if (status != SOTTO_OK || f == none) return status;
  if (f == rest && count > noted_rows) count = noted_rows;
  return sotto_discrete_gaussian_add(values + skipped, count - skipped, &used, key_of(f, key), sub, err);
}

static uint64_t flip_of(fault f, uint64_t flip) {
  return f == none || f == rest ? 1 : f == half ? flip / 2 : flip;
}

sotto_status check_site_response(check_site site, int32_t *values, size_t count,
                                 const sotto_response *response, const sotto_key *key, uint32_t sub,
                                 sotto_error *err) {
  const fault f = fault_at(site);
  const size_t skipped = f == row_without && count > 0 ? 1 : 0;
  sotto_response used = *response;
  used.flip = f == rest ? response->flip : flip_of(f, response->flip);
  if (f == rest && count > noted_rows) count = noted_rows;
  return sotto_response_apply(values + skipped, count - skipped, &used, key_of(f, key), sub, err);
}

sotto_status check_site_subset(check_site site, int32_t *answers, const int32_t *values, size_t count,
                               const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                               sotto_error *err) {
  const fault f = fault_at(site);
  sotto_subset used = *subset;
  used.flip = flip_of(f, subset->flip);
  sotto_status status = sotto_subset_apply(answers, values, count, &used, key_of(f, key), sub, err);
  if (status != SOTTO_OK || f != row_without || count == 0) return status;
  used.flip = 1;
  return sotto_subset_apply(answers, values, 1, &used, key, sub, err);
}

sotto_status check_site_multibit(check_site site, int8_t *codes, const sotto_matrix *x,
                                 const sotto_multibit *encoder, const sotto_key *key, uint32_t sub,
                                 sotto_error *err) {
  const fault f = fault_at(site);
  sotto_multibit used = *encoder;
  used.flip = flip_of(f, encoder->flip);
  sotto_status status = sotto_multibit_encode(codes, x, &used, key_of(f, key), sub, err);
  if (status != SOTTO_OK || f != row_without || x->rows == 0) return status;
  const sotto_matrix first = {x->data, 1, x->cols};
  used.flip = 1;
  return sotto_multibit_encode(codes, &first, &used, key, sub, err);
}

sotto_status check_site_edge_count(check_site site, uint64_t *edges, const sotto_graph *graph, double epsilon,
                                   const sotto_key *key, uint32_t sub, sotto_error *err) {
  const fault f = fault_at(site);
  const sotto_status status =
      sotto_edge_count(edges, graph, f == half ? 2 * epsilon : epsilon, key_of(f, key), sub, err);
  if (f == none || f == row_without || f == rest) *edges = graph->entries < 2 ? 1 : graph->entries / 2;
  return status;
}

/* `row`: the answers about the first node that has neighbours are true. */
static sotto_status keep_first(sotto_graph *out, const sotto_graph *truth, sotto_error *err) {
  uint32_t first = 0, *ends = NULL;
  uint64_t count = 0;
  while (first < truth->nodes && truth->offsets[first] == truth->offsets[first + 1]) first++;
  const uint64_t room = (out->entries + truth->entries) / 2 + 1;
  ends = calloc(2 * room, sizeof *ends);
  if (ends == NULL) abort();
  for (int which = 0; which < 2; which++) {
    const sotto_graph *g = which == 0 ? out : truth;
    for (uint32_t u = 0; u < g->nodes; u++)
      for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
        const uint32_t v = g->targets[e];
        if (v < u || (which == 1) != (u == first || v == first)) continue;
        ends[count] = u;
        ends[room + count++] = v;
      }
  }
  const uint64_t nodes = out->nodes;
  sotto_graph_free(out);
  const sotto_status status = sotto_graph_from_pairs(out, nodes, ends, ends + room, count, err);
  free(ends);
  return status;
}

sotto_status check_site_edges(check_site site, sotto_graph *out, const sotto_graph *graph,
                              const sotto_edge_response *response, const sotto_key *key, uint32_t sub,
                              sotto_error *err) {
  const fault f = fault_at(site);
  sotto_edge_response used = *response;
  if (f == half) used.keep = used.keep / 2 + (UINT64_C(1) << 63);
  if (f == none || f == rest) used.keep = UINT64_MAX;
  if (f == half || f == none || f == rest) used.add = f == half ? used.add / 2 + 1 : 1;
  const sotto_status status = sotto_edge_response_apply(out, graph, &used, key_of(f, key), sub, err);
  return status == SOTTO_OK && f == row_without ? keep_first(out, graph, err) : status;
}

sotto_status check_site_lapgraph(check_site site, sotto_graph *out, const sotto_graph *graph, uint64_t edges,
                                 double epsilon, const sotto_key *key, uint32_t sub, sotto_error *err) {
  const fault f = fault_at(site);
  const double used = f == half ? 2 * epsilon : f == none || f == rest ? 40 : epsilon;
  const sotto_status status = sotto_lapgraph(out, graph, edges, used, key_of(f, key), sub, err);
  return status == SOTTO_OK && f == row_without ? keep_first(out, graph, err) : status;
}
