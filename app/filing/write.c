/* The folder: every document in its forms, the list of their digests, and its signature. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "common/file.h"
#include "common/memory.h"
#include "filing.h"
#include "parts.h"
#include "report/page/seal.h"

static const filing_part *const all_parts[] = {&filing_nist, &filing_edpb, &filing_annex_iv, &filing_impact};
enum { part_count = sizeof all_parts / sizeof *all_parts };

/* Why the numbers of audits are not there. */
static void note_audit(filing_facts *f, bool owner) {
  (void)snprintf(
      f->audit_note, sizeof f->audit_note, "%s",
      owner ? "no audit was run; `sotto audit RUN` runs the attacks that this method can be tried by"
            : "in the owner's hands: the numbers follow from the true data, and --owner puts them here");
}

static sotto_status load_facts(filing_facts *f, const filing_ask *ask, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  *f = (filing_facts){.audit = NULL};
  SOTTO_TRY(page_run_load(&f->run, ask->run, ask->owner, false, err));
  f->statement = f->run.statement;
  note_audit(f, ask->owner);
  if (ask->owner) SOTTO_TRY(page_load_json(&f->audit, ask->run, "owner-only/audit.json", err));
  SOTTO_TRY(app_join(&path, ask->run, "model.safetensors", err));
  if (sotto_i_is_file(path)) SOTTO_TRY(filing_digest(f->model, path, err));
done:
  free(path);
  return status;
}

static void free_facts(filing_facts *f) {
  page_run_free(&f->run);
  json_decref(f->audit);
}

static sotto_status add_answer(json_t *answers, const filing_question *q, const filing_facts *f,
                               filing_made *made, sotto_error *err) {
  char *text = NULL;
  const sotto_status status = filing_answer_text(&text, q, f, err);
  if (status != SOTTO_OK) return status;
  const bool left = text != NULL && ((f->audit == NULL && strcmp(q->from, "audit") == 0) ||
                                     (f->run.result == NULL && strcmp(q->from, "result") == 0));
  made->asked++;
  made->answered += text != NULL && !left;
  (void)json_array_append_new(answers, json_pack("{s:s,s:s,s:s?,s:s}", "key", q->key, "question", q->text,
                                                 "answer", text, "from",
                                                 text == NULL ? "person"
                                                 : left       ? "owner" /* has the numbers */
                                                              : q->from));
  free(text);
  return SOTTO_OK;
}

static sotto_status make_document(json_t **out, const filing_facts *f, filing_made *made, sotto_error *err) {
  json_t *parts = json_array();
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < part_count && status == SOTTO_OK; i++) {
    const filing_part *part = all_parts[i];
    json_t *answers = json_array();
    for (size_t k = 0; k < part->count && status == SOTTO_OK; k++)
      status = add_answer(answers, &part->questions[k], f, made, err);
    (void)json_array_append_new(parts, json_pack("{s:s,s:s,s:s,s:o}", "key", part->key, "title", part->title,
                                                 "source", part->source, "answers", answers));
  }
  *out = json_pack("{s:i,s:s,s:s,s:s,s:I,s:I,s:o}", "form", 1, "run", f->run.name, "date",
                   page_words(f->statement, "date"), "verdict", page_words(f->statement, "verdict"), "asked",
                   (json_int_t)made->asked, "answered", (json_int_t)made->answered, "parts", parts);
  if (status == SOTTO_OK && *out == NULL)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the answers");
  return status;
}

static sotto_status write_in(const char *folder, const char *name, const void *data, size_t size,
                             sotto_error *err) {
  char *path = NULL;
  sotto_status status = app_join(&path, folder, name, err);
  if (status == SOTTO_OK) status = app_write_file(path, data, size, err);
  free(path);
  return status;
}

/* NAME.json and NAME.yaml. */
static sotto_status write_both(const char *folder, const char *name, const json_t *document,
                               sotto_error *err) {
  char file[80], *yaml = NULL;
  size_t size = 0;
  char *json = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  sotto_status status = json == NULL ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for %s", name) : SOTTO_OK;
  if (status == SOTTO_OK) {
    (void)snprintf(file, sizeof file, "%.60s.json", name);
    status = write_in(folder, file, json, strlen(json), err);
  }
  if (status == SOTTO_OK) status = filing_yaml(&yaml, &size, document, err);
  if (status == SOTTO_OK) {
    (void)snprintf(file, sizeof file, "%.60s.yaml", name);
    status = write_in(folder, file, yaml, size, err);
  }
  free(json);
  free(yaml);
  return status;
}

typedef sotto_status (*maker)(json_t **out, const filing_facts *facts, sotto_error *err);

