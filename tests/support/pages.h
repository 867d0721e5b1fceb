/* Pages of HTML, as tests look at them. */
#ifndef SOTTO_TESTS_SUPPORT_PAGES_H
#define SOTTO_TESTS_SUPPORT_PAGES_H

/* What breaks a page that escapes too little: markup, quotes, the end of an attribute, a turn of direction.
 */
extern const char hostile[];

/* Fail the test unless the text has the words; if it has them. */
void expect_words(const char *text, const char *words);
void refuse_words(const char *text, const char *words);
/* Every element is closed, in order: what an XML parser would ask. `<` and `&` stand for markup alone. */
void expect_well_formed(const char *text);

#endif
