/* Protection of the process before it holds any key: core dumps and tracing. */
#ifndef SOTTO_APP_COMMON_GUARD_H
#define SOTTO_APP_COMMON_GUARD_H

/* Disables core dumps, and tracing by other processes of this user, because memory holds keys and private
 * data. A non-empty $SOTTO_CORE_DUMPS leaves both enabled, which a line on stderr reports. Also, if a
 * mapped file is truncated, the program prints a sentence and ends with exit status 1. */
void app_guard_process(void);

#endif
