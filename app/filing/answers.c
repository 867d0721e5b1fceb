/* Answers from a run's statement, result and audits, as sentences. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "common/memory.h"
#include "parts.h"
#include "report/report.h"
#include "sotto/guarantee.h"

static const json_t *list_of(const filing_facts *f, const char *key) {
  return json_object_get(f->statement, key);
}

/* A list of texts with "; " between them. */
static void say_list(FILE *out, const json_t *list) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    (void)fprintf(out, "%s%s", i == 0 ? "" : "; ", json_string_value(item));
  }
}

static void say_delta(FILE *out, double delta) {
  char words[SOTTO_DELTA_WORDS];
  sotto_delta_words(words, delta);
  (void)fprintf(out, "%s", words);
}

double filing_epsilon(const filing_facts *f) {
  return page_guarantees(&f->run) ? page_epsilon(&f->run) + f->run.together.epsilon : INFINITY;
}

double filing_delta(const filing_facts *f) {
  return page_delta(&f->run) + f->run.together.delta;
}

/* " and 2 later releases for predictions", where there are any. */
static void say_later(FILE *out, const filing_facts *f, const char *before) {
  const size_t count = f->run.together.count;
  if (count > 0)
    (void)fprintf(out, "%s%zu later release%s for predictions", before, count, count == 1 ? "" : "s");
}

void filing_say_variant(FILE *out, const filing_facts *f) {
  if (!page_guarantees(&f->run))
    (void)fputs("none: the run has no guarantee of differential privacy", out);
  else if (filing_delta(f) == 0)
    (void)fputs("pure differential privacy", out);
  else
    (void)fputs("approximate differential privacy", out);
}

void filing_say_parameters(FILE *out, const filing_facts *f) {
  if (!page_guarantees(&f->run)) {
    (void)fputs("none: the run has no guarantee of differential privacy", out);
    return;
  }
  (void)fprintf(out, "epsilon %.6g at delta ", filing_epsilon(f));
  say_delta(out, filing_delta(f));
  (void)fprintf(out, ", over all trainings of the run together (%s)", page_words(f->statement, "accountant"));
  say_later(out, f, ", and ");
  if (!isfinite(page_number(f->statement, "charges_made")))
    (void)fputs("; releases that the other party makes later, for predictions, are in its records alone",
                out);
  const double expected =
      page_number(f->statement, "delta_times_nodes") * filing_delta(f) / page_delta(&f->run);
  if (expected > 0) (void)fprintf(out, "; delta times the number of nodes is %.3g", expected);
}

void filing_say_unit(FILE *out, const filing_facts *f) {
  (void)fprintf(out, "%s level: %s", page_words(f->statement, "adjacency"),
                page_words(f->statement, "adjacency_means"));
}

void filing_say_mechanisms(FILE *out, const filing_facts *f) {
  size_t i;
  json_t *m;
  json_array_foreach(list_of(f, "mechanisms"), i, m) {
    const double noise = page_number(m, "noise"), epsilon = page_number(m, "epsilon"),
                 steps = page_number(m, "steps"), made = page_number(m, "releases_made"),
                 planned = page_number(m, "releases_planned");
    (void)fprintf(out, "%s%s on %s", i == 0 ? "" : "; ", page_words(m, "mechanism"), page_words(m, "what"));
    if (isfinite(noise))
      (void)fprintf(out, ", noise %.6g at sensitivity %.6g", noise, page_number(m, "sensitivity"));
    if (isfinite(epsilon)) (void)fprintf(out, ", epsilon %.6g", epsilon);
    if (steps > 1) (void)fprintf(out, ", %.0f steps", steps);
    if (isfinite(made))
      (void)fprintf(out, ", %.0f of %.0f releases charged", made, planned);
    else /* another party's ledger has the charges */
      (void)fprintf(out, ", %.0f release%s planned", planned, planned == 1 ? "" : "s");
  }
  if (i > 0) (void)fputs("; parts that are charged together count as one release", out);
}

void filing_say_composition(FILE *out, const filing_facts *f) {
  const double charges = page_number(f->statement, "charges_made"),
               repeats = page_number(f->statement, "repeats");
  (void)fprintf(out, "composed by %s over ", page_words(f->statement, "accountant"));
  if (isfinite(charges)) (void)fprintf(out, "%.0f charge%s and ", charges, charges == 1 ? "" : "s");
  (void)fprintf(out,
                "%.0f training%s; charged to %s, in which each entry is chained to the one before, before a "
                "release can be read",
                repeats, repeats == 1 ? "" : "s",
                isfinite(charges) ? "a ledger"
                                  : "the ledger of the party that releases, which this party has not seen");
  say_later(out, f, "; epsilons and deltas of ");
  if (f->run.together.count > 0) (void)fputs(" are added", out);
}

