/* Parties of a run: links and messages between them, identities, signatures, and advice on connection
 * failures.
 *
 * Every payload has a kind that says what it may reveal, and the link refuses anything else: a release must
 * have been charged, and an exposed payload must have a reason. Bytes are counted by kind and direction. A
 * method is written once against a link; links within one process and links over a network behave the
 * same. */
#ifndef SOTTO_PARTY_H
#define SOTTO_PARTY_H

#include "sotto/pmp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOTTO_WIRE_KIND_LIST(X)                                                                              \
  X(PUBLIC, "public", "known to all parties by agreement")                                                   \
  X(RELEASE, "release", "covered by a charge to the owner's ledger")                                         \
  X(SHARE, "share", "uniformly random on its own")                                                           \
  X(SEALED, "sealed", "masked or encrypted")                                                                 \
  X(EXPOSED, "exposed", "raw, and named in the privacy statement")

typedef enum sotto_wire_kind {
#define SOTTO_WIRE_KIND_ENUM(name, word, meaning) SOTTO_WIRE_##name,
  SOTTO_WIRE_KIND_LIST(SOTTO_WIRE_KIND_ENUM)
#undef SOTTO_WIRE_KIND_ENUM
      SOTTO_WIRE_KINDS
} sotto_wire_kind;

/* "public", "release", ... */
SOTTO_API const char *sotto_wire_kind_name(sotto_wire_kind kind);

/* What one side sent and received, in bytes and messages, by kind. */
typedef struct sotto_traffic {
  uint64_t sent[SOTTO_WIRE_KINDS], received[SOTTO_WIRE_KINDS];
} sotto_traffic;

/* One payload that was sent raw: its name, and why that is accepted. */
typedef struct sotto_exposure {
  char name[64], reason[160];
} sotto_exposure;

enum { SOTTO_MOST_EXPOSURES = 32 };

/* One side of a conversation between two parties. Used by one thread at a time. */
typedef struct sotto_link sotto_link;

/* Two ends in one process, e.g. one for each of two threads. Each side frees its own end. When an end is
 * freed or closed, the other end's calls fail with PROTOCOL, so no side waits for ever. */
SOTTO_API sotto_status sotto_link_pair(sotto_link **a, sotto_link **b, sotto_error *err);
SOTTO_API void sotto_link_free(sotto_link *link);

/* Sends a payload of kind public: numbers that do not depend on private data. The matrix is copied. The
 * receiver compares `name` (at most 63 bytes). */
SOTTO_API sotto_status sotto_link_send_public(sotto_link *link, const char *name, const sotto_matrix *matrix,
                                              sotto_error *err);

/* What the receiver requires of a message. A message that differs is refused and the link is closed. */
typedef struct sotto_expectation {
  const char *name;
  sotto_wire_kind kind;
  size_t rows, cols;
  double row_norm; /* every row's l2 norm is at most this, up to rounding; 0: not checked */
} sotto_expectation;
/* Waits for the next message and copies it into *out (rows x cols, the caller's; undefined after a failure).
 * Errors: PROTOCOL (another name or kind, or the other side is gone), RANGE (shape, norm), NUMERIC (not
 * finite), INTERRUPTED. */
SOTTO_API sotto_status sotto_link_receive(sotto_link *link, sotto_matrix *out,
                                          const sotto_expectation *expected, sotto_error *err);

/* The folder of a party's identity: its key (key.pem), its certificate (own.crt, which the party hands to the
 * others), and the certificates that it trusts (trust/NAME.crt). NULL for the folder: $SOTTO_PARTY, else
 * "party". Calls that read a folder fail with INVALID when another user may write to it, or read the key. */
SOTTO_API const char *sotto_identity_folder(const char *folder);
/* Makes an Ed25519 key and a self-signed certificate for `name` (letters, digits, '-', '.', '_'; at most 63),
 * valid for `days` (1 to 36500). With `request` it makes own.csr, which an authority signs instead. In a
 * folder with key.uri, whose line is the PKCS#11 URI of a private key, that key is used. Errors: INVALID
 * (also when a key exists), RANGE, IO; UNSUPPORTED, NOT_FOUND of the token. */
SOTTO_API sotto_status sotto_identity_init(const char *folder, const char *name, uint64_t days, bool request,
                                           sotto_error *err);
