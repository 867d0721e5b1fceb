/* Stories of processes that may die. */
#include "faults/story.h"

#include "check.h"
#include "spending.h"

void story_read(story *out, const char *log) {
  out->count = 0;
  FILE *file = fopen(log, "r");
  if (file == NULL) return;
  while (out->count < STORY_LINES && fgets(out->line[out->count], STORY_LINE, file) != NULL) {
    char *end = strchr(out->line[out->count], '\n');
    if (end != NULL) *end = '\0';
    out->count++;
  }
  assert_true(out->count < STORY_LINES);
  (void)fclose(file);
}

/* What follows "STEP " in a line of that step, else NULL. */
static const char *told(const char *line, death_step step) {
  const char *word = death_step_name(step);
  size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static bool has_line(const story *s, size_t lines, const char *wanted) {
  for (size_t i = 0; i < lines; i++)
    if (strcmp(s->line[i], wanted) == 0) return true;
  return false;
}

/* The draw or digest at the end of a line. */
static const char *last_word(const char *line) {
  const char *space = strrchr(line, ' ');
  return space == NULL ? line : space + 1;
}

static const bool tried[2][DEATH_STEPS] = {
    {[DEATH_HALF_SAVED] = true, [DEATH_SAVED] = true, [DEATH_UNREAD] = true},
    {[DEATH_HALF_SAVED] = true,
     [DEATH_UNCHARGED] = true,
     [DEATH_UNCOMMITTED] = true,
     [DEATH_CHARGED] = true,
     [DEATH_SENT] = true}};

static void add(story_deaths *out, death_step step, const char *name) {
  death d = {.step = step};
  assert_true(out->count < STORY_STEPS);
  (void)snprintf(d.name, sizeof d.name, "%.*s", (int)strcspn(name, " "), name);
  for (size_t i = 0; i < out->count; i++)
    if (out->at[i].step == step && strcmp(out->at[i].name, d.name) == 0) return;
  out->at[out->count++] = d;
}

/* A file that is saved, with a .made that is saved later; or that one. */
static bool is_artifact(const story *s, const char *name) {
  char made[STORY_LINE];
  size_t length = strlen(name);
  const char *end = length > 5 && strcmp(name + length - 5, ".made") == 0 ? "" : ".made";
  (void)snprintf(made, sizeof made, "%s %.200s%s", death_step_name(DEATH_SAVED), name, end);
  return has_line(s, s->count, made);
}

void story_find_deaths(story_deaths *out, const story *s, bool fresh) {
  out->count = 0;
  for (size_t i = 0; i < s->count; i++)
    for (death_step step = DEATH_HALF_SAVED; step < DEATH_STEPS; step++) {
      const char *name = told(s->line[i], step);
      if (name == NULL || !tried[fresh][step]) continue;
      if ((step == DEATH_HALF_SAVED || step == DEATH_SAVED) && !is_artifact(s, name)) continue;
      add(out, step, name);
    }
}

/* Is the draw at the end of that line charged in the first `lines` lines? */
static bool is_paid(const story *s, size_t lines, size_t line) {
  for (size_t k = 0; k < lines; k++)
    if (told(s->line[k], DEATH_CHARGED) != NULL &&
        strcmp(last_word(s->line[k]), last_word(s->line[line])) == 0)
      return true;
  return false;
}

void story_check_order(const story *s, bool some_without_noise, const char *who) {
  for (size_t i = 0; i < s->count; i++) {
    if (told(s->line[i], DEATH_UNREAD) == NULL || is_paid(s, i, i)) continue;
    if (!some_without_noise || is_paid(s, s->count, i))
      fail_msg("%s: '%s' before its charge", who, s->line[i]);
  }
}

void story_check_left_behind(const char *log, const sotto_options *o, const death *at, const char *who) {
  static story s;
  const char *draw = NULL;
  if (at->step != DEATH_UNCHARGED && at->step != DEATH_UNCOMMITTED && at->step != DEATH_CHARGED) return;
  story_read(&s, log);
  for (size_t i = 0; i < s.count; i++) {
    const char *name = told(s.line[i], at->step);
    const size_t length = strlen(at->name);
    if (name != NULL && strncmp(name, at->name, length) == 0 && name[length] == ' ')
      draw = last_word(s.line[i]);
  }
  if (draw == NULL) fail_msg("%s: the charge has no draw", who);
  if (!check_is_saved(o, draw)) fail_msg("%s: what is charged is not saved", who);
  if (check_is_charged(o, at->name, draw) != (at->step == DEATH_CHARGED))
    fail_msg("%s: the charge %s", who, at->step == DEATH_CHARGED ? "does not stand" : "stands");
}

size_t story_payloads(const story *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++)
    if (told(s->line[i], DEATH_SENT) != NULL && !has_line(s, i, s->line[i])) count++;
  return count;
}
