/* sotto ledger restore: a backup in the place of the ledger. */
#include "cli/json.h"
#include "common/print.h"
#include "ledger.h"

int ledger_restore(const ledger_request *r) {
  sotto_error err = {0};
  char kept[SOTTO_LEDGER_ASIDE];
  if (r->word_count == 0) return cli_usage("restore needs the file of a backup: sotto ledger restore FILE");
  if (sotto_ledger_restore(kept, r->ledger, r->words[0], &err) != SOTTO_OK) return cli_error(&err);
  if (r->json)
    return cli_print_json(
        json_pack("{s:s,s:s?}", "restored", r->words[0], "kept", kept[0] == '\0' ? NULL : kept));
  app_print(stdout, "  restored  from %s\n", r->words[0]);
  if (kept[0] != '\0') app_print(stdout, "  kept      %s, what stood there\n", kept);
  cli_advise("charges after the backup are not in it: lower the budgets by them");
  return EXIT_DONE;
}
