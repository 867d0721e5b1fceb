/* Options of the group TABLES: how a run reads its tables. */
#include <string.h>

#include "base/error.h"
#include "options.h"
#include "sotto/model.h"

static const char *text_or_null(const char *text) {
  return text[0] == '\0' ? NULL : text;
}

/* The number of the word in the list, which ends with NULL; an empty word is the first. */
static sotto_status word_of(int *out, const char *key, const char *word, const char *const *words,
                            const char *what, sotto_error *err) {
  for (int i = 0; words[i] != NULL; i++)
    if (word[0] == '\0' || strcmp(words[i], word) == 0) return *out = i, SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: '%.40s'; it is %s", key, word, what);
}

sotto_status sotto_table_options(sotto_import_options *out, const sotto_options *o, sotto_error *err) {
  static const char *const fillings[] = {"refuse", "mean", "zero", NULL}, *const signs[] = {".", ",", NULL},
                           *const headers[] = {"", "yes", "no", NULL};
  static const char *const directions[] = {"", "keep", "drop", NULL};
  int missing = 0, sign = 0, header = 0, direction = 0;
  sotto_status status;
  *out = (sotto_import_options){.source = text_or_null(o->source),
                                .target = text_or_null(o->target),
                                .amount = text_or_null(o->amount),
                                .time = text_or_null(o->time),
                                .kind = text_or_null(o->kind),
                                .nodes_table = text_or_null(o->nodes),
                                .edges_to_others = text_or_null(o->edges_to_others),
                                .label = text_or_null(o->label),
                                .regression = o->task == SOTTO_TASK_REGRESSION,
                                .types = text_or_null(o->types)};
  /* a given empty list turns the usual words off */
  if (sotto_i_option_given(o, "missing-words")) out->missing_words = o->missing_words;
  SOTTO_TRY(word_of(&missing, "missing", o->missing, fillings,
                    "mean or zero; without it a missing value is refused", err));
  SOTTO_TRY(word_of(&sign, "decimal", o->decimal, signs, ". or ,", err));
  SOTTO_TRY(
      word_of(&header, "header", o->header, headers, "yes or no; without it the first lines decide", err));
  SOTTO_TRY(word_of(&direction, "direction", o->direction, directions,
                    "keep or drop; without it rows with an amount, a time or a kind are transfers", err));
  out->directed = direction == 1;
  out->undirected = direction == 2;
  out->missing = (sotto_missing)missing;
  out->decimal_comma = sign == 1;
  out->header = (sotto_header)header;
done:
  return status;
}
