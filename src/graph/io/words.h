/* The form in which ids and words are compared: without blanks around, Unicode NFC. */
#ifndef SOTTO_SRC_GRAPH_IO_WORDS_H
#define SOTTO_SRC_GRAPH_IO_WORDS_H

#include "sotto/base.h"

typedef struct sotto_i_field {
  const uint8_t *text;
  size_t size;
} sotto_i_field;

/* Memory of texts; each stays where it is until all are freed. Starts zeroed. */
typedef struct sotto_i_texts {
  uint8_t **chunks;
  size_t count, room, left;
} sotto_i_texts;
/* Copies a text. Errors: NOMEM. */
sotto_status sotto_i_texts_copy(sotto_i_texts *texts, sotto_i_field *out, const void *text, size_t size,
                                sotto_error *err);
void sotto_i_texts_free(sotto_i_texts *texts);

/* Whether a word is ASCII without blanks or line ends at its ends or inside: most are, and stay as they are.
 */
bool sotto_i_word_is_plain(const sotto_i_field *word);
/* Brings a word to the form: blanks of any width are taken off its ends, line ends inside become one blank,
 * and characters are composed (Unicode NFC). A word that changes is copied to the texts, and *changed is set;
 * others stay where they are. Errors: NOMEM. */
sotto_status sotto_i_word_settle(sotto_i_field *word, sotto_i_texts *texts, bool *changed, sotto_error *err);
/* The same of a text that ends with a zero byte. */
sotto_status sotto_i_text_settle(const char **text, sotto_i_texts *texts, sotto_error *err);

#endif