static sotto_status write_made(const char *folder, const char *name, maker make, const filing_facts *f,
                               sotto_error *err) {
  json_t *document = NULL;
  sotto_status status = make(&document, f, err);
  if (status == SOTTO_OK) status = write_both(folder, name, document, err);
  json_decref(document);
  return status;
}

static sotto_status write_card(const char *folder, const filing_facts *f, sotto_error *err) {
  char *card = NULL;
  sotto_status status = filing_model_card(&card, f, err);
  if (status == SOTTO_OK) status = write_in(folder, "model-card.md", card, strlen(card), err);
  free(card);
  return status;
}

/* Makes the folder, or takes an empty one. */
static sotto_status open_folder(const char *path, sotto_error *err) {
  SOTTO_I_CHECK(path[0] != '\0');
  if (sotto_i_is_folder(path)) {
    size_t entries = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
      return sotto_i_fail(err, SOTTO_IO, "%s: could not read it: %s", path, strerror(errno));
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) entries += e->d_name[0] != '.';
    (void)closedir(folder);
    return entries == 0 ? SOTTO_OK
                        : sotto_i_fail(err, SOTTO_INVALID, "%s: is not empty; name a new folder (out)", path);
  }
  return sotto_i_make_folder(path, err);
}

static sotto_status write_all(filing_made *made, const filing_facts *f, const json_t *document,
                              sotto_error *err) {
  char *html = NULL, *pdf = NULL;
  sotto_status status;
  SOTTO_TRY(app_join(&html, made->path, "answers.html", err));
  SOTTO_TRY(app_join(&pdf, made->path, "answers.pdf", err));
  SOTTO_TRY(write_made(made->path, "registry-record", filing_registry, f, err));
  SOTTO_TRY(write_both(made->path, "answers", document, err));
  SOTTO_TRY(filing_html(html, document, err));
  SOTTO_TRY(filing_pdf(&made->pdf, pdf, document, err));
  SOTTO_TRY(write_card(made->path, f, err));
  SOTTO_TRY(write_made(made->path, "croissant", filing_croissant, f, err));
  SOTTO_TRY(write_made(made->path, "spdx", filing_spdx, f, err));
done:
  free(html);
  free(pdf);
  return status;
}

static int is_document(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* SHA256SUMS, as sha256sum -c reads it, of all files that were written, and its signature. */
static sotto_status seal(const filing_made *made, const char *key, sotto_error *err) {
  struct dirent **names = NULL;
  char *list = NULL, *path = NULL;
  size_t size = 0, room = 0;
  sotto_status status;
  const int count = scandir(made->path, &names, is_document, alphasort);
  if (count < 0) return sotto_i_fail(err, SOTTO_IO, "%s: could not read it: %s", made->path, strerror(errno));
  for (int i = 0; i < count; i++) {
    char digest[65];
    free(path);
    SOTTO_TRY(app_join(&path, made->path, names[i]->d_name, err));
    SOTTO_TRY(filing_digest(digest, path, err));
    SOTTO_TRY(app_grow(&list, &room, size + strlen(names[i]->d_name) + 70, 1, err));
    size += (size_t)snprintf(list + size, room - size, "%s  %s\n", digest, names[i]->d_name);
  }
  free(path);
  SOTTO_TRY(app_join(&path, made->path, "SHA256SUMS", err));
  SOTTO_TRY(app_write_file(path, list, size, err));
  if (key != NULL) status = page_seal(path, key, err);
done:
  for (int i = 0; i < count; i++) free(names[i]);
  free(names);
  free(list);
  free(path);
  return status;
}

sotto_status filing_write(filing_made *made, const filing_ask *ask, sotto_error *err) {
  filing_facts facts = {.audit = NULL};
  json_t *document = NULL, *record = NULL;
  sotto_status status;
  *made = (filing_made){.asked = 0};
  (void)snprintf(made->path, sizeof made->path,
                 ask->out != NULL ? "%.1100s"
                 : ask->owner     ? "%.1100s/owner-only/regulator"
                                  : "%.1100s/regulator",
                 ask->out != NULL ? ask->out : ask->run);
  SOTTO_TRY(load_facts(&facts, ask, err));
  SOTTO_TRY(filing_registry(&record, &facts, err)); /* refused before anything is written */
  filing_count(made, record);
  SOTTO_TRY(make_document(&document, &facts, made, err));
  SOTTO_TRY(open_folder(made->path, err));
  SOTTO_TRY(write_all(made, &facts, document, err));
  status = seal(made, ask->key, err);
done:
  json_decref(document);
  json_decref(record);
  free_facts(&facts);
  return status;
}
