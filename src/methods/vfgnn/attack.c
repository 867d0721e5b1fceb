/* The server of vfgnn attacks the holders' edges, from the rows that they published in every epoch, or from
 * counts. */
#include <string.h>

#include "attacks/attack.h"
#include "audit/inside/audit.h"
#include "base/error.h"
#include "base/memory.h"
#include "graph/features.h"
#include "run/parties/wire_log.h"
#include "vfgnn.h"

static const char sees_published[] =
    "the rows that each holder published, on the average over all epochs; holders are judged together";
static const char sees_counts[] =
    "how many neighbours of each node in each cluster each holder released; holders are judged together";
static const char sees_features[] =
    "the holders' features, which the server does not have: what similar features reveal without any edge";

typedef struct published {
  sotto_matrix
      mean[SOTTO_MOST_HOLDERS]; /* of all epochs: noise wears off, and what is in each of them stays */
  sotto_dataset parts[SOTTO_MOST_HOLDERS]; /* owned; empty when one holder has all */
  sotto_matrix dense[SOTTO_MOST_HOLDERS];  /* features of holders that are sparse */
} published;

static void drop(published *p) {
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++) {
    sotto_matrix_free(&p->mean[i]);
    sotto_matrix_free(&p->dense[i]);
    sotto_dataset_free(&p->parts[i]);
  }
  sotto_i_free(p);
}

static bool is_published(const char *name, const char *payload) {
  const char *what = name == NULL ? NULL : strchr(name, ' ');
  return what != NULL && strcmp(what + 1, payload) == 0;
}

static sotto_status add_epoch(sotto_matrix *sum, const sotto_matrix *rows, const char *folder,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (sum->data == NULL) status = sotto_matrix_new(sum, rows->rows, rows->cols, err);
  if (status == SOTTO_OK && (rows->rows != sum->rows || rows->cols != sum->cols))
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: rows of two epochs differ in shape", folder);
  for (size_t i = 0; status == SOTTO_OK && i < sum->rows * sum->cols; i++) sum->data[i] += rows->data[i];
  return status;
}

static sotto_status read_holder(sotto_matrix *mean, uint32_t holder, const char *name, const char *folder,
                                sotto_error *err) {
  const sotto_i_wire_end end = {SOTTO_ROLE_SERVER, holder + 1};
  size_t epochs = 0;
  bool found = true;
  for (uint64_t number = 1; found; number++) {
    sotto_dataset payload = {0};
    sotto_status status = sotto_i_wire_log_read(&payload, &found, folder, end, number, err);
    if (status == SOTTO_OK && found && is_published(payload.name, name)) {
      status = add_epoch(mean, &payload.features, folder, err);
      epochs++;
    }
    sotto_dataset_free(&payload);
    if (status != SOTTO_OK) return status;
  }
  if (epochs == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no recorded wire; train it with record-wire", folder);
  for (size_t i = 0; i < mean->rows * mean->cols; i++) mean->data[i] /= (float)epochs;
  return SOTTO_OK;
}

static sotto_status judge(sotto_i_attacked *a, const sotto_received *from, const char *variant,
                          const char *sees, sotto_error *err) {
  sotto_finding *f = sotto_i_finding(a, "received", variant, sees, err);
  if (f == NULL) return SOTTO_RANGE;
  return sotto_attack_received(&f->attacked, from, (size_t)a->options->holders, &a->ask.link, err);
}

sotto_status sotto_i_vfgnn_attack(sotto_i_attacked *a, const char *folder, sotto_error *err) {
  const size_t holders = (size_t)a->options->holders;
  const bool counts = sotto_i_vfgnn_by_counts(a->options);
  const sotto_i_job job = {.options = a->options, .data = a->data, .seed = a->out->seed};
  sotto_received rows[SOTTO_MOST_HOLDERS], own[SOTTO_MOST_HOLDERS];
  published *p = NULL;
  sotto_status status = sotto_i_new(&p, 1, sizeof *p, err);
  if (status != SOTTO_OK) return status;
  if (holders > 1) SOTTO_TRY(sotto_i_vfgnn_deal(p->parts, &job, err));
  for (size_t i = 0; i < holders; i++) {
    const sotto_dataset *data = holders > 1 ? &p->parts[i] : a->data;
    SOTTO_TRY(read_holder(&p->mean[i], (uint32_t)i, counts ? "counts" : "embeddings", folder, err));
    rows[i] = (sotto_received){&p->mean[i], 1, &data->graph};
    own[i] = (sotto_received){NULL, 1, &data->graph};
    SOTTO_TRY(sotto_i_features_dense(&own[i].layers, &p->dense[i], data, err));
  }
  SOTTO_TRY(judge(a, rows, "the server's view", counts ? sees_counts : sees_published, err));
  SOTTO_TRY(judge(a, own, "like features alone", sees_features, err));
done:
  drop(p);
  return status;
}
