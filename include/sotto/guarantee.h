/* The meaning of epsilon and delta for people: how often an attacker is right, and the class of a guarantee.
 */
#ifndef SOTTO_GUARANTEE_H
#define SOTTO_GUARANTEE_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Classes of a guarantee, from the best to the worst. */
typedef enum sotto_guarantee {
  SOTTO_GUARANTEE_STRONG,
  SOTTO_GUARANTEE_MODERATE,
  SOTTO_GUARANTEE_WEAK,
  SOTTO_GUARANTEE_VACUOUS,
  SOTTO_GUARANTEE_NONE,
  SOTTO_GUARANTEES
} sotto_guarantee;

/* A row of the table of classes. Statements, pages, the terminal and Python all read it. */
typedef struct sotto_guarantee_row {
  const char *name;   /* "strong", "moderate", "weak", "vacuous", "not protected" */
  double epsilon;     /* the largest epsilon of the class; INFINITY for the last two */
  const char *colour; /* "green", "amber", "red" */
} sotto_guarantee_row;
/* Never NULL; a value outside of the enum gives the last row. */
SOTTO_API const sotto_guarantee_row *sotto_guarantee_describe(sotto_guarantee guarantee);

/* The class of a guarantee. Vacuous, too, when delta is above 1e-3; not protected when a number is NAN, or
 * epsilon is infinite. */
SOTTO_API sotto_guarantee sotto_guarantee_of(double epsilon, double delta);

/* Two neighbouring inputs are equally likely, and an attacker who sees all releases guesses which one it was.
 * Returns the largest probability of a right guess, whatever else the attacker knows (Kairouz, Oh and
 * Viswanath 2015). 1 where a number is NAN or infinite. */
SOTTO_API double sotto_guarantee_guess(double epsilon, double delta);
/* The same in words, rounded up: "at most 99 times of 100", "nearly always". 48 bytes hold every text. */
enum { SOTTO_GUARANTEE_WORDS = 48 };
SOTTO_API void sotto_guarantee_guess_words(char *out, size_t size, double chance);

/* Text of an epsilon, spent or stated, as all outputs show it: four digits, rounded up. */
enum { SOTTO_EPSILON_WORDS = 24 };
SOTTO_API void sotto_epsilon_words(char out[SOTTO_EPSILON_WORDS], double epsilon);

/* Text of a delta, as all outputs show it: "0 (pure)" for 0, else three digits, rounded up. */
enum { SOTTO_DELTA_WORDS = 24 };
SOTTO_API void sotto_delta_words(char out[SOTTO_DELTA_WORDS], double delta);

#ifdef __cplusplus
}
#endif

#endif
