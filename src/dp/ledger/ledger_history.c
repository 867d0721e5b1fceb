/* History of an account's spending, composed from its entries. */
#include "ledger.h"

sotto_status sotto_ledger_visit_spent(sotto_ledger *ledger, const uint8_t key[32], const char *adjacency,
                                      size_t most, int (*visit)(void *context, const sotto_moment *moment),
                                      void *context, sotto_error *err) {
  const int level = sotto_i_level_of(adjacency);
  sotto_i_entry e = {0};
  sotto_i_sums sums = {0};
  sotto_spent all;
  int64_t number = 0;
  int stop = 0;
  sotto_status status;
  SOTTO_TRY(sotto_ledger_spent(ledger, &all, key, adjacency, err));
  const uint64_t each = most == 0 ? 1 : (all.charges + most - 1) / most;
  while (stop == 0 && sums.charges < all.charges) {
    SOTTO_TRY(sotto_i_ledger_next(&e, &number, ledger, err));
    if (number == 0) break;
    if (e.kind == SOTTO_I_ENTRY_CHARGE && sotto_i_state_contains(&ledger->state, key, e.account) &&
        sotto_i_level_moves(sotto_i_level_of(e.level), level) > 0) {
      sotto_moment moment = {.time = e.time, .run = e.run == NULL ? "" : e.run};
      SOTTO_TRY(sotto_i_sums_add(&sums, &e, sotto_i_level_moves(sotto_i_level_of(e.level), level), err));
      moment.charges = sums.charges;
      if (sums.charges % each == 0 || sums.charges == all.charges) {
        SOTTO_TRY(sotto_i_sums_epsilon(&moment.epsilon, &sums, all.delta, err));
        stop = visit(context, &moment);
      }
    }
    sotto_i_entry_free(&e);
  }
done:
  sotto_i_entry_free(&e);
  sotto_i_sums_free(&sums);
  return status;
}
