/* Steps of vfgnn's epochs: each party sets up the nodes of a step. */
#include "base/error.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/graph.h"
#include "vfgnn.h"

sotto_status sotto_i_vfgnn_batches(sotto_i_vfgnn_batch *out, const sotto_i_vfgnn *c, const sotto_split *split,
                                   sotto_error *err) {
  sotto_key key;
  sotto_i_key_derive(&key, &c->key, 3);
  return sotto_i_vfgnn_batch_new(out, split, c->nodes, c->job->options->batch_size, c->counts, &key, err);
}

sotto_status sotto_i_vfgnn_epoch_check(const sotto_i_vfgnn *c, uint64_t epoch, sotto_error *err) {
  const sotto_status status = sotto_i_check_interrupt(err);
  if (status != SOTTO_OK || epoch < sotto_i_vfgnn_epochs(c)) return status;
  return sotto_i_fail(err, SOTTO_PROTOCOL,
                      "the server asks for epoch %llu, and the run has %llu; nothing more is published",
                      (unsigned long long)epoch + 1, (unsigned long long)sotto_i_vfgnn_epochs(c));
}

sotto_status sotto_i_vfgnn_holder_step(sotto_i_vfgnn_holder *h, uint64_t epoch, size_t step,
                                       sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &h->batch;
  const sotto_dataset bare = {.graph = h->data->graph};
  sotto_status status;
  sotto_i_vfgnn_batch_go(&h->batch, epoch, step);
  if (sotto_i_vfgnn_batch_whole(b)) return SOTTO_OK;
  SOTTO_I_CHECK(h->shared->clear == NULL); /* that has full batches only */
  if (h->shared->collaborative) sotto_i_shared_take_rows(&h->first, b->rows, b->count);
  if (h->shared->counts) return SOTTO_OK; /* no edge is read */
  sotto_dataset_free(&h->step);
  SOTTO_TRY(sotto_dataset_take(&h->step, &bare, b->rows, b->count, "step", err));
  SOTTO_TRY(sotto_i_vfgnn_local_move(&h->local, &h->step.graph, err));
done:
  return status;
}

void sotto_i_vfgnn_server_step(sotto_i_vfgnn_server *s, uint64_t epoch, size_t step) {
  sotto_i_vfgnn_batch_go(&s->batch, epoch, step);
  if (sotto_i_vfgnn_batch_whole(&s->batch) || !s->shared->collaborative || s->shared->clear != NULL) return;
  sotto_i_shared_deal_rows(&s->dealer, s->batch.rows, s->batch.count);
}
