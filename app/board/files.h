/* Files of this folder that are compiled into the program (cmake/embed.cmake): zero-terminated texts. */
#ifndef SOTTO_APP_BOARD_FILES_H
#define SOTTO_APP_BOARD_FILES_H

extern const char board_js[], board_css[], board_svg[];

#endif