/* Makes a new certificate for the same name and key. A party that trusts the key accepts it, and stores it
 * when this party next connects. With `request` it makes own.csr for an authority; a certificate of an
 * authority has to be renewed in this way. Errors: INVALID, NOT_FOUND, RANGE, IO. */
SOTTO_API sotto_status sotto_identity_renew(const char *folder, uint64_t days, bool request,
                                            sotto_error *err);
/* Trusts a party by the key of its certificate. With `as`, trusts a party of this name by the certificate of
 * an authority. `name` (64 bytes) gets the trusted name. `replace` allows another key for a name that is
 * trusted already. Errors: INVALID (not a certificate, none or several names, expired, a name other than
 * `as`, this party's own, another key, a revoked key, a name that differs from a trusted one in capital
 * letters alone), NOT_FOUND, IO. */
SOTTO_API sotto_status sotto_identity_trust(char name[64], const char *folder, const char *path,
                                            const char *as, bool replace, sotto_error *err);
/* Days before a certificate ends, from which a warning is given. */
enum { SOTTO_IDENTITY_NOTICE = 30 };
/* `fingerprint` is SHA-256 of the public key (SubjectPublicKeyInfo), in hexadecimal. `words` are twelve
 * English words for its first 132 bits, to be compared by telephone. `days` are left until `ends`
 * (YYYY-MM-DD), and below 0 after it. With `authority` all fields describe the authority by which the name is
 * trusted. */
typedef struct sotto_identity_info {
  char name[64], fingerprint[65], words[128], ends[32];
  int64_t days;
  bool authority;
} sotto_identity_info;
/* Checks the key and the certificate of this party, and reads them into *out. Errors: NOT_FOUND, INVALID (key
 * and certificate do not belong together; expired), IO. */
SOTTO_API sotto_status sotto_identity_check(sotto_identity_info *out, const char *folder, sotto_error *err);
/* The same for a trusted peer. The stored certificate of a party may have expired: the party may present a
 * new one. */
SOTTO_API sotto_status sotto_identity_check_peer(sotto_identity_info *out, const char *folder,
                                                 const char *peer, sotto_error *err);
/* The trusted names in ascending order, in fresh memory; free it with sotto_identity_list_free. Errors:
 * NOMEM. */
SOTTO_API sotto_status sotto_identity_list(char (**names)[64], size_t *count, const char *folder,
                                           sotto_error *err);
SOTTO_API void sotto_identity_list_free(char (*names)[64]);
/* Ends the trust in a peer. Its file is removed, and its key is refused from the next handshake on, also when
 * an authority signs it. For a peer that is trusted by an authority, the trust in that authority ends for
 * this name. With `certificate`, the path of that peer's own certificate, its key is refused and the trust in
 * the authority remains. `out` describes what was revoked. Errors: NOT_FOUND, INVALID, IO. */
SOTTO_API sotto_status sotto_identity_revoke(sotto_identity_info *out, const char *folder, const char *peer,
                                             const char *certificate, sotto_error *err);

/* A signature by a party's key: Ed25519, or the token key's algorithm over SHA-256. */
enum { SOTTO_MOST_SIGNATURE = 1024 };
typedef struct sotto_signature {
  uint8_t bytes[SOTTO_MOST_SIGNATURE];
  size_t size;
} sotto_signature;
/* Signs data with the key of this party's folder. The signed text is "sotto PURPOSE 1 DIGEST", where DIGEST
 * is SHA-256 of the data in hexadecimal, so that a signature is valid for one purpose alone. `purpose` is one
 * word of lower-case letters, at most 31. Errors: those of sotto_identity_check; INVALID (purpose), IO (the
 * token). */
SOTTO_API sotto_status sotto_identity_sign(sotto_signature *out, const char *folder, const char *purpose,
                                           const void *data, size_t size, sotto_error *err);
