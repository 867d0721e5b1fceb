/* A party's seeds in a run of several: the agreement of all parties before they continue. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_MESH_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_MESH_H

#include "party_seeds.h"

/* Meets all other parties and does all seeds; begins again from common points whenever one of them did. */
sotto_status sotto_i_party_mesh(const sotto_i_party_run *run, const char *terms, sotto_error *err);

#endif
