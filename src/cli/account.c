/* sotto account: the Gaussian mechanism, exactly. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "sotto/dp.h"

int cli_account(int argc, char **argv) {
  const char *words[1], *noise = NULL, *delta = NULL;
  size_t count;
  bool json = false;
  const cli_flag flags[] = {{"noise", &noise, NULL}, {"delta", &delta, NULL}, {"json", NULL, &json}};
  double sigma = 0, d = 0, epsilon;
  sotto_error err = {0};
  if (!cli_parse(flags, 3, argc, argv, words, 1, &count)) return EXIT_USAGE;
  if (!cli_real(&sigma, noise, "noise") || !cli_real(&d, delta, "delta")) return EXIT_USAGE;
  if (sotto_gdp_epsilon(&epsilon, 1 / sigma, d, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  (void)printf("%.9g\n", epsilon);
  return EXIT_DONE;
}
