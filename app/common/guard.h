/* Protection of the process before it holds any key: core dumps, tracing. */
#ifndef SOTTO_APP_COMMON_GUARD_H
#define SOTTO_APP_COMMON_GUARD_H

/* Switches core dumps and tracing by other processes of this user off, since memory holds keys and private
 * data. $SOTTO_CORE_DUMPS, not empty, leaves both on, and a line on stderr says so. From then on a mapped
 * file that is cut short ends the program with a sentence and exit status 1. */
void app_guard_process(void);

#endif
