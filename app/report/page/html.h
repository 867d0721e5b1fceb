/* A page under construction: text, tables, figures. All that is not a literal of ours is escaped. */
#ifndef SOTTO_APP_REPORT_PAGE_HTML_H
#define SOTTO_APP_REPORT_PAGE_HTML_H

#include <stdio.h>

#include "sotto/base.h"

typedef struct page {
  FILE *out;
  unsigned drawings;
  size_t columns, column; /* of the table that is open, and of the next cell in its row */
  bool owner;
  char id[16];       /* of the drawing that is open */
  const char *files; /* of a page that a server gives: elements of the head that name its style; else NULL */
} page;

typedef struct page_link {
  const char *id, *name;
} page_link;

/* The head, the heading and the list of sections, which ends with an id of NULL. */
void page_begin(page *p, const char *title, const char *note, const page_link *sections);
void page_end(page *p);
/* The style of all pages. */
void page_style(FILE *out);

/* HTML of ours. */
void page_put(page *p, const char *html);
/* Text, escaped as a whole, at most 4095 bytes. */
void page_say(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
void page_paragraph(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
void page_item(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
void page_section(page *p, const char *id, const char *heading);
void page_section_end(page *p);

/* A table that can be scrolled on a narrow screen. Cells go row by row; the first of a row is its heading. */
void page_table(page *p, const char *caption, const char *const *heads, size_t count);
void page_cell(page *p, const char *format, ...) SOTTO_PRINTF(2, 3);
/* "%.4g", or what stands for a number that is not there. */
void page_cell_number(page *p, double value, const char *missing);
/* The one form of a delta. */
void page_cell_delta(page *p, double delta);
void page_table_end(page *p);

/* A drawing with its title, and its numbers behind it: draw after page_figure, with the id p->id; then the
 * table; then page_figure_end. */
void page_figure(page *p, const char *title);
void page_figure_table(page *p, const char *caption, const char *const *heads, size_t count);
void page_figure_end(page *p);

/* The page is long enough: whoever writes a list ends it here with page_cut, since a page has at most 400 kB
 * and the files that it is made of may come from anyone. */
bool page_full(const page *p);
/* Says how many of a list are not on the page; nothing where none is missing. After the table. */
void page_cut(page *p, size_t shown, size_t all);

#define PAGE_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
