/* Round trips and bursts over a link. */
#include "line.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"

enum { trips = 5, piece_words = 16384, piece_bytes = 4 * piece_words, most_pieces = 32 };
static const char trip_name[] = "line.trip", piece_name[] = "line.burst", count_name[] = "line.pieces",
                  result_name[] = "line.result";
static const double longest_burst = 4; /* seconds, by the time that one piece takes */

static sotto_status send_words(sotto_link *link, const char *name, const void *words, size_t count,
                               sotto_error *err) {
  const sotto_words sent = {name, SOTTO_WIRE_PUBLIC, NULL, words, 1, count};
  return sotto_link_send_words(link, &sent, err);
}

static sotto_status receive_words(sotto_link *link, const char *name, void *words, size_t count,
                                  sotto_error *err) {
  const sotto_expectation expected = {name, SOTTO_WIRE_PUBLIC, 1, count, 0};
  return sotto_link_receive_words(link, words, &expected, err);
}

/* One question of so many words, and an answer of one. */
static sotto_status ask(double *seconds, sotto_link *link, const char *name, const uint32_t *words,
                        size_t count, sotto_error *err) {
  uint32_t answer;
  const double begun = sotto_i_seconds();
  sotto_status status;
  SOTTO_TRY(send_words(link, name, words, count, err));
  SOTTO_TRY(receive_words(link, trip_name, &answer, 1, err));
  *seconds = sotto_i_seconds() - begun;
done:
  return status;
}

static sotto_status answer(sotto_link *link, const char *name, uint32_t *words, size_t count,
                           sotto_error *err) {
  const uint32_t reply = 0;
  const sotto_status status = receive_words(link, name, words, count, err);
  return status == SOTTO_OK ? send_words(link, trip_name, &reply, 1, err) : status;
}

/* The least of several round trips, and the number of pieces of a burst, by the time of the second piece: at
 * the first one TCP still sends little before it hears from the other end. */
static sotto_status lead(double *trip, uint32_t *pieces, sotto_link *link, const uint32_t *words,
                         sotto_error *err) {
  double seconds;
  sotto_status status = SOTTO_OK;
  *trip = INFINITY;
  for (int i = 0; i < trips; i++) {
    SOTTO_TRY(ask(&seconds, link, trip_name, words, 1, err));
    *trip = fmin(*trip, seconds);
  }
  for (int i = 0; i < 2; i++) SOTTO_TRY(ask(&seconds, link, piece_name, words, piece_words, err));
  *pieces = (uint32_t)fmin(most_pieces, fmax(1, longest_burst / fmax(seconds - *trip, 1e-9)));
  SOTTO_TRY(send_words(link, count_name, pieces, 1, err));
done:
  return status;
}

static sotto_status follow(uint32_t *pieces, sotto_link *link, uint32_t *words, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (int i = 0; i < trips; i++) SOTTO_TRY(answer(link, trip_name, words, 1, err));
  for (int i = 0; i < 2; i++) SOTTO_TRY(answer(link, piece_name, words, piece_words, err));
  SOTTO_TRY(receive_words(link, count_name, pieces, 1, err));
  if (*pieces < 1 || *pieces > most_pieces)
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "%s: the data party asks for %u pieces; there are 1 to %d",
                          count_name, *pieces, (int)most_pieces);
done:
  return status;
}

static sotto_status send_burst(sotto_link *link, const uint32_t *words, uint32_t pieces, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < pieces; i++) SOTTO_TRY(send_words(link, piece_name, words, piece_words, err));
done:
  return status;
}

/* The rate of the second half: at its beginning a burst is slower than the line. */
static sotto_status receive_burst(float *rate, sotto_link *link, uint32_t *words, uint32_t pieces,
                                  sotto_error *err) {
  const uint32_t before = pieces / 2;
  double begun = sotto_i_seconds();
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < pieces; i++) {
    if (i == before) begun = sotto_i_seconds();
    SOTTO_TRY(receive_words(link, piece_name, words, piece_words, err));
  }
  *rate = (float)((pieces - before) * (double)piece_bytes / fmax(sotto_i_seconds() - begun, 1e-6));
done:
  return status;
}

static sotto_status share_results(float results[3], sotto_link *link, bool is_data, sotto_error *err) {
  sotto_status status;
  const sotto_matrix row = {results, 1, 3};
  sotto_matrix to = row;
  const sotto_expectation expected = {result_name, SOTTO_WIRE_PUBLIC, 1, 3, 0};
  if (is_data) return sotto_link_send_public(link, result_name, &row, err);
  SOTTO_TRY(sotto_link_receive(link, &to, &expected, err));
done:
  return status;
}

/* The side that receives a burst says its rate. */
static sotto_status measure_rates(float results[3], sotto_link *link, bool is_data, uint32_t *words,
                                  uint32_t pieces, sotto_error *err) {
  sotto_status status;
  if (is_data) {
    SOTTO_TRY(send_burst(link, words, pieces, err));
    SOTTO_TRY(receive_words(link, result_name, &results[1], 1, err));
    SOTTO_TRY(receive_burst(&results[2], link, words, pieces, err));
  } else {
    SOTTO_TRY(receive_burst(&results[1], link, words, pieces, err));
    SOTTO_TRY(send_words(link, result_name, &results[1], 1, err));
    SOTTO_TRY(send_burst(link, words, pieces, err));
  }
  SOTTO_TRY(share_results(results, link, is_data, err));
done:
  return status;
}

sotto_status sotto_i_line_measure(sotto_i_line *out, sotto_link *link, bool is_data, sotto_error *err) {
  uint32_t *words = NULL, pieces = 0;
  double trip = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&words, piece_words, sizeof *words, err));
  SOTTO_TRY(is_data ? lead(&trip, &pieces, link, words, err) : follow(&pieces, link, words, err));
  float results[3] = {(float)trip};
  SOTTO_TRY(measure_rates(results, link, is_data, words, pieces, err));
  for (int i = 0; i < 3; i++)
    if (!(results[i] > 0 && results[i] < 1e15F)) {
      status = sotto_i_fail(err, SOTTO_PROTOCOL, "%s: the other party measured %g", result_name,
                            (double)results[i]);
      goto done;
    }
  *out = (sotto_i_line){results[0], results[1], results[2]};
done:
  sotto_i_free(words);
  return status;
}

double sotto_i_line_seconds(const sotto_i_line *line, const sotto_i_exchanged *exchange) {
  return exchange->to_label / line->to_label + exchange->to_data / line->to_data +
         exchange->trips * line->trip;
}