void filing_say_exposed(FILE *out, const filing_facts *f) {
  const json_t *exposed = list_of(f, "exposed"), *item;
  size_t i;
  if (json_array_size(exposed) == 0) (void)fputs("nothing beyond what is published", out);
  json_array_foreach(exposed, i, item) {
    (void)fprintf(out, "%s`%s` sends `%s`: %s", i == 0 ? "" : "; ", page_words(item, "party"),
                  page_words(item, "payload"), page_words(item, "why"));
  }
}

void filing_say_unprotected(FILE *out, const filing_facts *f) {
  (void)fputs("taken for public: ", out);
  say_list(out, list_of(f, "assumed_public"));
  (void)fputs(". Not covered: ", out);
  say_list(out, list_of(f, "not_covered"));
}

void filing_say_adversary(FILE *out, const filing_facts *f) {
  (void)fputs(page_words(f->statement, "adversary"), out);
}

void filing_say_actors(FILE *out, const filing_facts *f) {
  const json_t *parties = list_of(f, "parties");
  size_t i;
  json_t *party;
  if (json_array_size(parties) == 0) {
    (void)fputs("one owner, who has the data and computes; readers of what is published", out);
    return;
  }
  json_array_foreach(parties, i, party) {
    const char *role = page_words(party, "role"), *name = page_words(party, "name");
    (void)fprintf(out, "%s%s", i == 0 ? "" : "; ", role[0] != '\0' ? role : name);
  }
  (void)fputs("; readers of what is published", out);
}

static const struct {
  const char *key, *name;
} measures[] = {{"accuracy", "accuracy"}, {"auc", "AUC"},
                {"macro_f1", "macro F1"}, {"r2", "R2"},
                {"rmse", "RMSE"},         {"average_precision", "average precision"}};

/* A party without labels has a result without measures. */
static bool is_measured(const json_t *part) {
  bool any = false;
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
    any = any || isfinite(page_number(json_object_get(part, measures[i].key), "mean"));
  return any;
}

/* result.PART.KEY.mean, where it is there. */
static void say_measure(FILE *out, const json_t *part, const char *key, const char *name, bool *first) {
  const double mean = page_number(json_object_get(part, key), "mean");
  if (!isfinite(mean)) return;
  (void)fprintf(out, "%s%s %.4g", *first ? "" : ", ", name, mean);
  *first = false;
}

static void say_measures(FILE *out, const json_t *part) {
  bool first = true;
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
    say_measure(out, part, measures[i].key, measures[i].name, &first);
}

/* Before accuracy, which is high for almost any model where a class is rare. */
static void say_rare(FILE *out, const json_t *rare) {
  const json_t *seeds = json_object_get(rare, "seeds");
  const char *name = page_words(rare, "name");
  if (json_array_size(seeds) == 0) return;
  (void)fprintf(out, "class %.0f%s%.*s has %.3g%% of the labels: ", page_number(rare, "class"),
                name[0] == '\0' ? "" : ", ", sotto_i_fitting(name, 60), name,
                100 * page_number(rare, "share"));
  (void)fprintf(out, "average precision %.4g, AUC %.4g, recall %.4g at %.3g%% alerts; ",
                report_mean_over(seeds, "test", "average_precision"), report_mean_over(seeds, "test", "auc"),
                report_mean_over(seeds, "test", "recall"), 100 * page_number(rare, "alert_rate"));
  (void)fprintf(out, "the threshold finds %.4g of %.4g by %.4g alerts; ",
                report_mean_over(seeds, "alerts", "found"), report_mean_over(seeds, "test", "members"),
                report_mean_over(seeds, "alerts", "nodes"));
}

void filing_say_utility(FILE *out, const filing_facts *f) {
  if (f->run.result == NULL) {
    if (f->run.hides)
      (void)fputs("in the owner's hands: the numbers follow from private data, and --owner puts them here",
                  out);
    return;
  }
  if (!is_measured(json_object_get(f->run.result, "test"))) return;
  (void)fputs("on the test part: ", out);
  say_rare(out, json_object_get(f->run.result, "rare"));
  say_measures(out, json_object_get(f->run.result, "test"));
  if (!is_measured(json_object_get(f->run.result, "baseline"))) return;
  (void)fputs("; without edges: ", out);
  say_measures(out, json_object_get(f->run.result, "baseline"));
}

void filing_say_numerics(FILE *out, const filing_facts *f) {
  (void)fputs(
      page_true(f->statement, "insecure")
          ? "INSECURE: a seed that is not secret was asked for, and who knows it can take the noise away"
          : "noise comes from a stream of ChaCha20 that the system's randomness seeds, is the last step "
            "before a "
            "release, and is rounded as docs/privacy.md says of each mechanism; a stated epsilon is rounded "
            "up; the "
            "time that training takes is not covered",
      out);
}

