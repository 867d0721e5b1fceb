/* Planned bytes and round trips between two parties. */
#include "exchange.h"

#include "party/wire/link/transport.h"
#include "split_sample.h"

double sotto_i_exchange_rows(double rows, size_t cols, sotto_wire_format format) {
  return rows * (double)sotto_i_row_bytes(format, cols);
}

/* Each batch of the step's sample waits for its gradient. The decision comes meanwhile. */
static void add_epoch(sotto_i_exchanged *to, const sotto_i_exchange_split *of, uint64_t epoch) {
  const sotto_i_sample train = sotto_i_sample_at(of->count[SOTTO_PART_TRAIN], epoch);
  const sotto_i_sample validation = sotto_i_sample_at(of->count[SOTTO_PART_VALIDATION], 0);
  const double trained = sotto_i_exchange_rows((double)train.count, of->width, SOTTO_I_ROUNDED);
  to->to_label += trained + sotto_i_exchange_rows((double)validation.count, of->width, SOTTO_I_ROUNDED);
  to->to_data += trained + sotto_i_exchange_rows(1, 1, SOTTO_FORMAT_FLOAT32);
  to->trips += (double)sotto_i_batch_count(train.count);
}

void sotto_i_exchange_add_split(sotto_i_exchanged *to, const sotto_i_exchange_split *of) {
  const double measured = (double)(of->count[SOTTO_PART_VALIDATION] + of->count[SOTTO_PART_TEST]);
  for (uint64_t epoch = of->first; epoch < of->epochs; epoch++) add_epoch(to, of, epoch);
  if (of->first < of->epochs) to->trips++; /* the last decision */
  if (!of->unmeasured) to->to_label += sotto_i_exchange_rows(measured, of->width, SOTTO_FORMAT_FLOAT32);
}
