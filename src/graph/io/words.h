/* The form in which ids and words are compared: without blanks around, Unicode NFC. */
#ifndef SOTTO_SRC_GRAPH_IO_WORDS_H
#define SOTTO_SRC_GRAPH_IO_WORDS_H

#include "sotto/base.h"

/* Bytes of an id, or of a word of a category: what is longer is a text, or a quote or separator that lacks.
 */
enum { SOTTO_I_LONGEST_WORD = 1 << 16 };

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
/* Whether a word is decimal digits of other scripts than ASCII alone: full-width, Arabic. */
bool sotto_i_word_is_foreign_number(const sotto_i_field *word);
/* Whether a word has U+FFFD, or UTF-8 that was read as Latin-1 and written again, as a word with U+00C3
 * before U+00BC has: an earlier program spoilt it. */
bool sotto_i_word_is_spoilt(const sotto_i_field *word);
/* sotto_i_word_settle of a text that ends with a zero byte. */
sotto_status sotto_i_text_settle(const char **text, sotto_i_texts *texts, sotto_error *err);

#endif
