/* The page of a live board, and its parts, which are sent again where they change. */
#ifndef SOTTO_APP_BOARD_PARTS_H
#define SOTTO_APP_BOARD_PARTS_H

#include "view.h"

/* HTML of a part of the page, whose element has the id board_ids[part]. */
enum { BOARD_PARTS = 6 };
extern const char *const board_ids[BOARD_PARTS];

/* Fresh memory, NULL without memory. `now` is of app_seconds. */
char *board_part(const board_view *view, size_t part, double now);
/* The page whole, for who reads without JavaScript too. */
char *board_page(const board_view *view, double now);

#endif
