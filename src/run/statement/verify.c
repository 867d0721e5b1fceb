/* Verification of a run folder: its statement, the charges in the ledger, the signature, the digests of its
 * files. */
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "run/files/folder_file.h"
#include "run/files/kept_check.h"
#include "run/storage/run_folder.h"

/* Loads a file; *out stays NULL if it does not exist. `hidden`: also look in owner-only/. Not for files
 * that are themselves verified, which others read in the run folder. */
static sotto_status load(json_t **out, const char *folder, const char *name, bool hidden, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(hidden ? sotto_i_folder_find(&path, folder, name, err) : sotto_i_join(&path, folder, name, err));
  if (sotto_i_is_file(path)) SOTTO_TRY(sotto_i_verify_load(out, path, err));
done:
  sotto_i_free(path);
  return status;
}

/* Opens the ledger that can be found. *out stays NULL, with a note, if there is none. */
static sotto_status open_ledger(sotto_ledger **out, sotto_statement_check *check,
                                const sotto_statement_ask *ask, sotto_error *err) {
  sotto_error why = {0};
  *out = NULL;
  if (ask->no_ledger) {
    (void)snprintf(check->ledger_note, sizeof check->ledger_note, "the ledger was not looked at");
  } else if (ask->ledger != NULL) {
    return sotto_ledger_open(out, ask->ledger, err);
  } else if (sotto_ledger_is_missing(NULL)) {
    (void)snprintf(check->ledger_note, sizeof check->ledger_note, "no ledger is at hand; name its path");
  } else if (sotto_ledger_open(out, NULL, &why) != SOTTO_OK) {
    (void)snprintf(check->ledger_note, sizeof check->ledger_note, "%.239s", why.text);
  }
  return SOTTO_OK;
}

/* *entries: length of the ledger's chain at the end of the run, by its mark. */
static sotto_status check_moment(uint64_t *entries, bool *same, sotto_ledger *ledger,
                                 const sotto_ledger_mark *mark, const sotto_statement_ask *ask,
                                 sotto_error *err) {
  sotto_status status = sotto_ledger_mark_find(ledger, same, entries, mark, err);
  if (status != SOTTO_OK) return status;
  if (!*same && ask->ledger != NULL)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is another ledger than the one that statement.json names; give the path of that one",
        sotto_ledger_path(ledger));
  if (*same && *entries == 0)
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "statement.json: ledger.chain is no moment of the chain of %s: the file was changed, or the "
        "ledger is an older copy",
        sotto_ledger_path(ledger));
  return SOTTO_OK;
}

/* Reads the run's id, by which the ledger finds its charges. */
static sotto_status read_id(char id[33], const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_join(&path, folder, "run.id", err);
  if (status != SOTTO_OK) return status;
  if (sotto_i_is_file(path))
    status = sotto_i_run_folder_id(id, folder, err);
  else
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: is missing, and by it the ledger finds the run's charges: bring it back from "
                          "a copy of the folder",
                          path);
  sotto_i_free(path);
  return status;
}

/* Does the key in the evidence belong to this ledger's owner? */
static sotto_status find_owner(sotto_statement_check *out, const json_t *evidence, sotto_ledger *ledger,
                               sotto_error *err) {
  sotto_ledger_proof proof;
  uint8_t key[32];
  if (out->by != SOTTO_SIGNED_BY_LEDGER_KEY) return SOTTO_OK;
  sotto_status status = sotto_ledger_prove(ledger, &proof, err);
  if (status != SOTTO_OK) return status;
  out->key_known =
      sotto_i_verify_hex(key, 32, sotto_i_verify_words(evidence, "key")) && memcmp(key, proof.owner, 32) == 0;
  return SOTTO_OK;
}

/* The party that charged this ledger must have signed with its key. */
static sotto_status check_owner(const sotto_statement_check *out, const sotto_ledger *ledger,
                                sotto_error *err) {
  if (out->by != SOTTO_SIGNED_BY_LEDGER_KEY || out->key_known) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "evidence.json: key is not that of the owner of %s: the file was changed",
                      sotto_ledger_path(ledger));
}

/* Does the signature bind the covered files? No signature, or one by an unknown key, does not. */
static bool is_bound(const sotto_statement_check *out) {
  return out->by != SOTTO_SIGNED_BY_NOBODY && out->key_known;
}

/* If nothing binds the mark, an editor of the statement could have chosen an earlier moment: all charges of
 * the run are then counted. */
