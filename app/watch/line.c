/* Progress as text: durations, and a line of limited width. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

void watch_duration(char out[12], double seconds) {
  const unsigned long long all = seconds < 0 ? 0 : seconds > 3e8 ? 300000000 : (unsigned long long)seconds;
  if (all < 60)
    (void)snprintf(out, 12, "%llu s", all);
  else if (all < 3600)
    (void)snprintf(out, 12, "%llu:%02llu", all / 60, all % 60);
  else
    (void)snprintf(out, 12, "%llu:%02llu:%02llu", all / 3600 % 100000, all / 60 % 60, all % 60);
}

double watch_rate(const watch_state *s, double now) {
  const double elapsed = now - s->stage_begun;
  return elapsed > 0 && s->done > s->first ? (double)(s->done - s->first) / elapsed : NAN;
}

double watch_left(const watch_state *s, double now) {
  const double rate = watch_rate(s, now);
  if (s->left > 0 && s->done < s->total) return s->left;
  return isnan(rate) || s->done >= s->total ? NAN : (double)(s->total - s->done) / rate;
}

const char *watch_stage_unit(int *name_length, const char *stage) {
  static const char unit[] = " MB";
  const size_t length = strlen(stage), own = sizeof unit - 1;
  const bool has = length > own && strcmp(stage + length - own, unit) == 0;
  *name_length = (int)(has ? length - own : length);
  return has ? unit : "";
}

/* Appends a part if all of it fits. */
static void add_part(char *out, size_t size, size_t columns, const char *part) {
  const size_t used = strlen(out), more = strlen(part) + (used > 0 ? 1 : 0);
  if (used + more > columns || used + more >= size) return;
  (void)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", part);
}

static void add_bar(char *out, size_t size, size_t columns, const watch_state *s) {
  char cells[33];
  const size_t width = 20, used = strlen(out);
  if (s->total == 0 || used + width + 3 > columns) return;
  const size_t filled = (size_t)((double)s->done / (double)s->total * (double)width);
  for (size_t i = 0; i < width; i++) cells[1 + i] = i < filled ? '#' : '.';
  cells[0] = '[';
  cells[width + 1] = ']';
  cells[width + 2] = '\0';
  add_part(out, size, columns, cells);
}

void watch_line(char *out, size_t size, size_t columns, const watch_state *s, double now) {
  char part[80], time[12];
  const double rate = watch_rate(s, now), left = watch_left(s, now);
  out[0] = '\0';
  int length;
  const char *unit = watch_stage_unit(&length, s->stage);
  (void)snprintf(part, sizeof part, "%.*s %llu/%llu%s", length < 20 ? length : 20, s->stage,
                 (unsigned long long)s->done, (unsigned long long)s->total, unit);
  add_part(out, size, columns, part);
  watch_duration(time, now - s->stage_begun);
  add_part(out, size, columns, time);
  if (isfinite(left)) {
    watch_duration(time, left);
    (void)snprintf(part, sizeof part, "+%s", time);
    add_part(out, size, columns, part);
  }
  if (s->traffic > 0) {
    (void)snprintf(part, sizeof part, "%.0f/%.0f MB", (double)s->exchanged / 1e6, (double)s->traffic / 1e6);
    add_part(out, size, columns, part);
  }
  if (s->loss != 0 && isfinite(s->loss)) {
    (void)snprintf(part, sizeof part, "loss %.3g", s->loss);
    add_part(out, size, columns, part);
  }
  if (rate > 0) {
    (void)snprintf(part, sizeof part, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
    add_part(out, size, columns, part);
  }
  if (s->seeds > 1) {
    (void)snprintf(part, sizeof part, "seed %llu/%llu", (unsigned long long)s->seed,
                   (unsigned long long)s->seeds);
    add_part(out, size, columns, part);
  }
  add_bar(out, size, columns, s);
}
