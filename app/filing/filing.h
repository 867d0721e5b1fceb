/* What an office files about a run: one folder with a record for the registry of deployments of differential
 * privacy, the questions of NIST SP 800-226, of EDPB opinion 28/2024, of Annex IV of the AI Act and of an
 * impact assessment, a model card, Croissant metadata and an SPDX document. Each answer says where it comes
 * from; what no file of the run says is a person's to say (docs/report.md). */
#ifndef SOTTO_APP_FILING_FILING_H
#define SOTTO_APP_FILING_FILING_H

#include "sotto/base.h"

enum { FILING_PATH = 1200 };

typedef struct filing_ask {
  const char *run;
  const char *out; /* the folder, which must not be there or be empty; NULL: RUN/regulator, of the owner
                      RUN/owner-only/regulator */
  bool owner;      /* with numbers of audits, which follow from the true data */
  const char *key; /* folder of a party's identity that signs the list of files; NULL: nobody signs */
} filing_ask;

typedef struct filing_made {
  char path[FILING_PATH];
  size_t asked, answered; /* questions, and those that the program answered */
  size_t fields, filled;  /* of the registry's record, and those that the program filled */
  bool pdf;               /* false: the program rsvg-convert is not there */
} filing_made;

/* Errors: NOT_FOUND (no statement), CORRUPT (an edited one), INVALID (`out` is not empty; a run without a
 * guarantee has no record of a deployment), those of sotto_identity_sign, IO, NOMEM. */
sotto_status filing_write(filing_made *made, const filing_ask *ask, sotto_error *err);

#endif
