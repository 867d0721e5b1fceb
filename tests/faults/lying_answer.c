/* A party of a prediction that lies in what it sends, as $SOTTO_LIE says. The linker puts these functions in
 * the place of the library's (--wrap, tests/CMakeLists.txt). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"

sotto_status __real_sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err);
sotto_status __wrap_sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err);
sotto_status __real_sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                            const sotto_matrix *matrix, sotto_error *err);
sotto_status __wrap_sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                            const sotto_matrix *matrix, sotto_error *err);
sotto_status __real_sotto_i_link_send_rounded(sotto_link *link, const char *name, const char *reason,
                                              const sotto_matrix *matrix, sotto_error *err);
sotto_status __wrap_sotto_i_link_send_rounded(sotto_link *link, const char *name, const char *reason,
                                              const sotto_matrix *matrix, sotto_error *err);
sotto_status __real_sotto_i_link_send_charged(sotto_link *link, const char *name, const sotto_matrix *rows,
                                              const sotto_i_receipt *receipt, sotto_error *err);
sotto_status __wrap_sotto_i_link_send_charged(sotto_link *link, const char *name, const sotto_matrix *rows,
                                              const sotto_i_receipt *receipt, sotto_error *err);

static bool lies(const char *how) {
  const char *asked = getenv("SOTTO_LIE");
  return asked != NULL && strcmp(asked, how) == 0;
}

/* Words of these payloads, told otherwise. */
sotto_status __wrap_sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err) {
  uint32_t told[8] = {0};
  sotto_words changed = *words;
  const size_t count = words->rows * words->cols;
  if (count > 8) return __real_sotto_link_send_words(link, words, err);
  memcpy(told, words->data, count * sizeof *told);
  changed.data = told;
  if (strcmp(words->name, "asked") == 0 && lies("asked")) told[count - 1] = 0xFFFFFFFFU;
  if (strcmp(words->name, "asked.again") == 0 && lies("again")) told[0] = 0xFFFFFFFFU;
  if (strcmp(words->name, "asked.nodes") == 0 && lies("nodes")) told[0] = told[count - 1];
  if (strcmp(words->name, "asked.nodes") == 0 && lies("outside")) told[count - 1] = 0xFFFFFFFFU;
  if (strcmp(words->name, "answers.classes") == 0 && lies("classes")) told[0] = 0x7FFFFFFFU;
  if (strcmp(words->name, "answers.classes") == 0 && lies("class")) told[0] = 1;
  if (strcmp(words->name, "rounds") == 0 && lies("rounds")) told[0] = 9;
  if (strcmp(words->name, "rounds") == 0 && lies("clusters")) told[1] = 0xFFFFFFFFU;
  return __real_sotto_link_send_words(link, &changed, err);
}

typedef sotto_status send_fn(sotto_link *link, const char *name, const char *reason,
                             const sotto_matrix *matrix, sotto_error *err);

/* Rows that are too few, of another kind or name, not finite, or no probabilities. */
static sotto_status lie(send_fn *send, sotto_link *link, const char *name, const sotto_matrix *matrix,
                        sotto_error *err) {
  static const char why[] = "a lie";
  sotto_matrix told = {0};
  sotto_status status = sotto_matrix_new(&told, matrix->rows, matrix->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(told.data, matrix->data, matrix->rows * matrix->cols * sizeof(float));
  if (lies("rows")) told.rows--;
  if (lies("nan")) told.data[0] = NAN;
  if (lies("cluster")) told.data[0] = 4;
  if (lies("level")) told.data[1] = 0.5F;
  if (lies("sum")) told.data[0] += 0.5F;
  if (lies("negative")) {
    told.data[0] -= 2;
    told.data[1] += 2;
  }
  status = lies("kind") ? sotto_link_send_public(link, name, &told, err)
                        : send(link, lies("name") ? "other" : name, why, &told, err);
  sotto_matrix_free(&told);
  return status;
}

static bool lies_in_rows(void) {
  static const char *const all[] = {"rows", "nan", "sum", "negative", "kind", "name", "cluster", "level"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (lies(all[i])) return true;
  return false;
}

sotto_status __wrap_sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                            const sotto_matrix *matrix, sotto_error *err) {
  if (lies_in_rows()) return lie(__real_sotto_link_send_exposed, link, name, matrix, err);
  return __real_sotto_link_send_exposed(link, name, reason, matrix, err);
}

sotto_status __wrap_sotto_i_link_send_rounded(sotto_link *link, const char *name, const char *reason,
                                              const sotto_matrix *matrix, sotto_error *err) {
  if (lies_in_rows()) return lie(__real_sotto_i_link_send_rounded, link, name, matrix, err);
  return __real_sotto_i_link_send_rounded(link, name, reason, matrix, err);
}

/* Counts that are not charged, and that are not all. */
sotto_status __wrap_sotto_i_link_send_charged(sotto_link *link, const char *name, const sotto_matrix *rows,
                                              const sotto_i_receipt *receipt, sotto_error *err) {
  sotto_matrix fewer = *rows;
  if (lies("unpaid")) return __real_sotto_link_send_exposed(link, name, "a lie", rows, err);
  if (lies("counts")) fewer.cols--;
  return __real_sotto_i_link_send_charged(link, name, &fewer, receipt, err);
}
