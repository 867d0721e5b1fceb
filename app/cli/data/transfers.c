/* Histograms of amounts, months, kinds and of transfers a relation. They are the owner's own figures, without
 * noise.
 */
#include "transfers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/print.h"

enum { least_decade = -2, amount_bins = 12, most_months = 36, row_bins = 6, bar_width = 30 };
static const double day_of_2000 = 10957, seconds_a_day = 86400;

typedef struct bin {
  char name[24];
  const char *word; /* borrowed, in place of the name; NULL: none */
  uint64_t count;
} bin;
typedef struct histogram {
  bin bins[most_months];
  size_t count;
} histogram;

static double amount_of(const sotto_transfers *t, uint64_t row) {
  return (double)t->amounts[row];
}

/* By decades: below 0.01, then from there on. */
static void count_amounts(histogram *h, const sotto_transfers *t) {
  h->count = amount_bins;
  (void)snprintf(h->bins[0].name, sizeof h->bins[0].name, "below %g", pow(10, least_decade));
  for (int k = 1; k < amount_bins; k++)
    (void)snprintf(h->bins[k].name, sizeof h->bins[k].name, "from %g", pow(10, least_decade + k - 1));
  for (uint64_t i = 0; i < t->count; i++) {
    const double decade = amount_of(t, i) > 0 ? floor(log10(amount_of(t, i))) - least_decade + 1 : 0;
    h->bins[(size_t)fmax(0, fmin(decade, amount_bins - 1))].count++;
  }
}

static struct tm date_of(double day) {
  const time_t seconds = (time_t)floor((day + day_of_2000) * seconds_a_day);
  struct tm out = {0};
  (void)gmtime_r(&seconds, &out);
  return out;
}

/* Number of a day's month, or of its year. */
static int period_of(double day, bool years) {
  const struct tm date = date_of(day);
  return years ? date.tm_year : 12 * date.tm_year + date.tm_mon;
}

static void count_times(histogram *h, const sotto_transfers *t) {
  double first = INFINITY, last = -INFINITY;
  for (uint64_t i = 0; i < t->count; i++) {
    first = fmin(first, t->times[i]);
    last = fmax(last, t->times[i]);
  }
  const bool years = period_of(last, false) - period_of(first, false) >= most_months;
  const int begin = period_of(first, years), periods = period_of(last, years) - begin + 1;
  const int each = (periods + most_months - 1) / most_months; /* periods a bin: more than one of centuries */
  h->count = (size_t)((periods + each - 1) / each);
  for (size_t k = 0; k < h->count; k++) {
    const int at = begin + (int)k * each;
    (void)snprintf(h->bins[k].name, sizeof h->bins[k].name, years ? "%04d" : "%04d-%02d",
                   1900 + (years ? at : at / 12), 1 + at % 12);
  }
  for (uint64_t i = 0; i < t->count; i++) h->bins[(period_of(t->times[i], years) - begin) / each].count++;
}

static void count_kinds(histogram *h, const sotto_transfers *t) {
  h->count = (size_t)t->kind_names.count;
  for (size_t k = 0; k < h->count; k++) h->bins[k].word = sotto_name(&t->kind_names, k);
  for (uint64_t i = 0; i < t->count; i++) h->bins[t->kinds[i]].count++;
}

static bool is_same_relation(const sotto_transfers *t, uint64_t i) {
  return (t->sources[i] == t->sources[i - 1] && t->targets[i] == t->targets[i - 1]) ||
         (t->sources[i] == t->targets[i - 1] && t->targets[i] == t->sources[i - 1]);
}

static void count_rows(histogram *h, const sotto_transfers *t) {
  static const char *const names[row_bins] = {"1", "2", "3 and 4", "5 to 8", "9 to 16", "17 and more"};
  uint64_t rows = 1;
  h->count = row_bins;
  for (int k = 0; k < row_bins; k++) (void)snprintf(h->bins[k].name, sizeof h->bins[k].name, "%s", names[k]);
  for (uint64_t i = 1; i <= t->count; i++) {
    if (i < t->count && is_same_relation(t, i)) {
      rows++;
      continue;
    }
    int k = 0;
    while (k + 1 < row_bins && rows > (uint64_t)1 << k) k++;
    h->bins[k].count++;
    rows = 1;
  }
}

static const char *name_of(const bin *b) {
  return b->word != NULL ? b->word : b->name;
}

static void trim(const histogram *h, size_t *first, size_t *end) {
  for (*first = 0; *first < h->count && h->bins[*first].count == 0;) ++*first;
  for (*end = h->count; *end > *first && h->bins[*end - 1].count == 0;) --*end;
}

static void print_histogram(const char *what, const histogram *h) {
  size_t first, end;
  uint64_t most = 1;
  trim(h, &first, &end);
  for (size_t k = first; k < end; k++)
    if (h->bins[k].count > most) most = h->bins[k].count;
  app_print(stdout, "  %s\n", what);
  for (size_t k = first; k < end; k++) {
    const int bar = (int)((h->bins[k].count * bar_width + most - 1) / most);
    app_print(stdout, "    %-12.40s %8llu %.*s\n", name_of(&h->bins[k]), (unsigned long long)h->bins[k].count,
              bar, "##############################");
  }
}

void data_print_transfers(const sotto_dataset *data) {
  const sotto_transfers *t = &data->transfers;
  histogram rows = {.count = 0}, amounts = {.count = 0}, times = {.count = 0}, kinds = {.count = 0};
  if (t->count == 0) return;
  app_print(stdout, "  transfers       %llu, directed, of %llu relations%s%s%s\n",
            (unsigned long long)t->count, (unsigned long long)(data->graph.entries / 2),
            t->amounts != NULL ? ", with amounts" : "",
            t->times == NULL     ? ""
            : t->amounts == NULL ? ", with times"
                                 : " and times",
            t->kinds == NULL ? "" : ", of kinds");
  count_rows(&rows, t);
  print_histogram("transfers of a relation", &rows);
  if (t->amounts != NULL) count_amounts(&amounts, t);
  if (t->amounts != NULL) print_histogram("amounts", &amounts);
  if (t->times != NULL) count_times(&times, t);
  if (t->times != NULL) print_histogram("times", &times);
  if (t->kinds != NULL) count_kinds(&kinds, t);
  if (t->kinds != NULL) print_histogram("kinds", &kinds);
}

static json_t *histogram_json(const histogram *h) {
  json_t *out = json_array();
  size_t first, end;
  trim(h, &first, &end);
  for (size_t k = first; k < end; k++)
    (void)json_array_append_new(
        out, json_pack("{s:s,s:I}", "bin", name_of(&h->bins[k]), "count", (json_int_t)h->bins[k].count));
  return out;
}

json_t *data_transfers_json(const sotto_dataset *data) {
  const sotto_transfers *t = &data->transfers;
  histogram rows = {.count = 0}, amounts = {.count = 0}, times = {.count = 0}, kinds = {.count = 0};
  if (t->count == 0) return json_null();
  count_rows(&rows, t);
  if (t->amounts != NULL) count_amounts(&amounts, t);
  if (t->times != NULL) count_times(&times, t);
  if (t->kinds != NULL) count_kinds(&kinds, t);
  return json_pack("{s:I,s:b,s:b,s:o,s:o,s:o,s:o}", "count", (json_int_t)t->count, "amounts",
                   t->amounts != NULL, "times", t->times != NULL, "of_a_relation", histogram_json(&rows),
                   "amount_bins", histogram_json(&amounts), "time_bins", histogram_json(&times), "kinds",
                   histogram_json(&kinds));
}
