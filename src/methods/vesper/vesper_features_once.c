/* Encoders that the label party trains with features which it received once. While the thread runs it owns
 * the encoders and its end of the inner link; the other end is the caller's. */
#include "vesper_features_once.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"

/* More columns cannot be asked of a label party's memory. */
enum { most_columns = 1 << 16 };

static const char columns_name[] = "features.columns", features_name[] = "features",
                  weights_name[] = "encoder.weights";
static const char *const features_reason = "each node's own features, which the label party may know: this "
                                           "adjacency does not protect them";
static const char *const weights_reason =
    "the encoders' weights; they depend on labels and can reveal them to the data party";
static const char given_up[] = "the label party's own training stopped";

struct sotto_i_features_once {
  const sotto_i_job *job;
  sotto_link *link, *inner, *other; /* to the data party; both ends inside this process */
  uint8_t *bytes;                   /* of all rows, as they came */
  sotto_i_row_source rows;
  sotto_i_encoders encoders;
  pthread_t thread;
  bool running;
  sotto_status status;
  sotto_error error;
};

bool sotto_i_shares_features(const sotto_options *options) {
  return sotto_i_vesper_settings_of(options)->share_features == SOTTO_I_SHARE_FEATURES_ONCE;
}

sotto_status sotto_i_round_shared(sotto_matrix *rows, const sotto_options *options, sotto_error *err) {
  return sotto_i_shares_features(options) ? sotto_i_round_rows(rows, SOTTO_I_ROUNDED, err) : SOTTO_OK;
}

void sotto_i_exchange_add_features(sotto_i_exchanged *to, const sotto_options *options,
                                   const sotto_i_exchange_shape *shape, size_t networks) {
  to->to_label += sotto_i_exchange_rows(1, 1, SOTTO_FORMAT_FLOAT32) +
                  sotto_i_exchange_rows((double)shape->nodes, shape->columns, SOTTO_I_ROUNDED);
  to->to_data +=
      (double)networks * sotto_i_exchange_rows((double)shape->columns + 1, sotto_i_embedding_width(options),
                                               SOTTO_FORMAT_FLOAT32); /* and a bias */
  to->trips++;
}

sotto_status sotto_i_features_send(sotto_link *link, const sotto_i_row_source *rows, sotto_error *err) {
  float columns = (float)rows->cols, *room = NULL;
  const sotto_matrix number = {&columns, 1, 1};
  sotto_status status;
  if (rows->cols > most_columns)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "share-features: the features have %zu columns, and at most %d can be sent; train "
                        "with share-features no",
                        rows->cols, most_columns);
  SOTTO_TRY(sotto_link_send_public(link, columns_name, &number, err));
  if (rows->matrix == NULL)
    SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * rows->cols, sizeof *room, err));
  for (size_t first = 0; first < rows->rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = rows->rows - first;
    sotto_matrix window;
    SOTTO_TRY(sotto_i_row_source_rows(&window, rows, room, first,
                                      left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS, err));
    SOTTO_TRY(sotto_i_link_send_rounded(link, features_name, features_reason, &window, err));
  }
done:
  sotto_i_free(room);
  return status;
}

sotto_status sotto_i_weights_receive(sotto_i_encoders *e, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 0; k < e->folds.count; k++)
    for (size_t i = 0; i < sotto_params_count(e->halves.params[k]); i++) {
      sotto_matrix *value = sotto_params_value(e->halves.params[k], i);
      const sotto_expectation expected = {weights_name, SOTTO_WIRE_EXPOSED, value->rows, value->cols, 0};
      SOTTO_TRY(sotto_link_receive(e->link, value, &expected, err));
    }
done:
  return status;
}

static sotto_status send_weights(const sotto_i_features_once *o, sotto_error *err) {
  const sotto_i_halves *halves = &o->encoders.halves;
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 0; k < halves->count; k++)
    for (size_t i = 0; i < sotto_params_count(halves->params[k]); i++)
      SOTTO_TRY(sotto_link_send_exposed(o->link, weights_name, weights_reason,
                                        sotto_params_value(halves->params[k], i), err));
done:
  return status;
}

static sotto_status read_rows(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  const sotto_i_features_once *o = context;
  const size_t cols = o->rows.cols;
  (void)err;
  sotto_i_decode_rows(out, o->bytes + first * sotto_i_row_bytes(SOTTO_I_ROUNDED, cols), count, cols,
                      SOTTO_I_ROUNDED);
  return SOTTO_OK;
}