/* Verifies that the key in this certificate (PEM) made the signature for this purpose and data. `out`
 * describes the owner of the key. The dates of the certificate are not checked: a signature outlives its
 * certificate. Errors: CORRUPT (another signature), INVALID (certificate, purpose), NOT_FOUND, IO. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_identity_verify(sotto_identity_info *out, const char *certificate,
                                                            const char *purpose, const void *data,
                                                            size_t size, const sotto_signature *signature,
                                                            sotto_error *err);

/* Reasons why a run cannot start or go on: a name, and advice. The first means that there is none. */
#define SOTTO_TROUBLE_LIST(X)                                                                                \
  X(NONE, "ok", "")                                                                                          \
  X(OTHER, "other", "read the text")                                                                         \
  X(DATA_MISSING, "data missing", "correct the path of --data, or make the file readable")                   \
  X(DATA_OTHER, "data does not fit", "give data that has what this role needs")                              \
  X(KEY, "own key", "make a key with `sotto identity init`, or restore the files of this one")               \
  X(KEY_OPEN, "key open to others", "remove the access of other users, as the text says")                    \
  X(UNTRUSTED, "not trusted", "join its consortium (sotto consortium join), or trust its certificate")       \
  X(OTHER_KEY, "another key",                                                                                \
    "the peer shows another key than the trusted one: compare the words by telephone, then trust it anew")   \
  X(REFUSED, "certificate refused",                                                                          \
    "the peer refuses this party's certificate: have it trust this party's own.crt, and compare the words "  \
    "and both clocks")                                                                                       \
  X(DATES, "certificate dates",                                                                              \
    "a certificate has ended or not begun: correct both clocks, or renew it with `sotto identity renew`")    \
  X(LEDGER, "ledger",                                                                                        \
    "look whether another program holds the ledger, and whether this user may write to it")                  \
  X(BUDGET, "budget", "lower epsilon, or raise the budget with `sotto ledger budget`")                       \
  X(DISK, "disk", "make room, or name another folder with --out")                                            \
  X(ADDRESS, "address", "correct the host's name or the address to listen at")                               \
  X(CLOSED, "port closed",                                                                                   \
    "the host answers and the port is closed: start the peer, correct the port, or open it there")           \
  X(SILENT, "no answer",                                                                                     \
    "the host is down, or a firewall drops what goes there: open the way from here to it, or let the peer "  \
    "connect to this party")                                                                                 \
  X(STRANGER, "not a party", "what is there is no Sotto party of this run: correct the port or the address") \
  X(ABSENT, "nobody came",                                                                                   \
    "have the peer run or check at the same time; if it does, open the way from it to here")                 \
  X(PROXY, "proxy", "correct --proxy, or have the proxy allow CONNECT to this address and port")             \
  X(VERSION, "protocol version", "use one version of sotto at all parties")                                  \
  X(TERMS, "terms", "have all parties take the same run file and the same options")                          \
  X(NODES, "nodes", "align the tables of all parties (sotto align) and give --ids")                          \
  X(ROLES, "roles", "agree who has which role")                                                              \
  X(TABLE, "table", "the other party's own terminal says why its table was refused; mend it there")          \
  X(DECLINED, "takes no part", "the other party's own terminal says why, and what to do there")

typedef enum sotto_trouble {
#define SOTTO_TROUBLE_ENUM(name, word, advice) SOTTO_TROUBLE_##name,
  SOTTO_TROUBLE_LIST(SOTTO_TROUBLE_ENUM)
#undef SOTTO_TROUBLE_ENUM
      SOTTO_TROUBLES
} sotto_trouble;

/* What a party that cannot take part says of the reason, and all that it says: the rest may follow from its
 * data. */
typedef enum sotto_decline {
  SOTTO_DECLINE_NOT,    /* nothing is said */
  SOTTO_DECLINE_TABLE,  /* its table was refused */
  SOTTO_DECLINE_LEDGER, /* its ledger refuses the run: mostly a budget */
  SOTTO_DECLINE_BOUND,  /* options and public numbers do not fit a bound: no noise reaches epsilon */
  SOTTO_DECLINE_SPLIT   /* the option split asks for a published split, and its table has none */
} sotto_decline;

/* The name and the advice, e.g. "port closed". */
SOTTO_API const char *sotto_trouble_word(sotto_trouble trouble);
SOTTO_API const char *sotto_trouble_advice(sotto_trouble trouble);

/* Another party: its name, and the address at which it listens (NULL: it connects to this one). */
typedef struct sotto_peer {
  const char *name, *address;
} sotto_peer;

#ifdef __cplusplus
}
#endif

#endif
