/* Days of the Gregorian calendar. */
#include "days.h"

/* Hinnant's algorithm, era of 400 years. */
static int days_from(int year, int month, int day) {
  const int y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400;
  const int of_era = y - era * 400, of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730425;
}

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* The number of so many digits, or -1. */
static int number_of(const uint8_t *text, size_t count) {
  int value = 0;
  for (size_t i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = 10 * value + (text[i] - '0');
  }
  return value;
}

bool sotto_i_day_parse(double *out, const uint8_t *text, size_t size) {
  if (size < SOTTO_I_DAY_SIZE || text[4] != '-' || text[7] != '-') return false;
  const int year = number_of(text, 4), month = number_of(text + 5, 2), day = number_of(text + 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return false;
  *out = days_from(year, month, day);
  return true;
}
