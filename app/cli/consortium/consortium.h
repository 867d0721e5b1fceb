/* sotto consortium: its forms. */
#ifndef SOTTO_APP_CLI_CONSORTIUM_H
#define SOTTO_APP_CLI_CONSORTIUM_H

int consortium_invite(int argc, char **argv);
int consortium_join(int argc, char **argv);
int consortium_terms(int argc, char **argv);

#endif
