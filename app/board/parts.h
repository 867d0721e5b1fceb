/* The page of a live board and its parts; a part is sent again when it changes. */
#ifndef SOTTO_APP_BOARD_PARTS_H
#define SOTTO_APP_BOARD_PARTS_H

#include "view.h"

/* The parts of the page; part i is the element with id board_ids[i]. */
enum { BOARD_PARTS = 6 };
extern const char *const board_ids[BOARD_PARTS];

/* HTML of one part, fresh; NULL: out of memory. `now` is a time of sotto_i_seconds. */
char *board_part(const board_view *view, size_t part, double now);
/* The whole page, which is complete without JavaScript. */
char *board_page(const board_view *view, double now);

#endif
