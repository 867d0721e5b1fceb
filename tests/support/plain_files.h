/* Files of tests: written from a text, compared by bytes. */
#ifndef SOTTO_TESTS_PLAIN_FILES_H
#define SOTTO_TESTS_PLAIN_FILES_H

/* Writes the text as the file, anew. */
void check_write_text(const char *path, const char *text);
/* Two files with the same bytes. */
void check_same_files(const char *a, const char *b);

#endif
