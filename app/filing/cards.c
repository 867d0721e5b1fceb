/* A model card, Croissant metadata of the dataset, an SPDX document of the model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "common/memory.h"
#include "parts.h"

void filing_put_plain(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (strchr("\\`*_[]<>|&~#$", *text) != NULL) (void)fputc('\\', out);
    (void)fputc(*text == '\n' ? ' ' : *text, out);
  }
}

static void put_section(FILE *out, const char *heading, filing_answer answer, const filing_facts *f) {
  char *text = NULL;
  const filing_question question = {.answer = answer};
  (void)fprintf(out, "\n## %s\n", heading);
  if (filing_answer_text(&text, &question, f, NULL) != SOTTO_OK || text == NULL)
    (void)fputs("A person must say.", out);
  else
    filing_put_plain(out, text);
  (void)fputc('\n', out);
  free(text);
}

sotto_status filing_model_card(char **out, const filing_facts *f, sotto_error *err) {
  static const struct {
    const char *heading;
    filing_answer answer;
  } sections[] = {{"Intended use", NULL},
                  {"Training data", filing_say_data},
                  {"Evaluation", filing_say_utility},
                  {"Privacy", filing_say_verdict},
                  {"What is promised, at which level", filing_say_unit},
                  {"Releases", filing_say_mechanisms},
                  {"Limits", filing_say_limits},
                  {"Ethical considerations, and who must not use it", NULL},
                  {"Evidence", filing_say_proof}};
  size_t size = 0;
  const json_t *method = json_object_get(f->statement, "method");
  FILE *card = open_memstream(out, &size);
  if (card == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the model card");
  (void)fputs("---\nlibrary_name: sotto\ntags:\n- graph-neural-network\n- differential-privacy\n---\n\n# "
              "Model card: ",
              card);
  filing_put_plain(card, page_words(json_object_get(f->statement, "dataset"), "name"));
  (void)fprintf(card, " by %s\n%s.\n", page_words(method, "name"), page_words(method, "summary"));
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    put_section(card, sections[i].heading, sections[i].answer, f);
  const bool failed = ferror(card) != 0;
  return fclose(card) == 0 && !failed ? SOTTO_OK
                                      : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the model card");
}

/* Croissant 1.0 (mlcommons.org/croissant). No file is named: the data do not leave their owner. */
sotto_status filing_croissant(json_t **out, const filing_facts *f, sotto_error *err) {
  const json_t *data = json_object_get(f->statement, "dataset");
  const double nodes = page_number(data, "nodes");
  char about[400], size[40] = "";
  if (isfinite(nodes)) (void)snprintf(size, sizeof size, " of %.0f nodes", nodes);
  (void)snprintf(about, sizeof about, "A graph%s that stays with its owner; protected is that %.200s", size,
                 page_words(f->statement, "adjacency_means"));
  *out = json_pack("{s:{s:s,s:s,s:s,s:s,s:s,s:s},s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:[],s:[{s:s,s:s,s:s,s:[{s:s,s:"
                   "s,s:s,s:s}]}]}",
                   "@context", "@vocab", "https://schema.org/", "sc", "https://schema.org/", "cr",
                   "http://mlcommons.org/croissant/", "dct", "http://purl.org/dc/terms/", "conformsTo",
                   "dct:conformsTo", "recordSet", "cr:recordSet", "@type", "sc:Dataset", "conformsTo",
                   "http://mlcommons.org/croissant/1.0", "name", page_words(data, "name"), "description",
                   about, "identifier", page_words(data, "digest"), "license", "A person must say.", "url",
                   "A person must say.", "distribution", "recordSet", "@type", "cr:RecordSet", "@id", "nodes",
                   "name", "nodes", "field", "@type", "cr:Field", "@id", "nodes/id", "name", "id", "dataType",
                   "sc:Integer");
  if (page_words(data, "digest")[0] == '\0') (void)json_object_del(*out, "identifier"); /* it is private */
  return *out != NULL ? SOTTO_OK
                      : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the metadata of the dataset");
}

/* SPDX 2.3: the model, the data that it was made from, and the program that made it. */
sotto_status filing_spdx(json_t **out, const filing_facts *f, sotto_error *err) {
  const json_t *data = json_object_get(f->statement, "dataset"),
               *program = json_object_get(f->statement, "program");
  char name[200], space[300];
  (void)snprintf(name, sizeof name, "model-of-%.*s", sotto_i_fitting(page_words(data, "name"), 100),
                 page_words(data, "name"));
  (void)snprintf(space, sizeof space, "urn:sotto:model:%.64s",
                 f->model[0] != '\0' ? f->model : page_words(data, "digest"));
  json_t *model = json_pack("{s:s,s:s,s:s,s:b,s:s,s:s,s:s}", "SPDXID", "SPDXRef-model", "name", name,
                            "downloadLocation", "NOASSERTION", "filesAnalyzed", 0, "licenseConcluded",
                            "NOASSERTION", "licenseDeclared", "NOASSERTION", "copyrightText", "NOASSERTION");
  if (f->model[0] != '\0')
    (void)json_object_set_new(model, "checksums",
                              json_pack("[{s:s,s:s}]", "algorithm", "SHA256", "checksumValue", f->model));
  *out = json_pack(
      "{s:s,s:s,s:s,s:s,s:s,s:{s:s,s:[s]},s:[o,{s:s,s:s,s:s,s:b},{s:s,s:s,s:s,s:s,s:b}],s:[{s:s,s:s,s:s},{s:"
      "s,s:s,s:s},{s:s,"
      "s:s,s:s}]}",
      "spdxVersion", "SPDX-2.3", "dataLicense", "CC0-1.0", "SPDXID", "SPDXRef-DOCUMENT", "name", name,
      "documentNamespace", space, "creationInfo", "created", page_words(f->statement, "date"), "creators",
      "Tool: sotto-" SOTTO_VERSION, "packages", model, "SPDXID", "SPDXRef-data", "name",
      page_words(data, "name"), "downloadLocation", "NONE", "filesAnalyzed", 0, "SPDXID", "SPDXRef-sotto",
      "name", "sotto", "versionInfo", page_words(program, "version"), "downloadLocation", "NOASSERTION",
      "filesAnalyzed", 0, "relationships", "spdxElementId", "SPDXRef-DOCUMENT", "relationshipType",
      "DESCRIBES", "relatedSpdxElement", "SPDXRef-model", "spdxElementId", "SPDXRef-model",
      "relationshipType", "GENERATED_FROM", "relatedSpdxElement", "SPDXRef-data", "spdxElementId",
      "SPDXRef-sotto", "relationshipType", "BUILD_TOOL_OF", "relatedSpdxElement", "SPDXRef-model");
  return *out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the SPDX document");
}
