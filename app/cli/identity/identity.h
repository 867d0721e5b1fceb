/* sotto identity: this party's key and certificate, and the parties that it trusts. */
#ifndef SOTTO_APP_CLI_IDENTITY_H
#define SOTTO_APP_CLI_IDENTITY_H

#include "cli/cli.h"
#include "sotto/party.h"

int identity_init(int argc, char **argv);
int identity_trust(int argc, char **argv);
int identity_list(int argc, char **argv);
int identity_renew(int argc, char **argv);
int identity_revoke(int argc, char **argv);

#endif