static sotto_status receive_columns(sotto_i_features_once *o, sotto_error *err) {
  float number;
  sotto_matrix to = {&number, 1, 1};
  const sotto_expectation expected = {columns_name, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  const sotto_status status = sotto_link_receive(o->link, &to, &expected, err);
  if (status != SOTTO_OK) return status;
  if (!(number >= 1 && number <= most_columns && number == floorf(number)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "features.columns: the data party says %g; there are 1 to %d",
                        (double)number, most_columns);
  const uint64_t nodes = o->job->data->graph.nodes;
  if (!sotto_i_fits_memory(nodes * sotto_i_row_bytes(SOTTO_I_ROUNDED, (size_t)number)))
    return sotto_i_fail(
        err, SOTTO_NOMEM,
        "features: %g columns of %llu nodes take more than half of this machine's memory; train "
        "with share-features no, or on a larger machine",
        (double)number, (unsigned long long)nodes);
  o->rows = (sotto_i_row_source){
      .rows = o->job->data->graph.nodes, .cols = (size_t)number, .read = read_rows, .context = o};
  return SOTTO_OK;
}

/* Rounding once more changes nothing, so the rows are kept in the bytes in which they came. */
static sotto_status receive_rows(sotto_i_features_once *o, sotto_error *err) {
  const size_t cols = o->rows.cols, size = sotto_i_row_bytes(SOTTO_I_ROUNDED, cols);
  sotto_matrix room = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&room, SOTTO_I_WINDOW_ROWS, cols, err));
  SOTTO_TRY(sotto_i_new_raw(&o->bytes, o->rows.rows, size, err));
  for (size_t first = 0; first < o->rows.rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = o->rows.rows - first;
    sotto_matrix window = {room.data, left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS, cols};
    const sotto_expectation expected = {features_name, SOTTO_WIRE_EXPOSED, window.rows, cols, 0};
    SOTTO_TRY(sotto_i_link_receive_rounded(o->link, &window, &expected, err));
    sotto_i_encode_rows(o->bytes + first * size, window.data, window.rows, cols, SOTTO_I_ROUNDED);
  }
done:
  sotto_matrix_free(&room);
  return status;
}

sotto_status sotto_i_features_once_new(sotto_i_features_once **out, const sotto_i_job *job, sotto_link *link,
                                       sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(out, 1, sizeof **out, err));
  (*out)->job = job;
  (*out)->link = link;
  SOTTO_TRY(receive_columns(*out, err));
  SOTTO_TRY(receive_rows(*out, err));
done:
  return status;
}

const sotto_i_row_source *sotto_i_features_once_rows(const sotto_i_features_once *o) {
  return &o->rows;
}

static void *train(void *context) {
  sotto_i_features_once *o = context;
  sotto_i_encoders *e = &o->encoders;
  sotto_i_halves_place place = {&e->halves, NULL, o->job->options->encoder_epochs, 0};
  o->status = sotto_i_encoders_train(e, &place, &o->error);
  if (o->status == SOTTO_OK) o->status = sotto_i_encoders_send(e, &o->error);
  if (o->status != SOTTO_OK) sotto_link_close(e->link, given_up);
  return NULL;
}

sotto_status sotto_i_features_once_begin(sotto_i_features_once *o, sotto_link **inner,
                                         const sotto_split *split, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_link_pair(&o->inner, &o->other, err));
  o->encoders = (sotto_i_encoders){.job = o->job, .link = o->other, .split = split, .rows = &o->rows};
  SOTTO_TRY(sotto_i_encoders_new(&o->encoders, err));
  if (!sotto_i_thread_start(&o->thread, train, o))
    return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for the encoders");
  o->running = true;
  *inner = o->inner;
done:
  return status;
}

sotto_status sotto_i_features_once_end(sotto_i_features_once *o, sotto_status status, sotto_error *err) {
  if (!o->running) return status;
  if (status != SOTTO_OK) sotto_link_close(o->inner, given_up);
  pthread_join(o->thread, NULL);
  o->running = false;
  if (o->status != SOTTO_OK && strcmp(o->error.text, given_up) != 0) {
    if (err != NULL) *err = o->error;
    return o->status;
  }
  return status == SOTTO_OK ? send_weights(o, err) : status;
}

void sotto_i_features_once_free(sotto_i_features_once *o) {
  if (o == NULL) return;
  sotto_i_encoders_free(&o->encoders);
  sotto_link_free(o->inner);
  sotto_link_free(o->other);
  sotto_i_free(o->bytes);
  sotto_i_free(o);
}
