/* The text of answers: a growing text, and the classes of one row of probabilities. */
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

bool serve_add_text(serve_page *p, const char *text, size_t size) {
  if (app_grow(&p->text, &p->capacity, p->size + size + 1, 1, NULL) != SOTTO_OK) return false;
  memcpy(p->text + p->size, text, size);
  p->size += size;
  p->text[p->size] = '\0';
  return true;
}

typedef struct place {
  float probability;
  uint32_t class;
} place;

/* Most probable class first; ties: the lower class first. */
static int by_probability(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
  return x->class < y->class ? -1 : 1;
}

bool serve_add_name(serve_page *p, const char *name) {
  json_t *value = json_string(name);
  char *text = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY);
  const bool good = text != NULL && serve_add_text(p, text, strlen(text));
  free(text);
  json_decref(value);
  return good;
}

static bool add_names(serve_page *p, const serve_names *names, const place *places, size_t top) {
  bool good = serve_add_text(p, ",\"names\":[", 10);
  for (size_t c = 0; good && c < top; c++) {
    const uint32_t class = places[c].class;
    good = (c == 0 || serve_add_text(p, ",", 1)) &&
           serve_add_name(p, class < names->count ? names->names[class] : "");
  }
  return good && serve_add_text(p, "]", 1);
}

/* The score of the rare class, and whether it is an alert; `row` has the node's class probabilities. */
static bool add_alert(serve_page *p, const serve_source *source, const float *row, size_t classes) {
  char piece[64];
  double log_odds;
  if (!source->has_alerts) return true;
  const sotto_matrix one = {(float *)(uintptr_t)row, 1, classes};
  sotto_class_log_odds(&log_odds, &one, (size_t)source->alerts.class_number);
  const int size = snprintf(piece, sizeof piece, ",\"score\":%.6g,\"alert\":%s",
                            sotto_alert_probability(&source->alerts, log_odds),
                            log_odds >= source->alerts.threshold ? "true" : "false");
  return serve_add_text(p, piece, (size_t)size);
}

static bool add_numbers(serve_page *p, const place *places, size_t top) {
  char piece[64];
  bool good = serve_add_text(p, ",\"probabilities\":[", 18);
  for (size_t c = 0; good && c < top; c++) {
    const int size = snprintf(piece, sizeof piece, "%s%.6g", c > 0 ? "," : "", (double)places[c].probability);
    good = serve_add_text(p, piece, (size_t)size);
  }
  return good && serve_add_text(p, "]", 1);
}

bool serve_add_classes(serve_page *p, const serve_source *source, const float *row, size_t classes,
                       size_t top) {
  char number[48];
  if (source->numbers) {
    const int size = snprintf(number, sizeof number, ",\"number\":%.9g", (double)row[0]);
    return serve_add_text(p, number, (size_t)size);
  }
  char piece[64];
  place *places;
  if (app_new(&places, classes, sizeof *places, NULL) != SOTTO_OK) return false;
  for (size_t c = 0; c < classes; c++) places[c] = (place){row[c], (uint32_t)c};
  qsort(places, classes, sizeof *places, by_probability);
  bool good = serve_add_text(p, ",\"classes\":[", 12);
  for (size_t c = 0; good && c < top; c++) {
    const int size = snprintf(piece, sizeof piece, "%s%u", c > 0 ? "," : "", (unsigned)places[c].class);
    good = serve_add_text(p, piece, (size_t)size);
  }
  good = good && serve_add_text(p, "]", 1);
  if (source->class_names.count > 0) good = good && add_names(p, &source->class_names, places, top);
  good = good && add_numbers(p, places, top) && add_alert(p, source, row, classes);
  free(places);
  return good;
}
