/* sotto run: its verbs, or a run. */
#include "party.h"

#include <stdio.h>
#include <string.h>

static void print_forms(void) {
  (void)puts("usage: sotto run check RUN.yaml --role ROLE ...                all checks before the run\n"
             "       sotto run predict RUN --role ROLE ...                   predictions of a finished run\n"
             "       sotto run RUN.yaml [--data PATH] ...                    a run of a joined consortium\n"
             "       sotto run RUN.yaml --role ROLE [--listen HOST:PORT] --peer NAME[=HOST:PORT] ... [--data "
             "PATH] "
             "...\n");
}

static int print_help(void) {
  print_forms();
  (void)puts(
      "One party of a run over mutual TLS 1.3. All have the same run file with the agreed options. Each "
      "gives\n"
      "its own data, ledger and paths on its command line, and there too all that weakens privacy\n"
      "(--insecure-seed, --accounting paper, --epsilon inf, --adjacency none, a --method without noise). Of "
      "two parties\n"
      "either may listen. An interrupted run continues with the same command.\n\n"
      "  --role ROLE            of two parties: data (graph and features) or label (labels; a table with id "
      "and label will do)\n"
      "                         of holders: server, or holder1 to holderI, each to all others\n"
      "                         of vesper with --holders I: label, or holder1 to holderI, each to label "
      "alone\n"
      "                         of clients: server, or client1 to clientN, each to the server alone; with\n"
      "                         update-bound also helper, a second server\n"
      "                         (`sotto methods` says who takes part in which method)\n"
      "  --listen HOST:PORT     address for peers that are named without one\n"
      "  --peer NAME[=HOST:PORT]  another party, by the name in its certificate, and where it listens; once "
      "for "
      "each\n"
      "  --proxy HOST:PORT      connect to peers through this HTTP proxy (CONNECT)\n"
      "  --dir FOLDER           key, certificate, trusted certificates [$SOTTO_PARTY, else party]; nobody "
      "else may "
      "write\n"
      "                         to it\n"
      "  --agree DIGEST         of a run: end with a message unless the terms have this digest (sotto "
      "consortium terms)\n"
      "  --insecure-loopback    no TLS, and no address but this machine's loopback; peers are named by their "
      "roles\n"
      "  --rank-parts WORD      over processes of mpirun, which the data party of vesper may be: random "
      "blocks "
      "of nodes [random],\n"
      "                         or metis\n"
      "  --align                of two parties: find the common ids first; rows of others are left out\n"
      "  --json                 the result as one line of JSON, the last on stdout\n"
      "  --KEY VALUE            any option of `sotto train`; --out is runs/RUN-ROLE unless given\n\n"
      "example, on two machines that trust each other:\n"
      "  sotto run run.yaml --role data --data graph.sotto --listen 0.0.0.0:7443 --peer partner\n"
      "  sotto run run.yaml --role label --data labels.csv --peer bank=bank.example:7443\n\n"
      "example, a server and two holders:\n"
      "  sotto run run.yaml --role server --listen 0.0.0.0:7443 --peer bank --peer shop\n"
      "  sotto run run.yaml --role holder1 --data bank.sotto --listen 0.0.0.0:7444 --peer "
      "server=hub.example:7443 \\\n"
      "    --peer shop\n"
      "  sotto run run.yaml --role holder2 --data shop.sotto --peer server=hub.example:7443 \\\n"
      "    --peer bank=bank.example:7444");
  return EXIT_DONE;
}

int cli_run(int argc, char **argv) {
  if (argc == 0) {
    (void)print_help();
    return EXIT_USAGE;
  }
  if (strcmp(argv[0], "predict") == 0)
    return party_predict(argc - 1, argv + 1); /* has a help text of its own */
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0) return print_help();
  return strcmp(argv[0], "check") == 0 ? party_check(argc - 1, argv + 1) : party_run(argc, argv);
}
