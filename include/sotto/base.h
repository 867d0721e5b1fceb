/* Ground floor: status codes, errors, keys for random streams, threads, progress.
 *
 * Conventions of every header in include/sotto:
 *   - A function that can fail returns a sotto_status and takes a `sotto_error *err` last. `err` may be NULL;
 *     otherwise it holds, after a failure, one sentence that says what was wrong, where, and what to do.
 *   - Argument order: context, outputs, in/out, inputs, options, err. A length follows its array.
 *   - Matrices are row-major float32. Sizes are size_t, node ids uint32_t, CSR offsets uint64_t.
 *   - The library never prints; it reports through a sotto_observer that the caller lends.
 *   - Unless a comment says otherwise, a function may be called from several threads on different objects. */
#ifndef SOTTO_BASE_H
#define SOTTO_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SOTTO_API                         __attribute__((visibility("default")))
#define SOTTO_MUST_USE                    __attribute__((warn_unused_result))
#define SOTTO_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define SOTTO_API
#define SOTTO_MUST_USE
#define SOTTO_PRINTF(format_index, first)
#endif

/* Of these headers; sotto_version() tells that of the library that runs. */
#define SOTTO_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, "MAJOR.MINOR.PATCH", a static string: compare it with SOTTO_VERSION
 * to find headers and a library that do not belong together. */
SOTTO_API const char *sotto_version(void);

/* Every status: name, meaning. Status texts and the manual's table are made from this list. */
#define SOTTO_STATUS_LIST(X)                                                                                 \
  X(OK, "done")                                                                                              \
  X(NOMEM, "out of memory")                                                                                  \
  X(INVALID, "an argument is not valid")                                                                     \
  X(RANGE, "a value is out of range")                                                                        \
  X(PARSE, "a file or message is malformed")                                                                 \
  X(CORRUPT, "a checksum or an invariant of stored data does not hold")                                      \
  X(IO, "reading or writing failed")                                                                         \
  X(NOT_FOUND, "nothing has that name")                                                                      \
  X(UNSUPPORTED, "known, but not offered here")                                                              \
  X(REFUSED, "a release would pass the privacy budget")                                                      \
  X(PROTOCOL, "a message breaks the protocol")                                                               \
  X(NUMERIC, "a value is not finite")                                                                        \
  X(INTERRUPTED, "stopped on request; the run can be resumed")

typedef enum sotto_status {
#define SOTTO_STATUS_ENUM(name, text) SOTTO_##name,
  SOTTO_STATUS_LIST(SOTTO_STATUS_ENUM)
#undef SOTTO_STATUS_ENUM
} sotto_status;

#define SOTTO_ERROR_TEXT 480

/* Details of the first failure. Zero-initialise it; it owns no memory. */
typedef struct sotto_error {
  sotto_status status;
  char text[SOTTO_ERROR_TEXT]; /* one sentence, UTF-8, never cut inside a character, without control
                                  characters */
  /* REFUSED by a budget: the epsilon that is spent, what it would be with the releases asked for, and the
   * budget; else 0. */
  double spent, asked, limit;
} sotto_error;

/* The meaning of a status, a static string; "unknown status" for a number that is none. */
SOTTO_API const char *sotto_status_text(sotto_status status);

/* Makes foreign text safe for a terminal, in place: control characters (escape sequences are made of them),
 * separators of lines, marks that turn the direction of text and bytes that are not UTF-8 become '?'. With
 * `lines`, line feeds and tabs stay. Texts of errors and log lines, and names of datasets, are clean. */
SOTTO_API void sotto_text_clean(char *text, bool lines);

/* Where the key of a random stream comes from; it decides what the stream may be used for. */
typedef enum sotto_key_origin {
  SOTTO_KEY_NONE = 0, /* a zeroed key; every use is refused */
  SOTTO_KEY_PUBLIC,   /* from a seed anyone may know: splits, initial weights, dropout; never noise */
  SOTTO_KEY_SYSTEM,   /* from the operating system's generator: noise, shares, masks */
  SOTTO_KEY_INSECURE, /* noise from a fixed seed: repeatable, and the statement says NOT PRIVATE */
} sotto_key_origin;

/* Key of a family of ChaCha20 streams. Wipe a SYSTEM key with sotto_key_wipe when done. */
typedef struct sotto_key {
  uint8_t bytes[32];
  sotto_key_origin origin;
} sotto_key;

