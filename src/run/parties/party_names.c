/* Clients of a federation agree on columns and classes, by name. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "gathering.h"
#include "party/wire/link/transport.h"

/* A text goes as two messages: its kind and size, and its bytes, four to a word. */
enum { kind_names, kind_refusal, most_bytes = 1 << 26, most_refusal = 2000 };
static const char head_name[] = "run.names.size", text_name[] = "run.names", heard_name[] = "run.names.heard";

static sotto_status send_text(sotto_link *link, uint32_t kind, const char *text, size_t size,
                              sotto_error *err) {
  const uint32_t head[2] = {kind, (uint32_t)size};
  const size_t count = (size + 3) / 4;
  uint32_t *words = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&words, count, sizeof *words, err));
  for (size_t i = 0; i < size; i++) words[i / 4] |= (uint32_t)(uint8_t)text[i] << (8 * (i % 4));
  SOTTO_TRY(sotto_i_say(link, head_name, head, 2, err));
  if (count > 0) SOTTO_TRY(sotto_i_say(link, text_name, words, count, err));
done:
  sotto_i_free(words);
  return status;
}

/* Text in fresh memory, with a zero byte at its end. */
static sotto_status receive_text(uint32_t *kind, char **text, size_t *size, sotto_link *link,
                                 sotto_error *err) {
  uint32_t head[2], *words = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_hear(head, link, head_name, 2, err));
  const size_t most = head[0] == kind_refusal ? most_refusal : most_bytes, count = ((size_t)head[1] + 3) / 4;
  if (head[0] > kind_refusal || head[1] > most) {
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "names of columns and classes take %u bytes; at most %zu",
                          (unsigned)head[1], most);
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&words, count, sizeof *words, err));
  if (count > 0) SOTTO_TRY(sotto_i_hear(words, link, text_name, count, err));
  SOTTO_TRY(sotto_i_new(text, (size_t)head[1] + 1, 1, err));
  for (size_t i = 0; i < head[1]; i++) (*text)[i] = (char)(words[i / 4] >> (8 * (i % 4)) & 0xFF);
  *kind = head[0];
  *size = head[1];
done:
  sotto_i_free(words);
  return status;
}

/* Joins what client i says; `first` is the client whose order counts, SIZE_MAX: none yet. */
static sotto_status hear_client(sotto_i_naming *joined, size_t *first, const sotto_i_gathering *g, size_t i,
                                sotto_error *err) {
  sotto_i_naming said = {0};
  char *text = NULL;
  size_t size = 0;
  uint32_t kind = kind_names;
  sotto_error problem = {0};
  sotto_status status = receive_text(&kind, &text, &size, g->links[i], &problem);
  if (status != SOTTO_OK) {
    status = sotto_i_leave_out(g, i, status, &problem, err);
    goto done;
  }
  if (kind != kind_names) {
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "%s refuses names that it should give", g->roles[i]);
    goto done;
  }
  if (size == 0) goto done; /* a helper, without data */
  SOTTO_TRY(sotto_i_naming_read(&said, text, size, err));
  if (*first == SIZE_MAX) {
    *first = i;
    *joined = said;
    said = (sotto_i_naming){0};
  } else {
    SOTTO_TRY(sotto_i_naming_join(joined, g->roles[*first], &said, g->roles[i], err));
  }
done:
  sotto_i_naming_free(&said);
  sotto_i_free(text);
  return status;
}

static sotto_status tell_clients(const sotto_i_gathering *g, uint32_t kind, const char *text, size_t size,
                                 sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < g->count; i++) {
    sotto_error problem = {0};
    if (g->links[i] == NULL) continue;
    status = send_text(g->links[i], kind, text, size, &problem);
    SOTTO_TRY(sotto_i_leave_out(g, i, status, &problem, err));
  }
done:
  return status;
}

/* Waits until all clients have heard why their tables do not fit. They would first see the run end. */
static sotto_status refuse(const sotto_i_gathering *g, const char *reason, sotto_error *err) {
  sotto_status status;
  uint32_t heard;
  SOTTO_TRY(tell_clients(g, kind_refusal, reason, strlen(reason), err));
  for (size_t i = 0; i < g->count; i++)
    if (g->links[i] != NULL) SOTTO_TRY(sotto_i_hear(&heard, g->links[i], heard_name, 1, err));
done:
  return status;
}