void filing_say_verdict(FILE *out, const filing_facts *f) {
  char guess[SOTTO_GUARANTEE_WORDS];
  (void)fputs(page_words(f->statement, "verdict"), out);
  if (f->run.together.count == 0) return;
  sotto_guarantee_guess_words(guess, sizeof guess, sotto_guarantee_guess(filing_epsilon(f), filing_delta(f)));
  say_later(out, f, "; with ");
  (void)fprintf(out, " together: epsilon %.6g at delta ", filing_epsilon(f));
  say_delta(out, filing_delta(f));
  (void)fprintf(out, ", a guess is right %s", guess);
}

void filing_say_limits(FILE *out, const filing_facts *f) {
  say_list(out, list_of(f, "not_covered"));
}

void filing_say_program(FILE *out, const filing_facts *f) {
  const json_t *program = json_object_get(f->statement, "program"),
               *method = json_object_get(f->statement, "method");
  (void)fprintf(out, "%s %s, method %s: %s", page_words(program, "name"), page_words(program, "version"),
                page_words(method, "name"), page_words(method, "summary"));
}

void filing_say_settings(FILE *out, const filing_facts *f) {
  char *terms = NULL;
  if (!f->run.has_options || sotto_options_terms(&terms, &f->run.options, NULL) != SOTTO_OK) return;
  for (char *at = terms; *at != '\0'; at++) {
    if (*at == '\n' && at[1] != '\0')
      (void)fputs(", ", out);
    else if (*at != '\n')
      (void)fputc(*at, out);
  }
  sotto_text_free(terms);
}

void filing_say_data(FILE *out, const filing_facts *f) {
  const json_t *data = json_object_get(f->statement, "dataset");
  const double nodes = page_number(data, "nodes");
  if (page_words(data, "name")[0] == '\0') return;
  (void)fputs(page_words(data, "name"), out);
  if (isfinite(nodes))
    (void)fprintf(out, ", %.0f nodes", nodes); /* where their number is private it is not stated */
  if (page_words(data, "digest")[0] != '\0') (void)fprintf(out, ", digest %s", page_words(data, "digest"));
}

void filing_say_after(FILE *out, const filing_facts *f) {
  (void)fputs("what is published is computed from the releases above, from what is taken for public, and "
              "from what is named as "
              "not covered: ",
              out);
  say_list(out, list_of(f, "not_covered"));
}

void filing_say_proof(FILE *out, const filing_facts *f) {
  const json_t *ledger = json_object_get(f->statement, "ledger");
  (void)fprintf(
      out, "statement.json, whose digests of files and signature `sotto statement verify` checks; made %s",
      page_words(f->statement, "date"));
  if (page_words(ledger, "id")[0] != '\0')
    (void)fprintf(out, "; ledger %.16s, last entry %.16s", page_words(ledger, "id"),
                  page_words(ledger, "chain"));
}

/* Is the word one of those in the list, with spaces between? */
static bool is_among(const char *word, const char *list) {
  const size_t length = strlen(word);
  for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

static void say_finding(FILE *out, const json_t *finding) {
  const double auc = page_number(finding, "auc"), low = page_number(finding, "tpr_at_1_percent"),
               bound = page_number(finding, "epsilon_lower_bound"),
               stated = page_number(finding, "stated_epsilon");
  (void)fprintf(out, "%s, %s: ", page_words(finding, "attack"), page_words(finding, "variant"));
  if (isfinite(auc)) (void)fprintf(out, "AUC %.4f, %.4f found at 1%% false alarms; ", auc, low);
  if (isfinite(bound)) (void)fprintf(out, "epsilon at least %.4f, stated %.4f; ", bound, stated);
  (void)fputs(!page_true(finding, "decides") ? "not a test of the stated epsilon"
              : page_true(finding, "holds")  ? "no objection"
                                             : "OBJECTION",
              out);
}

void filing_say_findings(FILE *out, const filing_facts *f, const char *attacks) {
  size_t i, said = 0;
  json_t *finding;
  if (f->audit == NULL) {
    (void)fputs(f->audit_note, out);
    return;
  }
  json_array_foreach(json_object_get(f->audit, "findings"), i, finding) {
    if (!is_among(page_words(finding, "attack"), attacks)) continue;
    if (said++ > 0) (void)fputs("; ", out);
    say_finding(out, finding);
  }
  if (said == 0)
    (void)fprintf(out, "not run on this model; `sotto audit RUN --attack NAME` runs one (%s)", attacks);
}

sotto_status filing_answer_text(char **out, const filing_question *question, const filing_facts *facts,
                                sotto_error *err) {
  size_t size = 0;
  *out = NULL;
  if (question->answer == NULL) return SOTTO_OK;
  FILE *text = open_memstream(out, &size);
  if (text == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for an answer");
  question->answer(text, facts);
  const bool failed = ferror(text) != 0;
  if (fclose(text) != 0 || failed) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for an answer");
  sotto_text_clean(*out, false);
  if ((*out)[0] != '\0') return SOTTO_OK;
  free(*out);
  *out = NULL;
  return SOTTO_OK;
}
