/* A paper's own accounting, as a mechanism of `sotto account`. */
#ifndef SOTTO_APP_CLI_ACCOUNT_PAPER_H
#define SOTTO_APP_CLI_ACCOUNT_PAPER_H

/* argv[0] is "vesper-paper". Returns the exit status. */
int cli_account_vesper_paper(int argc, char **argv);

#endif
