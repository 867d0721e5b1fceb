/* A page being written: text, tables, figures. Everything but literals of this program is escaped. */
#ifndef SOTTO_APP_REPORT_PAGE_HTML_H
#define SOTTO_APP_REPORT_PAGE_HTML_H

#include <stdio.h>

#include "sotto/base.h"

typedef struct page {
  FILE *out;
  unsigned drawings;
  size_t columns, column;   /* of the open table, and of the next cell in its row */
  const char *const *heads; /* of the open table */
  bool owner;
  char id[16];       /* id of the open drawing */
  const char *files; /* head elements that link a server's style; NULL: the style is in the page */
} page;

typedef struct page_link {
  const char *id, *name;
} page_link;

/* Writes the head, the heading and the list of sections, which ends with an id of NULL. */
void page_begin(page *p, const char *title, const char *note, const page_link *sections);
void page_end(page *p);
/* The style of all pages. */
void page_style(FILE *out);

/* Writes HTML of this program. */
void page_put(page *p, const char *html);
/* Write escaped text of at most 4095 bytes. */
void page_say(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
void page_paragraph(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
void page_item(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
void page_section(page *p, const char *id, const char *heading);
void page_section_end(page *p);

/* A table. On a narrow screen each row of a table with three columns or more is a card, with the heading of
 * the column before each value. Cells go row by row; the first cell of a row is its heading. `heads` have to
 * stay until page_table_end. */
void page_table(page *p, const char *caption, const char *const *heads, size_t count);
void page_cell(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
/* A row of two cells; nothing if `value` is empty. */
void page_row(page *p, const char *name, const char *value);
/* Writes "%.4g", or `missing` if the value is not finite. */
void page_cell_number(page *p, double value, const char *missing);
/* Writes an epsilon in its one form, rounded up, or `missing` if it is not finite. */
void page_cell_epsilon(page *p, double epsilon, const char *missing);
/* Writes a delta in its standard form. */
void page_cell_delta(page *p, double delta);
void page_table_end(page *p);

/* A drawing with its title, followed by its numbers. Call page_figure, draw with the id p->id, write the
 * table, then call page_figure_end. */
void page_figure(page *p, const char *title);
void page_figure_table(page *p, const char *caption, const char *const *heads, size_t count);
void page_figure_end(page *p);

/* Is the page full? A list then ends with page_cut, since a page has at most 400 kB and its input files may
 * come from anyone. */
bool page_full(const page *p);
/* Writes how many items of a list are missing, if any. Call it after the table. */
void page_cut(page *p, size_t shown, size_t all);

#define PAGE_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
