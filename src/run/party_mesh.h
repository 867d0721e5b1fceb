/* A party's seeds in a run of several: what all agree on before they go on, and the points to go on from. */
#ifndef SOTTO_SRC_RUN_PARTY_MESH_H
#define SOTTO_SRC_RUN_PARTY_MESH_H

#include "nn/state.h"
#include "party_run.h"

/* Meets all other parties and does all seeds; begins again from common points whenever one of them did. */
sotto_status sotto_i_party_mesh(const sotto_i_party_run *run, const char *terms, sotto_error *err);
/* Asks all peers whether they would come to this run. Errors: those of sotto_wire_meet. */
sotto_status sotto_i_party_mesh_check(const sotto_options *options, const sotto_party *party,
                                      const uint8_t nodes[32], const sotto_observer *observer,
                                      sotto_error *err);

/* Points of a seed: files stages/point-EPOCH-TOKEN.safetensors in its folder. The token is that of the
 * session in which all parties were when it was written: points go together only when both numbers are the
 * same, since shares of two sessions do not add up. */
enum { SOTTO_I_KEPT_POINTS = 2 };
/* Fills pairs of epoch and token, 0 and 0 where there is none. */
void sotto_i_mesh_points(uint32_t out[2 * SOTTO_I_KEPT_POINTS], const char *folder);
/* Removes those of other sessions beyond the agreed one, which is {0, 0} for the beginning. */
void sotto_i_mesh_points_cut(const char *folder, const uint32_t agreed[2]);
/* Removes all. */
void sotto_i_mesh_points_forget(const char *folder);

/* Is the state after so many epochs to be kept? */
bool sotto_i_mesh_point_due(const sotto_i_job *job, uint64_t epoch);
/* Keeps it, and the one before; or fills it from the point that the job's seat has. */
sotto_status sotto_i_mesh_point_save(const sotto_i_job *job, uint64_t epoch, const sotto_i_state *state,
                                     sotto_error *err);
sotto_status sotto_i_mesh_point_load(const sotto_i_job *job, const sotto_i_state *state, sotto_error *err);

#endif