static sotto_status check_charges(sotto_statement_check *out, const json_t *statement, const json_t *evidence,
                                  const char *folder, const sotto_statement_ask *ask, sotto_error *err) {
  sotto_ledger_mark mark;
  sotto_ledger *ledger = NULL;
  uint64_t entries;
  char id[33];
  bool same = false;
  const bool named = sotto_i_verify_mark(&mark, statement);
  sotto_status status;
  SOTTO_TRY(open_ledger(&ledger, out, ask, err));
  if (!named)
    (void)snprintf(out->ledger_note, sizeof out->ledger_note, "the statement names no ledger of this party");
  if (ledger == NULL) goto done;
  SOTTO_TRY(find_owner(out, evidence, ledger, err));
  SOTTO_TRY(read_id(id, folder, err));
  if (!named) {
    SOTTO_TRY(sotto_i_verify_none(ledger, id, false, err));
    goto done;
  }
  SOTTO_TRY(check_moment(&entries, &same, ledger, &mark, ask, err));
  if (!same) {
    (void)snprintf(out->ledger_note, sizeof out->ledger_note,
                   "the ledger that the statement names is not at hand; name its path");
    SOTTO_TRY(sotto_i_verify_none(ledger, id, true, err));
    goto done;
  }
  SOTTO_TRY(check_owner(out, ledger, err));
  SOTTO_TRY(sotto_i_verify_charges(out, statement, id, ledger, is_bound(out) ? entries : UINT64_MAX, err));
done:
  sotto_ledger_close(ledger);
  return status;
}

static sotto_status fail_signature(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "evidence.json: signature does not hold over its other fields: the file was changed");
}

static sotto_status check_by_owner(sotto_statement_check *out, const json_t *evidence, const char *text,
                                   const sotto_statement_ask *ask, sotto_error *err) {
  sotto_ledger_signature signature;
  if (ask->certificate != NULL)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "evidence.json: the key of a ledger signed it, and no certificate; leave the certificate out");
  if (!sotto_i_verify_hex(signature.owner, 32, sotto_i_verify_words(evidence, "key")) ||
      !sotto_i_verify_hex(signature.bytes, 64, sotto_i_verify_words(evidence, "signature")) ||
      !sotto_ledger_signed(&signature, SOTTO_I_EVIDENCE_PURPOSE, text, strlen(text)))
    return fail_signature(err);
  out->by = SOTTO_SIGNED_BY_LEDGER_KEY;
  (void)snprintf(out->key, sizeof out->key, "%.64s", sotto_i_verify_words(evidence, "key"));
  return SOTTO_OK;
}

/* Is it this party's own key, or a trusted one? */
static bool is_known(const sotto_identity_info *signer) {
  sotto_identity_info info;
  if (sotto_identity_check(&info, NULL, NULL) == SOTTO_OK &&
      strcmp(info.fingerprint, signer->fingerprint) == 0)
    return true;
  return sotto_identity_check_peer(&info, NULL, signer->name, NULL) == SOTTO_OK && !info.authority &&
         strcmp(info.fingerprint, signer->fingerprint) == 0;
}

static sotto_status check_by_identity(sotto_statement_check *out, const json_t *evidence, const char *text,
                                      const char *folder, const sotto_statement_ask *ask, sotto_error *err) {
  const char *hex = sotto_i_verify_words(evidence, "signature");
  sotto_signature signature = {.size = strlen(hex) / 2};
  sotto_identity_info info;
  char *path = NULL;
  sotto_status status;
  if (signature.size == 0 || signature.size > sizeof signature.bytes ||
      !sotto_i_verify_hex(signature.bytes, signature.size, hex))
    return fail_signature(err);
  SOTTO_TRY(sotto_i_join(&path, folder, SOTTO_I_CERTIFICATE, err));
  status = sotto_identity_verify(&info, ask->certificate == NULL ? path : ask->certificate,
                                 SOTTO_I_EVIDENCE_PURPOSE, text, strlen(text), &signature, err);
  if (status == SOTTO_CORRUPT && ask->certificate == NULL) status = fail_signature(err);
  if (status != SOTTO_OK) goto done;
  out->by = SOTTO_SIGNED_BY_IDENTITY;
  out->key_known = ask->certificate != NULL || is_known(&info);
  (void)snprintf(out->name, sizeof out->name, "%s", info.name);
  (void)snprintf(out->key, sizeof out->key, "%s", info.fingerprint);
  (void)snprintf(out->words, sizeof out->words, "%s", info.words);
done:
  sotto_i_free(path);
  return status;
}

static sotto_status check_signature(sotto_statement_check *out, json_t *evidence, const char *folder,
                                    const sotto_statement_ask *ask, sotto_error *err) {
  const char *by = sotto_i_verify_words(evidence, "by");
  char *text = sotto_i_evidence_text(evidence);
  sotto_status status = SOTTO_OK;
  if (text == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the evidence of the run");
  if (strcmp(by, "identity") == 0)
    status = check_by_identity(out, evidence, text, folder, ask, err);
  else if (strcmp(by, "ledger key") == 0)
    status = check_by_owner(out, evidence, text, ask, err);
  else if (strcmp(by, "nobody") != 0)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "evidence.json: by is '%.40s': the file was changed", by);
  free(text);
  return status;
}

