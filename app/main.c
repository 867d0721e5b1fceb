/* sotto: the table of its verbs. */
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/ranks.h"

static const cli_verb verbs[] = {
    {"methods", cli_methods, "all methods, by situation", CLI_VERB_PLAIN},
    {"train", cli_train, "train a method on a dataset, all parties in this process", CLI_VERB_OWN_HELP},
    {"plan", cli_plan, "time, memory and traffic that a run would need, on one machine or many",
     CLI_VERB_PLAIN},
    {"identity", cli_identity, "this party's key and certificate, and whom it trusts", CLI_VERB_PLAIN},
    {"consortium", cli_consortium, "agree on a run with other parties: invite, join, terms", CLI_VERB_PLAIN},
    {"run", cli_run, "be one party of a run over a network; check, predict", CLI_VERB_SHOWN},
    {"data", cli_data, "info, import, generate, part, split, histogram", CLI_VERB_PLAIN},
    {"ledger", cli_ledger, "show what was released, set budgets", CLI_VERB_PLAIN},
    {"account", cli_account, "epsilon for a noise, noise for an epsilon", CLI_VERB_PLAIN},
    {"align", cli_align, "which ids several parties have in common, and nothing else", CLI_VERB_WATCHED},
    {"predict", cli_predict, "class probabilities from a finished run", CLI_VERB_PLAIN},
    {"serve", cli_serve, "answers of finished runs over HTTP, with health and metrics", CLI_VERB_LOGGED},
    {"audit", cli_audit, "attack a finished run, or test a mechanism, against what is stated",
     CLI_VERB_WATCHED},
    {"report", cli_report, "runs or a ledger as one page that anybody can read", CLI_VERB_PLAIN},
    {"statement", cli_statement, "check a run's privacy statement: signature, files, charges",
     CLI_VERB_PLAIN},
    {"compare", cli_compare, "distances between graphs; classification and clusters by them",
     CLI_VERB_WATCHED},
};

int main(int argc, char **argv) {
  const cli_program sotto = {
      .name = "sotto",
      .what = "sotto trains graph neural networks across parties that may not show each other their data.",
      .verbs = verbs,
      .verb_count = sizeof verbs / sizeof *verbs,
      .former = "party",
      .instead = "`sotto identity` has init, trust, list, renew and revoke; `sotto consortium` has invite, "
                 "join and terms; `sotto run` is a run, its check and its predict"};
  cli_call call;
  if (cli_program_begin(&call, &sotto, argc, argv) &&
      cli_ranks_may(&call.code, call.verb->name, call.argc, call.argv))
    call.code = call.verb->run(call.argc, call.argv);
  return cli_program_end(&call);
}
