/* A listening address of a process, for one wire or several. A connection goes to the wire of its peer once
 * it is identified; other connections are refused. */
#ifndef SOTTO_SRC_PARTY_WIRE_LOBBY_H
#define SOTTO_SRC_PARTY_WIRE_LOBBY_H

#include "conn.h"
#include "inside/party.h"

typedef struct sotto_i_lobby sotto_i_lobby;

/* Listens at the options' address, with their folder, limits and observer; other options are not read.
 * Errors: INVALID, IO, NOMEM. */
sotto_status sotto_i_lobby_open(sotto_i_lobby **out, const sotto_wire_options *options, sotto_error *err);
int sotto_i_lobby_socket(const sotto_i_lobby *lobby);
/* The wire gets the connections of its peer until it leaves, which it does before it is freed. */
void sotto_i_lobby_enter(sotto_i_lobby *lobby, sotto_wire *wire);
void sotto_i_lobby_leave(sotto_i_lobby *lobby, sotto_wire *wire);
sotto_status sotto_i_lobby_start(sotto_i_lobby *lobby, sotto_error *err);
/* Accepts no more connections. */
void sotto_i_lobby_stop(sotto_i_lobby *lobby);
/* Stops it if necessary, and frees it. */
void sotto_i_lobby_free(sotto_i_lobby *lobby);

#endif
