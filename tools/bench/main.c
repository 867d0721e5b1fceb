/* sotto-bench: tables and plots of methods over epsilons. A tool of the source, not installed. */
#include "bench.h"
#include "cli/program.h"

static const cli_verb verbs[] = {
    {"utility", app_bench_utility, "trains every method at every epsilon, writes tables and plots",
     CLI_VERB_WATCHED},
    {"merge", app_bench_merge, "puts the trainings of several machines together", CLI_VERB_PLAIN},
};

int main(int argc, char **argv) {
  const cli_program bench = {.name = "sotto-bench",
                             .what = "sotto-bench measures the accuracy of methods at levels of privacy.",
                             .verbs = verbs,
                             .verb_count = sizeof verbs / sizeof *verbs};
  cli_call call;
  if (cli_program_begin(&call, &bench, argc, argv)) call.code = call.verb->run(call.argc, call.argv);
  return cli_program_end(&call);
}
