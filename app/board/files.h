/* Files of this folder, which the program carries (cmake/embed.cmake): texts that end with a zero. */
#ifndef SOTTO_APP_BOARD_FILES_H
#define SOTTO_APP_BOARD_FILES_H

extern const char board_js[], board_css[], board_svg[];

#endif