static sotto_status check_digest(const char *folder, const char *name, const json_t *value,
                                 sotto_error *err) {
  char digest[65];
  sotto_error why = {0};
  if (!sotto_i_evidence_covers(name))
    return sotto_i_fail(err, SOTTO_CORRUPT, "evidence.json: files has '%.80s', which is no file of a run",
                        name);
  const sotto_status status = sotto_i_file_digest(digest, folder, name, &why);
  if (status == SOTTO_NOT_FOUND)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "%.300s/%s: is missing, and evidence.json has its digest: bring it back from a copy",
                        folder, name);
  if (status != SOTTO_OK) {
    *err = why;
    return status;
  }
  if (json_is_string(value) && strcmp(digest, json_string_value(value)) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "%.300s/%s: was changed: its digest is not the one in evidence.json", folder, name);
}

typedef struct rest {
  const json_t *files;
  sotto_statement_check *out;
} rest;

static int count_rest(void *context, const char *name) {
  const rest *r = context;
  if (json_object_get(r->files, name) != NULL) return 0;
  if (r->out->uncovered++ == 0)
    (void)snprintf(r->out->uncovered_name, sizeof r->out->uncovered_name, "%s", name);
  return 0;
}

static sotto_status check_digests(sotto_statement_check *out, const json_t *evidence, const char *folder,
                                  sotto_error *err) {
  json_t *files = json_object_get(evidence, "files"), *value;
  rest r = {files, out};
  const char *name;
  sotto_status status;
  if (json_object_get(files, "statement.json") == NULL)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "evidence.json: files lacks statement.json: the file was changed");
  json_object_foreach(files, name, value) {
    SOTTO_TRY(check_digest(folder, name, value, err));
    out->files++;
  }
  SOTTO_TRY(sotto_i_evidence_walk(folder, count_rest, &r, err));
done:
  return status;
}

static sotto_status check_form(const json_t *statement, sotto_error *err) {
  const double form = sotto_i_verify_number(statement, "form");
  if (form == SOTTO_I_STATEMENT_FORM) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "statement.json: has form %.0f, and this version reads form %d: read it with the version of "
      "sotto that wrote it",
      isnan(form) ? 0 : form, SOTTO_I_STATEMENT_FORM);
}

/* Members of a statement that only a signature binds: neither ledger entries nor other members do. */
static const char bound_by_signature_alone[] =
    "program, date, method, dataset, adjacency_means, adversary, accountant, accounting, planned epsilons, "
    "parties, exposed, assumed_public, not_covered, claim, details, what each mechanism releases, and which "
    "of the levels that are charged as one adjacency is";

static void note_unchecked(sotto_statement_check *out) {
  if (is_bound(out)) return;
  (void)snprintf(out->unchecked, sizeof out->unchecked, "%s",
                 out->charges_checked ? bound_by_signature_alone
                                      : "all fields, since no charge was compared with a ledger");
}

/* A statement that contradicts its ledger gives errors that name fields. Digests name only files, and are
 * checked last. */
static sotto_status check_all(sotto_statement_check *out, json_t *statement, const json_t *result,
                              json_t *evidence, const char *folder, const sotto_statement_ask *ask,
                              sotto_error *err) {
  json_t *again = json_object_get(result, "privacy");
  sotto_status status;
  SOTTO_TRY(check_form(statement, err));
  if (evidence != NULL) {
    SOTTO_TRY(check_signature(out, evidence, folder, ask, err));
  } else if (ask->certificate != NULL) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%.300s: has no evidence.json, so nobody signed it", folder);
    goto done;
  }
  SOTTO_TRY(check_charges(out, statement, evidence, folder, ask, err));
  SOTTO_TRY(sotto_i_verify_fields(statement, err));
  if (json_is_object(again)) SOTTO_TRY(sotto_i_verify_same(statement, again, "", err));
  if (evidence != NULL) SOTTO_TRY(check_digests(out, evidence, folder, err));
  SOTTO_TRY(sotto_i_verify_promises(statement, folder, err)); /* by run.yaml, whose digest was checked */
  note_unchecked(out);
done:
  return status;
}

sotto_status sotto_i_statement_verify(sotto_statement_check *out, const char *folder,
                                      const sotto_statement_ask *ask, sotto_error *err) {
  const sotto_statement_ask usual = {.certificate = NULL};
  json_t *statement = NULL, *result = NULL, *evidence = NULL;
  sotto_status status;
  *out = (sotto_statement_check){.by = SOTTO_SIGNED_BY_NOBODY};
  SOTTO_TRY(load(&statement, folder, "statement.json", false, err));
  if (statement == NULL) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%.300s: has no statement.json; name the folder of a finished run", folder);
    goto done;
  }
  SOTTO_TRY(load(&result, folder, "result.json", true, err));
  SOTTO_TRY(load(&evidence, folder, SOTTO_I_EVIDENCE, false, err));
  SOTTO_TRY(check_all(out, statement, result, evidence, folder, ask == NULL ? &usual : ask, err));
done:
  json_decref(statement);
  json_decref(result);
  json_decref(evidence);
  return status;
}
