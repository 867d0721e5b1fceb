/* One program of ranks under several names, which are links to it: the checks of this folder, the program,
 * and the program with a planted fault. */
#include <errno.h>
#include <string.h>

#include "faults.h"

int main_of_checks(int argc, char **argv);
int main_of_spread(int argc, char **argv);
int main_of_bench(int argc, char **argv);
int main_of_sotto(int argc, char **argv);

bool rank_fault(const char *name) {
  const char *started = program_invocation_short_name;
  return strncmp(started, "ranks_", 6) == 0 && strcmp(started + 6, name) == 0;
}

int main(int argc, char **argv) {
  if (rank_fault("checks")) return main_of_checks(argc, argv);
  if (rank_fault("spread")) return main_of_spread(argc, argv);
  if (rank_fault("bench")) return main_of_bench(argc, argv);
  return main_of_sotto(argc, argv);
}
