/* CARIBOU (paper 002) in its sound form (DESIGN section 4): a degree floor instead of the graph's own least
 * degree, rows projected to the unit ball, the noise of the last layer last, and nothing of the layers before
 * it. */
#include "base/error.h"
#include "central.h"

sotto_status sotto_i_caribou_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_central c = {.job = job};
  sotto_status status;
  SOTTO_TRY(sotto_i_central_begin(&c, out, job, err));
  SOTTO_TRY(sotto_i_central_release(&c, err));
  SOTTO_TRY(sotto_i_central_finish(&c, out, err));
done:
  sotto_i_central_free(&c);
  return status;
}
