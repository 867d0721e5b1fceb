/* evidence.json: digests of the files that a run folder may hand on, and a signature over them. */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "inside/dp.h"
#include "run/files/folder_file.h"
#include "run/files/kept_check.h"

enum { form = 1 };

static const sotto_i_folder_file evidence_file = {
    "evidence.json", SOTTO_I_FOR_ANYONE, "digests of the files next to it, and a signature over them"};
static const sotto_i_folder_file certificate_file = {"evidence.crt", SOTTO_I_FOR_ANYONE,
                                                     "the certificate of the party that signed"};

typedef struct listing {
  json_t *list;
  const char *folder;
  sotto_status status;
  sotto_error *err;
} listing;

static int add_file(void *context, const char *name) {
  listing *l = context;
  char digest[65];
  l->status = sotto_i_file_digest(digest, l->folder, name, l->err);
  if (l->status == SOTTO_OK && json_object_set_new(l->list, name, json_string(digest)) != 0)
    l->status = sotto_i_fail(l->err, SOTTO_NOMEM, "no memory for the evidence of the run");
  return l->status == SOTTO_OK ? 0 : -1;
}

static sotto_status add_files(json_t *list, const char *folder, sotto_error *err) {
  listing l = {.list = list, .folder = folder, .err = err};
  const sotto_status status = sotto_i_evidence_walk(folder, add_file, &l, err);
  return status == SOTTO_OK ? l.status : status;
}

char *sotto_i_evidence_text(json_t *evidence) {
  json_t *signed_part = json_copy(evidence);
  if (signed_part == NULL) return NULL;
  (void)json_object_del(signed_part, "signature");
  char *text = json_dumps(signed_part, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(signed_part);
  return text;
}

/* Copies the certificate, with which a reader of the folder can verify the signature. */
static sotto_status copy_certificate(const char *folder, const char *identity, sotto_error *err) {
  char *from = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&from, sotto_identity_folder(identity), "own.crt", err));
  SOTTO_TRY(sotto_i_map_open(&map, from, err));
  SOTTO_TRY(sotto_i_folder_write(folder, &certificate_file, NULL, NULL, map.data, map.size, err));
done:
  sotto_i_map_close(&map);
  sotto_i_free(from);
  return status;
}

static void set_signer(json_t *evidence, const char *by, const char *name, const char *key) {
  json_object_set_new(evidence, "by", json_string(by));
  json_object_set_new(evidence, "name", json_string(name));
  json_object_set_new(evidence, "key", json_string(key));
}

static void set_signature(json_t *evidence, const uint8_t *bytes, size_t size) {
  char hex[2 * SOTTO_MOST_SIGNATURE + 1];
  sotto_i_hex(hex, bytes, size);
  json_object_set_new(evidence, "signature", json_string(hex));
}

static sotto_status sign_by_identity(json_t *evidence, const char *folder, const char *identity,
                                     sotto_error *err) {
  sotto_identity_info info;
  sotto_signature signature;
  char *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_identity_check(&info, identity, err));
  set_signer(evidence, "identity", info.name, info.fingerprint);
  text = sotto_i_evidence_text(evidence);
  if (text == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the evidence of the run");
    goto done;
  }
  SOTTO_TRY(sotto_identity_sign(&signature, identity, SOTTO_I_EVIDENCE_PURPOSE, text, strlen(text), err));
  set_signature(evidence, signature.bytes, signature.size);
  SOTTO_TRY(copy_certificate(folder, identity, err));
done:
  free(text);
  return status;
}

static sotto_status sign_by_owner(json_t *evidence, sotto_ledger *ledger, sotto_error *err) {
  sotto_ledger_proof proof;
  sotto_ledger_signature signature;
  char key[65], *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_ledger_prove(ledger, &proof, err));
  sotto_i_hex(key, proof.owner, 32);
  set_signer(evidence, "ledger key", "", key);
  text = sotto_i_evidence_text(evidence);
  if (text == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the evidence of the run");
    goto done;
  }
  sotto_ledger_sign(ledger, &signature, SOTTO_I_EVIDENCE_PURPOSE, text, strlen(text));
  set_signature(evidence, signature.bytes, sizeof signature.bytes);
done:
  free(text);
  return status;
}

sotto_status sotto_i_evidence_write(const char *folder, const sotto_i_signer *signer, sotto_error *err) {
  json_t *list = json_object(), *evidence = json_pack("{s:i,s:O}", "form", form, "files", list);
  const sotto_party *party = signer->party;
  sotto_status status = SOTTO_OK;
  if (evidence == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the evidence of the run");
    goto done;
  }
  SOTTO_TRY(sotto_i_kept_write(folder, err));
  SOTTO_TRY(add_files(list, folder, err));
  if (party != NULL && !party->insecure_loopback) {
    SOTTO_TRY(sign_by_identity(evidence, folder, party->folder, err));
  } else if (signer->ledger != NULL) {
    SOTTO_TRY(sign_by_owner(evidence, signer->ledger, err));
  } else {
    set_signer(evidence, "nobody", "", "");
    json_object_set_new(evidence, "signature", json_string(""));
  }
  status = sotto_i_folder_save_json(json_incref(evidence), folder, &evidence_file, NULL,
                                    JSON_INDENT(2) | JSON_SORT_KEYS, err);
done:
  json_decref(list);
  json_decref(evidence);
  return status;
}
