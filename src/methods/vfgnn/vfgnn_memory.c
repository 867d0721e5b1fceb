/* Memory of a run of vfgnn, by public numbers alone: a run that would not fit does not begin. */
#include "vfgnn_memory.h"

#include <unistd.h>

#include "base/error.h"
#include "base/reader.h"
#include "inside/nn.h"
#include "protocols/folds.h"
#include "run/settings/options.h"

/* Bytes for each node: four of a value in a table as wide as the first layer; of the lists of a step; of an
 * entry of the graph, in the data and in the operator of a hop. */
static const double of_value = 4, of_lists = 60, of_entry = 28;
/* A tape's memory grows by half at a time. What has no line here is a fifth. */
static const double growth = 1.5, others = 1.2, process_bytes = 2.5e8;
/* Of blocks of shares at each holder of columns beyond two, in one process with all of them. */
static const double block_bytes = 8e7;

sotto_i_vfgnn_size sotto_i_vfgnn_size_of(const sotto_options *o, size_t nodes, double degree) {
  const bool counts = sotto_i_holders_count(o), random = o->split == SOTTO_SPLITTING_RANDOM;
  return (sotto_i_vfgnn_size){.nodes = (double)nodes,
                              .degree = degree,
                              .holders = (double)o->holders,
                              .width = (double)o->hidden * (counts ? SOTTO_I_MOST_FOLDS : 1),
                              .hops = counts ? 0 : (double)o->layers,
                              .train = random ? o->train_share : 1,
                              .validation = random ? o->validation_share : 1,
                              .counts = counts,
                              .apart = sotto_i_has_labels_apart(o),
                              .shared =
                                  sotto_i_holder_settings_of(o)->initial != SOTTO_I_INITIAL_INDIVIDUALLY};
}

/* Tables as wide as the first layer, in rows for each node. */
static double learnt(const sotto_i_vfgnn_size *s) {
  const double rows = s->train + s->validation;
  return rows < 1 ? rows : 1;
}

/* The label holder's hidden rows, and its output layers on a tape. */
static double label_tables(const sotto_i_vfgnn_size *s) {
  return s->train + s->validation + growth * 3 * s->train;
}

static double holder_tables(const sotto_i_vfgnn_size *s, bool reader) {
  const double label = reader && !s->apart ? label_tables(s) : 0;
  if (!s->counts) return 2 + growth * (10 * s->hops + 4) + label;
  return s->train + (reader || !s->shared ? learnt(s) : 0) + label;
}

double sotto_i_vfgnn_holder_bytes(const sotto_i_vfgnn_size *s, double own, double all, bool reader) {
  const double columns = 2 * of_value * own + (s->shared ? sizeof(uint64_t) * (all - own) : 0);
  const double tables = of_value * s->width * holder_tables(s, reader);
  return process_bytes + others * s->nodes * (columns + tables + of_lists + of_entry * s->degree);
}

double sotto_i_vfgnn_server_bytes(const sotto_i_vfgnn_size *s) {
  const double senders = s->counts && s->shared ? 1 : s->holders;
  const double tables = s->counts ? senders * learnt(s) + s->train : senders + 2 + s->train;
  return process_bytes + others * s->nodes * (of_value * s->width * tables + of_lists);
}

/* Without counts it has hidden rows of test nodes, too. */
double sotto_i_vfgnn_apart_bytes(const sotto_i_vfgnn_size *s) {
  const double tested = s->counts ? 0 : 1;
  const double tables = of_value * s->width * (label_tables(s) + tested);
  return process_bytes + others * s->nodes * (tables + of_lists);
}

double sotto_i_vfgnn_all_bytes(const sotto_i_vfgnn_size *s, double columns) {
  const double own = columns / s->holders;
  sotto_i_vfgnn_size part = *s;
  part.degree = s->degree / s->holders;
  double bytes = sotto_i_vfgnn_server_bytes(s) +
                 s->nodes * (of_value * columns + of_value * s->degree); /* the data of all */
  for (size_t i = 0; i < (size_t)s->holders; i++)
    bytes += sotto_i_vfgnn_holder_bytes(&part, own, columns, i == 0) - process_bytes;
  if (s->holders > 2) bytes += (s->holders - 2) * block_bytes;
  if (s->apart) bytes += sotto_i_vfgnn_apart_bytes(s) - process_bytes;
  return bytes;
}

sotto_status sotto_i_vfgnn_check_memory(const char *who, double nodes, double need, double machine,
                                        sotto_error *err) {
  if (need <= machine) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOMEM,
                      "%s: %.0f nodes would need about %.1f GB of memory, and this machine has %.1f GB; take "
                      "fewer hidden columns, or a machine for each party",
                      who, nodes, need / 1e9, machine / 1e9);
}

double sotto_i_vfgnn_machine_bytes(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0 || sotto_i_memory_limit() > 0) return 1e300;
  return (double)pages * (double)page;
}
