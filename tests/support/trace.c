/* What a run shows, as lines of text. */
#include "trace.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "sotto/ledger.h"

enum { longest = 1 << 20, most_names = 64 };

static void append(check_lines *t, const char *text, size_t size) {
  if (t->size + size + 1 > t->room) {
    t->room = 2 * (t->size + size + 1);
    t->text = realloc(t->text, t->room);
    assert_non_null(t->text);
  }
  memcpy(t->text + t->size, text, size);
  t->size += size;
  t->text[t->size] = '\0';
}

static size_t span(const char *text, const char *of) {
  return strspn(text, of);
}

/* How long a number is that begins here, and whether noise decides it. */
static size_t number(const char *text, bool *masked) {
  size_t size = span(text, "0123456789");
  *masked = false;
  if (size == 0) return 0;
  if (size == 4 && text[4] == '-' && isdigit((unsigned char)text[5])) { /* a date, with its time */
    *masked = true;
    return span(text, "0123456789-:TZ.");
  }
  if (text[size] == '.' && isdigit((unsigned char)text[size + 1])) {
    *masked = true;
    size += 1 + span(text + size + 1, "0123456789");
  }
  if (text[size] == 'e' && (isdigit((unsigned char)text[size + 1]) || text[size + 1] == '-')) {
    *masked = true;
    size += 1 + span(text + size + 1, "-0123456789");
  }
  return size;
}

