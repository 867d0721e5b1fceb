/* Quality of a model from counts of answers, of some clients together. */
#include "federated.h"
#include "numbers.h"

sotto_quality sotto_i_fed_count_quality(const double *first, size_t stride, uint32_t tables, size_t classes) {
  double right = 0, all = 0, f1 = 0;
  for (size_t c = 0; c < classes; c++) {
    double hit = 0, both = 0;
    for (uint32_t i = 0; i < tables; i++) {
      const double *counts = first + i * stride;
      hit += counts[c * classes + c];
      for (size_t j = 0; j < classes; j++) both += counts[c * classes + j] + counts[j * classes + c];
    }
    right += hit;
    all += both / 2;
    f1 += both > 0 ? 2 * hit / both / (double)classes : 0;
  }
  sotto_quality out = sotto_i_quality_none();
  if (all > 0) out.of[SOTTO_MEASURE_ACCURACY] = right / all;
  if (all > 0) out.of[SOTTO_MEASURE_MACRO_F1] = f1;
  return out;
}

sotto_quality sotto_i_fed_quality(const sotto_i_fed_server *server, uint32_t first, uint32_t count,
                                  int part) {
  size_t classes = server->federation->classes, width = sotto_i_fed_answers_width(server->federation);
  double auc = 0, judged = 0;
  if (server->federation->numbers) return sotto_i_fed_numbers_quality(server, first, count, part);
  const double *from = server->evaluation + (2 * first + (size_t)part) * width;
  for (uint32_t i = 0; i < count; i++) {
    const double *counts = from + 2 * i * width;
    double items = 0;
    for (size_t j = 0; j + 1 < width; j++) items += counts[j];
    if (counts[width - 1] < 0) continue;
    auc += items * counts[width - 1];
    judged += items;
  }
  sotto_quality out = sotto_i_fed_count_quality(from, 2 * width, count, classes);
  if (judged > 0) out.of[SOTTO_MEASURE_AUC] = auc / judged;
  return out;
}
