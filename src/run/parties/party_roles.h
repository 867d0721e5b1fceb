/* Which parties a run has, and who talks to whom: holders to all, clients to the server alone,
 * holders without a server to the label party alone. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_ROLES_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_ROLES_H

#include "run/method/method.h"

/* Errors: UNSUPPORTED for a method that is of one owner. */
sotto_status sotto_i_party_supported(const sotto_options *options, sotto_error *err);
/* Has the run more than two parties? */
bool sotto_i_party_of_several(const sotto_party *party, const sotto_options *options);
/* Does it hear all others: the server, or the label party in its place? */
bool sotto_i_party_is_hub(const sotto_party *party, const sotto_options *options);
/* Has it data of its own? A server and a helper have none. */
bool sotto_i_party_has_data(const sotto_party *party);
/* Is it the party with the labels, apart from those with the edges? */
bool sotto_i_party_is_apart(const sotto_party *party, const sotto_options *options);
/* Number of holders (with a party of labels alone) or clients, and number of peers of this party. */
size_t sotto_i_party_members(const sotto_options *options);
size_t sotto_i_party_peers(const sotto_party *party, const sotto_options *options);

/* Takes the rows of `data` whose ids are in the file, one id a line, in its order, with the edges among them;
 * and the digest of these ids. Of data without ids line i is the id of row i. Errors: INVALID (an id that no
 * row has, or too few lines), and those of sotto_ids_open. */
sotto_status sotto_i_party_take_ids(sotto_dataset *data, uint8_t digest[32], const char *path,
                                    sotto_error *err);
/* The digest of all ids of the data, or of the numbers of its rows, each ended by a line feed. */
void sotto_i_party_digest_ids(uint8_t digest[32], const sotto_dataset *data);

#endif
