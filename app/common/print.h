/* The only way to print to a terminal: text without control characters except line feeds and tabs. */
#ifndef SOTTO_APP_COMMON_PRINT_H
#define SOTTO_APP_COMMON_PRINT_H

#include <stdio.h>

#include "sotto/base.h"

/* fprintf to stdout or stderr with cleaned text (sotto_text_clean): names of data, files, peers and
 * accounts may contain anything. Out of memory: nothing is printed. */
void app_print(FILE *out, const char *format, ...) SOTTO_PRINTF(2, 3);
/* May colours be used: a terminal, and no NO_COLOR? */
bool app_has_colours(FILE *out);
/* One line in a colour ("green", "amber", "red"; NULL or another word: none), if colours may be used. */
void app_print_line(FILE *out, const char *colour, const char *line);

/* Of each path from the root in a text its last name alone stays: where files lie is not for those who ask
 * over a network. A name of this server, as /health, has one slash and stays. */
void app_hide_folders(char *text);

#endif