/* The classes of all clients by name, at most as many as were declared. All classes get names. */
static sotto_status check_declared(sotto_i_naming *agreed, const sotto_options *options, sotto_error *err) {
  const uint64_t declared = options->classes;
  sotto_names padded = {0};
  char all[400] = "";
  size_t used = 0;
  if (declared == 0 || agreed->labels.count == 0 || agreed->classes == declared) return SOTTO_OK;
  for (uint64_t i = 0; i < agreed->labels.count && used < sizeof all - 60; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%.40s", i > 0 ? ", " : "",
                             sotto_name(&agreed->labels, i));
  if (agreed->classes > declared)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "classes: all clients together have %u (%s), and %llu are declared. Declare %u, or give the "
        "tables of all clients the same names of classes",
        (unsigned)agreed->classes, all, (unsigned long long)declared, (unsigned)agreed->classes);
  const sotto_status status = sotto_i_names_pad(&padded, &agreed->labels, (uint32_t)declared, err);
  if (status != SOTTO_OK) return status;
  sotto_i_names_free(&agreed->labels);
  agreed->labels = padded;
  agreed->classes = (uint32_t)declared;
  return SOTTO_OK;
}

static sotto_status serve(sotto_i_naming *agreed, const sotto_i_gathering *g, sotto_error *err) {
  sotto_error refusal = {0};
  size_t first = SIZE_MAX, size = 0;
  char *text = NULL;
  sotto_status status = SOTTO_OK, joined = SOTTO_OK;
  for (size_t i = 0; i < g->count && (joined == SOTTO_OK || joined == SOTTO_INVALID); i++) {
    sotto_error problem = {0};
    if (g->links[i] == NULL) continue;
    status = hear_client(agreed, &first, g, i, &problem);
    if (status == SOTTO_OK || joined == SOTTO_INVALID)
      continue; /* the first reason is the one that all hear */
    joined = status;
    refusal = problem;
  }
  if (joined == SOTTO_OK) joined = check_declared(agreed, g->run->options, &refusal);
  if (joined == SOTTO_INVALID) {
    SOTTO_TRY(refuse(g, refusal.text, err));
  } else if (joined == SOTTO_OK) {
    SOTTO_TRY(sotto_i_naming_write(&text, &size, agreed, err));
    SOTTO_TRY(tell_clients(g, kind_names, text, size, err));
  }
  if (joined != SOTTO_OK && err != NULL) *err = refusal;
  status = joined;
done:
  sotto_i_free(text);
  return status;
}

/* A refusal is another party's text: it is shown, and decides nothing. The server ends the run when all have
 * it. */
static sotto_status take_refusal(const sotto_i_gathering *g, const char *text, sotto_error *err) {
  uint32_t word = 1;
  sotto_error ended = {0};
  if (sotto_i_say(g->links[0], heard_name, &word, 1, &ended) == SOTTO_OK)
    (void)sotto_i_hear(&word, g->links[0], heard_name, 1, &ended);
  if (ended.status == SOTTO_INTERRUPTED) return sotto_i_fail(err, SOTTO_INTERRUPTED, "%s", ended.text);
  return sotto_i_fail(err, SOTTO_INVALID, "%s", sotto_i_text_is_clean(text) ? text : "the tables do not fit");
}

static sotto_status ask(sotto_i_naming *agreed, const sotto_i_gathering *g, const sotto_i_naming *own,
                        sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  uint32_t kind = kind_names;
  sotto_status status = SOTTO_OK;
  if (own->columns > 0) SOTTO_TRY(sotto_i_naming_write(&text, &size, own, err));
  SOTTO_TRY(send_text(g->links[0], kind_names, text, size, err));
  sotto_i_free(text);
  text = NULL;
  SOTTO_TRY(receive_text(&kind, &text, &size, g->links[0], err));
  if (kind == kind_names)
    SOTTO_TRY(sotto_i_naming_read(agreed, text, size, err));
  else
    status = take_refusal(g, text, err);
done:
  sotto_i_free(text);
  return status;
}

sotto_status sotto_i_agree_on_names(sotto_i_naming *agreed, const sotto_i_gathering *g,
                                    const sotto_i_naming *own, sotto_error *err) {
  return g->server ? serve(agreed, g, err) : ask(agreed, g, own, err);
}
