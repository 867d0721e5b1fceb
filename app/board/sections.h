/* Parts of a board in files of their own. */
#ifndef SOTTO_APP_BOARD_SECTIONS_H
#define SOTTO_APP_BOARD_SECTIONS_H

#include "report/page/parts.h"
#include "view.h"

/* One sentence: what the run is doing, or how it ended. */
void board_sentence(char *out, size_t size, const board_view *view);
void board_now(page *p, const board_view *view, double now);
void board_privacy(page *p, const board_view *view, double now);

#endif