static void append_masked(check_lines *t, const char *text) {
  while (*text != '\0') {
    bool masked;
    const size_t hex = span(text, "0123456789abcdef");
    size_t size = hex >= 16 ? hex : number(text, &masked);
    if (hex >= 16) masked = true;
    if (size == 0) {
      masked = false;
      size = isalpha((unsigned char)*text)
                 ? span(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
                 : 1;
    }
    append(t, masked ? "#" : text, masked ? 1 : size);
    text += size;
  }
}

static void add_line(check_lines *to, const char *format, va_list arguments) {
  char *line = malloc(longest);
  assert_non_null(line);
  const int size = vsnprintf(line, longest, format, arguments);
  assert_true(size >= 0 && size < longest);
  append_masked(to, line);
  append(to, "\n", 1);
  free(line);
}

void check_trace_add(check_trace *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_line(&t->all, format, arguments);
  va_end(arguments);
}

static void say(check_trace *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_line(&t->said, format, arguments);
  va_end(arguments);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_said(check_trace *t) {
  size_t count = 0, at = 0;
  for (size_t i = 0; i < t->said.size; i++) count += t->said.text[i] == '\n';
  const char **lines = calloc(count + 1, sizeof *lines);
  assert_non_null(lines);
  for (char *line = t->said.text; at < count; at++) {
    lines[at] = line;
    line = strchr(line, '\n');
    *line++ = '\0';
  }
  qsort(lines, count, sizeof *lines, by_text);
  for (at = 0; at < count; at++) {
    append(&t->all, lines[at], strlen(lines[at]));
    append(&t->all, "\n", 1);
  }
  free(lines);
  free(t->said.text);
  t->said = (check_lines){0};
}

void check_trace_end(check_trace *t, const char *what, sotto_status status, const sotto_error *err) {
  add_said(t);
  check_trace_add(t, "%s: %s, %s", what, sotto_status_text(status), status == SOTTO_OK ? "" : err->text);
}

/* Of a charge all digits count, so they are not those of a number that noise decides. */
static const char *exact(char out[32], double value) {
  (void)snprintf(out, 32, "%.12g", value);
  for (char *at = out; *at != '\0'; at++) *at = *at == '.' ? ':' : *at == 'e' ? 'E' : *at;
  return out;
}

static void hear_log(void *context, sotto_log_level level, const char *text) {
  check_trace_add(context, "log %d: %s", (int)level, text);
}

/* What is spent is told from time to time, by the clock. */
static void hear_event(void *context, const sotto_event *e) {
  char epsilon[32];
  if (e->kind == SOTTO_EVENT_SPENT) return;
  say(context, "event %d: %s, %s %llu of %llu, %s %llu and %llu bytes, epsilon %s", (int)e->kind,
      e->text == NULL ? "" : e->text, e->stage == NULL ? "" : e->stage, (unsigned long long)e->done,
      (unsigned long long)e->total, e->payload == NULL ? "" : e->payload, (unsigned long long)e->sent,
      (unsigned long long)e->received, exact(epsilon, e->epsilon));
}

sotto_observer check_trace_observer(check_trace *t) {
  return (sotto_observer){.context = t, .log = hear_log, .event = hear_event};
}

static bool ends_with(const char *name, const char *ending) {
  const size_t size = strlen(name), last = strlen(ending);
  return size >= last && strcmp(name + size - last, ending) == 0;
}

/* A page shows figures rounded, at places that follow from them: all numbers become '#'. */
static void append_page(check_lines *t, const char *page, size_t size) {
  char *text = calloc(size + 1, 1);
  assert_non_null(text);
  memcpy(text, page, size);
  for (const char *at = text; *at != '\0';) {
    const size_t hex = span(at, "0123456789abcdef"), digits = span(at, "0123456789.-"),
                 exponent = digits > 0 && at[digits] == 'e' ? 1 + span(at + digits + 1, "0123456789-") : 0;
    const size_t number = hex >= 16 ? hex : digits + (exponent > 1 ? exponent : 0);
    append(t, number > 0 ? "#" : at, 1);
    at += number > 0 ? number : 1;
  }
  append(t, "\n", 1);
  free(text);
}

static void add_file(check_trace *t, const char *path, const char *name) {
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  if (ends_with(name, ".json") || ends_with(name, ".jsonl") || ends_with(name, ".yaml")) {
    check_trace_add(t, "file %s:\n%.*s", name, (int)map.size, (const char *)map.data);
  } else if (ends_with(name, ".html")) {
    check_trace_add(t, "file %s:", name);
    append_page(&t->all, (const char *)map.data, map.size);
  } else if (ends_with(name, "/graph.sotto")) {
    check_trace_add(t, "file %s: a released graph, with as many edges as noise drew", name);
  } else if (ends_with(name, ".csv")) {
    size_t lines = 0;
    for (size_t i = 0; i < map.size; i++) lines += map.data[i] == '\n';
    check_trace_add(t, "file %s: %zu lines", name, lines);
  } else {
    check_trace_add(t, "file %s: %zu bytes", name, map.size);
  }
  sotto_i_map_close(&map);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(check_trace *t, const char *folder, const char *name) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, NULL, by_name);
  assert_true(count >= 0);
  for (int i = 0; i < count; i++) {
    char path[1400], shown[400];
    const char *entry = entries[i]->d_name;
    (void)snprintf(path, sizeof path, "%.1000s/%.300s", folder, entry);
    (void)snprintf(shown, sizeof shown, "%.150s%s%.200s", name, name[0] == '\0' ? "" : "/", entry);
    if (strcmp(entry, ".") != 0 && strcmp(entry, "..") != 0 && strcmp(entry, "owner-only") != 0) {
      if (sotto_i_is_folder(path))
        add_folder(t, path, shown);
      else
        add_file(t, path, shown);
    }
    free(entries[i]);
  }
  free(entries);
}

void check_trace_folder(check_trace *t, const char *folder) {
  add_folder(t, folder, "");
}

/* Of one dataset: parts of several are charged by roles that are threads, in any order. */
typedef struct charges {
  check_trace *to;
  const char *name;
  char names[most_names][80];
  size_t count;
} charges;

static int by_name_of(const void *a, const void *b) {
  return strcmp(a, b);
}

static int add_name(void *context, const sotto_ledger_row *row) {
  charges *c = context;
  size_t k = 0;
  while (k < c->count && strcmp(c->names[k], row->name) != 0) k++;
  assert_true(k < most_names);
  if (k == c->count) (void)snprintf(c->names[c->count++], sizeof c->names[0], "%.79s", row->name);
  return 0;
}

static int add_row(void *context, const sotto_ledger_row *row) {
  const charges *of = context;
  const sotto_charge *c = &row->charge;
  char mu[32], epsilon[32];
  if (strcmp(row->name, of->name) == 0)
    check_trace_add(of->to, "charge: %s, %s at %s level, mu %s, epsilon %s, %s", row->name, c->mechanism,
                    c->adjacency, exact(mu, c->mu), exact(epsilon, c->epsilon), c->description);
  return 0;
}

void check_trace_ledger(check_trace *t, const char *path) {
  sotto_ledger *ledger;
  charges of = {.to = t};
  CHECK_OK(sotto_ledger_open(&ledger, path, &err));
  CHECK_OK(sotto_ledger_visit(ledger, NULL, add_name, &of, &err));
  qsort(of.names, of.count, sizeof of.names[0], by_name_of);
  for (size_t k = 0; k < of.count; k++) {
    of.name = of.names[k];
    CHECK_OK(sotto_ledger_visit(ledger, NULL, add_row, &of, &err));
  }
  sotto_ledger_close(ledger);
}

/* From a little before where the two differ. */
static void show(char out[400], const char *text, size_t at) {
  const char *from = text + (at > 80 ? at - 80 : 0);
  const size_t size = strcspn(from, "\n");
  (void)snprintf(out, 400, "%.*s", (int)(size < 300 ? size : 300), from);
}

bool check_trace_differ(char line[2][400], const check_trace *a, const check_trace *b) {
  const char *of[2] = {a->all.text, b->all.text};
  size_t at = 0, begin = 0;
  if (strcmp(of[0], of[1]) == 0) return false;
  for (; of[0][at] == of[1][at]; at++)
    if (of[0][at] == '\n') begin = at + 1;
  for (int i = 0; i < 2; i++) show(line[i], of[i] + begin, at - begin);
  return true;
}

void check_trace_free(check_trace *t) {
  add_said(t);
  free(t->all.text);
  *t = (check_trace){0};
}
