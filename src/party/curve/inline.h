/* INLINE and NOINLINE, for the functions of one field that stand in several headers. */
#ifndef SOTTO_SRC_PARTY_CURVE_INLINE_H
#define SOTTO_SRC_PARTY_CURVE_INLINE_H

/* With the address sanitizer these functions stay functions, since its checks of every copy would take
 * minutes to compile; and its checks, half of the time of secure sums, are in the tests of these functions
 * alone. They read and write registers, what they were given and constants; functions that follow a pointer
 * to bytes of a caller are not INLINE. */
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
