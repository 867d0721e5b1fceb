/* Words of the name of a column: acct_from has acct and from, nameOrig has name and orig. */
#include "name_words.h"

#include <ctype.h>
#include <string.h>

enum { longest = 80 }; /* bytes of a name that are looked at */

/* A name in small letters, with one blank before each of its words and behind the last: " acct from ". */
static void part_name(char out[2 * longest + 3], const sotto_i_field *name) {
  size_t used = 0;
  out[used++] = ' ';
  for (size_t i = 0; i < name->size && i < longest; i++) {
    const unsigned char byte = name->text[i], before = i == 0 ? ' ' : name->text[i - 1];
    const bool begins = (isupper(byte) && islower(before)) || (isdigit(byte) && isalpha(before));
    if (!isalnum(byte) && byte < 0x80) {
      if (out[used - 1] != ' ') out[used++] = ' ';
      continue;
    }
    if (begins && out[used - 1] != ' ') out[used++] = ' ';
    out[used++] = (char)tolower(byte);
  }
  if (out[used - 1] != ' ') out[used++] = ' ';
  out[used] = '\0';
}

/* What a letter or number is counted of: node_a, id1. Before others it may be an id itself: C-1. */
static bool begins_with_kind(const char *parts) {
  static const char *const kinds[] = {" id ",   " node ", " vertex ", " entity ",   " account ",
                                      " acct ", " user ", " person ", " customer ", " member "};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp(parts, kinds[i], strlen(kinds[i])) == 0) return true;
  return false;
}

bool sotto_i_name_has_word(const sotto_i_field *name, const char *word) {
  char parts[2 * longest + 3], wanted[longest];
  part_name(parts, name);
  const size_t size = strlen(word);
  wanted[0] = ' ';
  memcpy(wanted + 1, word, size);
  memcpy(wanted + 1 + size, " ", 2);
  const bool alone = strcmp(word, "u") == 0 || strcmp(word, "v") == 0;
  return strstr(parts, wanted) != NULL && (size > 1 || alone || begins_with_kind(parts));
}
