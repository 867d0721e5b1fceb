/* GAP (Sajadmanesh et al. 2023; a baseline of paper 002): K noisy sums of normalised embeddings, without the
 * own row, all of them released; the classifier reads every layer. */
#include "base/error.h"
#include "central.h"

sotto_status sotto_i_gap_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_central c = {.job = job};
  sotto_status status;
  SOTTO_TRY(sotto_i_central_begin(&c, out, job, err));
  SOTTO_TRY(sotto_i_central_release(&c, err));
  SOTTO_TRY(sotto_i_central_finish(&c, out, err));
done:
  sotto_i_central_free(&c);
  return status;
}
