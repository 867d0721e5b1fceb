/* A process that dies at once, as a killed one does, at one step of an artifact; and the steps that it went
 * through before, in a file. Functions that the library calls at these steps are wrapped by the linker. */
#ifndef SOTTO_TESTS_FAULTS_DEATH_H
#define SOTTO_TESTS_FAULTS_DEATH_H

/* Names are of files, relative to the run folder; of charges, what their ids have between the run and the
 * draw; of payloads, as the link has them. */
typedef enum death_step {
  DEATH_NOWHERE,
  DEATH_HALF_SAVED,  /* file: half of its first bytes are written */
  DEATH_UNNAMED,     /* file: written, and not yet renamed to what it is called */
  DEATH_SAVED,       /* file: it is there */
  DEATH_UNCHARGED,   /* charge: nothing of it is in the ledger */
  DEATH_UNCOMMITTED, /* charge: written, and not yet committed */
  DEATH_CHARGED,     /* charge: it stands, and nobody has its receipt */
  DEATH_UNREAD,      /* file, of an artifact: about to be read by the role */
  DEATH_SENT,        /* payload of a release: handed to the link */
  DEATH_STEPS
} death_step;

/* "half-saved", "unnamed", ... */
const char *death_step_name(death_step step);

typedef struct death {
  death_step step; /* NOWHERE: it lives */
  char name[120];
} death;

/* From now on this process appends a line to the file `log` at every step, and is killed at the first that is
 * `at`: "STEP NAME", and for a charge and a reading the draw that it is of, for a payload its digest. */
void death_arm(const char *folder, const char *log, const death *at);

#endif
