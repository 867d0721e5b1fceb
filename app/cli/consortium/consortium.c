/* sotto consortium: its forms. */
#include "consortium.h"

#include "cli/cli.h"

static const char help[] =
    "usage: sotto consortium invite RUN.yaml --role ROLE [--name NAME] [--address HOST:PORT]\n"
    "       sotto consortium join RUN.invite --role ROLE [--name NAME] [--address HOST:PORT] [--agree]\n"
    "       sotto consortium invite RUN.invite A.join B.join ...   all answers: writes RUN.consortium\n"
    "       sotto consortium join RUN.consortium [--confirm WORDS] trust all, once a person confirmed\n"
    "       sotto consortium terms RUN.yaml [--all]                agreed options, their digest\n"
    "\n"
    "Parties agree on a run: one invites, each answers, and all trust each other's keys. What they agree on "
    "is the\n"
    "run file. Then each starts its part with `sotto run RUN.yaml`.\n"
    "\n"
    "  --role ROLE            of this party in the run (sotto run --help lists them)\n"
    "  --name NAME            of this party, where it has no certificate yet\n"
    "  --address HOST:PORT    where the others reach this party; without it this party only connects\n"
    "  --agree                to the terms that are shown, without a question\n"
    "  --confirm WORDS        that a person has compared, without a question\n"
    "  --replace              the party trusts another key under this name; compare the words first\n"
    "  --file PATH            where the answer is written\n"
    "  --all                  options at their defaults too\n"
    "  --dir FOLDER           key, certificate, trusted certificates [$SOTTO_PARTY, else party]; nobody else "
    "may\n"
    "                         write to it\n"
    "\n"
    "example, of a bank that invites a partner:\n"
    "  sotto consortium invite run.yaml --role data --name bank --address bank.example:7443\n";

int cli_consortium(int argc, char **argv) {
  static const cli_form forms[] = {
      {"invite", consortium_invite}, {"join", consortium_join}, {"terms", consortium_terms}};
  return cli_take_form(forms, sizeof forms / sizeof *forms, help, argc, argv);
}
