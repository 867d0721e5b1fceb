/* INLINE and NOINLINE for the field and curve functions in headers. */
#ifndef SOTTO_SRC_PARTY_CURVE_INLINE_H
#define SOTTO_SRC_PARTY_CURVE_INLINE_H

/* With the address sanitizer these functions are not inlined, since its checks of every copy would take
 * minutes to compile. Its checks, half of the time of secure sums, run only in the tests of these functions.
 * They access registers, their arguments and constants; functions that follow a pointer to a caller's bytes
 * are not INLINE. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#ifdef SOTTO_CHECKED_FIELD
#define INLINE static inline __attribute__((noinline))
#else
#define INLINE static inline __attribute__((noinline, no_sanitize("address")))
#endif
#endif
#endif
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif
#define NOINLINE __attribute__((noinline))

#endif
