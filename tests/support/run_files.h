/* Files of run folders: copied, removed, changed, read. */
#ifndef SOTTO_TESTS_RUN_FILES_H
#define SOTTO_TESTS_RUN_FILES_H

#include "base/file.h"

/* FROM to TO, and FROM.made with it where there is one. */
void check_copy_artifact(const char *from, const char *to);
/* All of a folder. */
void check_copy_folder(const char *from, const char *to);
void check_remove_folder(const char *path);
/* Turns one bit of the file's last byte. */
void check_turn_a_bit(const char *path);
/* Fails unless the file has the same bytes as this map, which stays open. */
void check_same_file(const char *path, const sotto_i_map *before);

#endif
