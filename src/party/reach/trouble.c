/* Names of, and advice for, the causes that keep a party from running. */
#include "sotto/party.h"

static const struct {
  const char *word, *advice;
} rows[] = {
#define SOTTO_I_ROW(name, word, advice) {word, advice},
    SOTTO_TROUBLE_LIST(SOTTO_I_ROW)
#undef SOTTO_I_ROW
};

const char *sotto_trouble_word(sotto_trouble trouble) {
  return rows[trouble].word;
}

const char *sotto_trouble_advice(sotto_trouble trouble) {
  return rows[trouble].advice;
}