SOTTO_API void sotto_key_system(sotto_key *key);
SOTTO_API void sotto_key_public(sotto_key *key, uint64_t seed);
SOTTO_API void sotto_key_insecure(sotto_key *key, uint64_t seed);
SOTTO_API void sotto_key_wipe(sotto_key *key);

/* Threads for all parallel work of this process: 1 to 256; 0 asks for one a core. Results never depend on it.
 * Not to be called while another sotto function runs. Errors: RANGE, NOMEM (threads could not be made). */
SOTTO_API sotto_status sotto_threads_set(unsigned threads, sotto_error *err);
SOTTO_API unsigned sotto_threads(void);

/* Memory that this process should do with, in bytes; 0: that of the machine. A file above a quarter of it is
 * memory-mapped, and must stay as it is while in use; arrays of a training above a sixteenth lie in files
 * without a name in its run folder. Results never depend on it. Not while another sotto function runs. */
SOTTO_API void sotto_memory_set(uint64_t bytes);

typedef enum sotto_log_level { SOTTO_LOG_INFO, SOTTO_LOG_WARNING } sotto_log_level;

/* What happens while a call works, for programs that watch it: name, word, meaning. */
#define SOTTO_EVENT_LIST(X)                                                                                  \
  X(LISTENING, "listening", "connections are taken at `address`")                                            \
  X(WAITING, "waiting", "no connection with `peer` at `address` since `seconds`; reported once a second")    \
  X(CONNECTED, "connected", "`peer`, which runs sotto `version`, greeted, and all terms agree")              \
  X(LOST, "lost", "the connection with `peer` broke")                                                        \
  X(LEFT, "left", "the run goes on without `peer`")                                                          \
  X(EPOCH, "epoch", "`stage` finished epoch `done` of `total` with `loss` and `validation`")                 \
  X(PAYLOAD, "payload", "a link sent or received a payload of `payload`: `sent`, `received` bytes")          \
  X(SPENT, "spent", "an account has spent `epsilon` at `delta`, of `budget`")                                \
  X(PLANNED, "planned",                                                                                      \
    "all trainings of the run together spend at most `epsilon` at `delta`, INFINITY: without a bound")

typedef enum sotto_event_kind {
#define SOTTO_EVENT_ENUM(name, word, meaning) SOTTO_EVENT_##name,
  SOTTO_EVENT_LIST(SOTTO_EVENT_ENUM)
#undef SOTTO_EVENT_ENUM
      SOTTO_EVENTS
} sotto_event_kind;

/* "listening", "waiting", ... a static string. */
SOTTO_API const char *sotto_event_name(sotto_event_kind kind);

/* Members that the kind's meaning does not name are NULL or 0. Texts are good during the call. */
typedef struct sotto_event {
  sotto_event_kind kind;
  const char *text; /* one sentence for people; NULL where there is nothing to say, or to say again */
  const char *peer, *address, *version;
  double seconds;
  const char *stage;
  uint64_t done, total;
  double loss, validation; /* NAN: not known */
  const char *payload;     /* the word of its kind: "public", "release", ... (sotto/party.h) */
  uint64_t sent, received;
  double epsilon, delta, budget; /* budget 0: there is none */
} sotto_event;

/* Reports of the library to its caller during work, and the question whether to stop. Zero-initialise it; any
 * member may be NULL. Calls of `progress`, `log` and `event` may come from any thread, one at a time for one
 * observer; they should return soon. The note of `progress` is NULL, or the seconds that are left of the
 * stage, where it knows them better than its rate so far does. Without `event`, `log` gets the texts of
 * events. `cancelled` is asked often, by several threads at once, between steps of the work: it should do no
 * more than read an atomic flag. Once it says true, it stays true. The call that was given the observer then
 * stops soon, and returns SOTTO_INTERRUPTED; calls with other observers, in other threads, go on. */
typedef struct sotto_observer {
  void *context;
  void (*progress)(void *context, const char *stage, uint64_t done, uint64_t total, const char *note);
  void (*log)(void *context, sotto_log_level level, const char *text);
  bool (*cancelled)(void *context);
  void (*event)(void *context, const sotto_event *event);
} sotto_observer;

/* Asks every long-running call of this process to stop soon with SOTTO_INTERRUPTED, as if all observers said
 * that they are cancelled. Async-signal-safe. */
SOTTO_API void sotto_interrupt(void);
SOTTO_API bool sotto_interrupted(void);

#ifdef __cplusplus
}
#endif

#endif
