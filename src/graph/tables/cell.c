/* What a cell of a table says. */
#include "cell.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/days.h"

enum { longest = 64 };

bool sotto_i_list_has(const char *list, const sotto_i_field *word) {
  for (const char *at = list; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    if (length == word->size && memcmp(at, word->text, length) == 0) return true;
    at += length + (at[length] == ',');
  }
  return false;
}

bool sotto_i_cell_is_missing(const sotto_i_field *cell, const char *words) {
  static const char *const usual[] = {"NA", "N/A", "#N/A", "<NA>", "NaN", "NaT", "null", "None", "?"};
  if (cell->size == 0) return true;
  if (words != NULL) return sotto_i_list_has(words, cell);
  if ((cell->text[0] | 0x20) != 'n' && memchr("?#<", cell->text[0], 3) == NULL) return false;
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (sotto_i_field_is(cell, usual[i])) return true;
  return false;
}

static bool is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

/* Takes 1 to `most` digits at *at; the number, or -1. */
static int take_digits(const sotto_i_field *cell, size_t *at, size_t least, size_t most) {
  size_t count = 0;
  int value = 0;
  while (count < most && *at + count < cell->size && is_digit(cell->text[*at + count]))
    value = 10 * value + (cell->text[*at + count++] - '0');
  *at += count;
  return count < least ? -1 : value;
}

static bool take(const sotto_i_field *cell, size_t *at, char byte) {
  if (*at == cell->size || cell->text[*at] != (uint8_t)byte) return false;
  ++*at;
  return true;
}

/* HH:MM, HH:MM:SS or HH:MM:SS.F, and Z or nothing, up to the end. */
static bool take_time(const sotto_i_field *cell, size_t at, double *day) {
  const int hour = take_digits(cell, &at, 2, 2);
  int second = 0;
  if (hour < 0 || hour > 23 || !take(cell, &at, ':')) return false;
  const int minute = take_digits(cell, &at, 2, 2);
  if (minute < 0 || minute > 59) return false;
  if (take(cell, &at, ':')) {
    second = take_digits(cell, &at, 2, 2);
    if (second < 0 || second > 60) return false;
    if (take(cell, &at, '.') && take_digits(cell, &at, 1, 9) < 0) return false;
  }
  (void)take(cell, &at, 'Z');
  *day += (hour * 3600 + minute * 60 + second) / 86400.0;
  return at == cell->size;
}

static bool read_date(const sotto_i_field *cell, double *out) {
  size_t at = SOTTO_I_DAY_SIZE;
  if (!sotto_i_day_parse(out, cell->text, cell->size)) return false;
  if (at == cell->size) return true;
  return (take(cell, &at, 'T') || take(cell, &at, ' ')) && take_time(cell, at, out);
}

/* 31.01.2024, 1/31/24, 2024/01/31, also with more behind: three numbers with the same sign between. */
static bool is_like_date(const sotto_i_field *cell) {
  size_t at = 0;
  if (take_digits(cell, &at, 1, 4) < 0 || at == cell->size) return false;
  const char sign = (char)cell->text[at++];
  if (sign != '.' && sign != '/' && sign != '-') return false;
  if (take_digits(cell, &at, 1, 2) < 0 || !take(cell, &at, sign) || take_digits(cell, &at, 2, 4) < 0)
    return false;
  return at == cell->size || cell->text[at] == ' ' || cell->text[at] == 'T';
}

/* 2024-01, 2024/1, 01/2024: a month of a year from 1900 to 2100. */
static bool is_month(const sotto_i_field *cell) {
  size_t at = 0, second;
  const int first = take_digits(cell, &at, 1, 4);
  if (first < 0 || at == cell->size || (cell->text[at] != '-' && cell->text[at] != '/')) return false;
  second = ++at;
  const int last = take_digits(cell, &at, 1, 4);
  if (last < 0 || at != cell->size) return false;
  const bool year_first = second == 5;
  const int year = year_first ? first : last, month = year_first ? last : first;
  return year >= 1900 && year <= 2100 && month >= 1 && month <= 12 && (year_first || at - second == 4);
}

/* The bytes of a blank of any width, an apostrophe, or a sign of currency at text[at]; 0: none. `money`: it
 * is of currency. */
static size_t decoration(const sotto_i_field *cell, size_t at, bool *money) {
  static const struct {
    const char *text;
    bool money;
  } known[] = {{" ", false},
               {"'", false},
               {"\xC2\xA0", false},
               {"\xE2\x80\xAF", false},
               {"\xE2\x80\x89", false},
               {"\xE2\x80\x99", false},
               {"$", true},
               {"\xC2\xA3", true},
               {"\xC2\xA5", true},
               {"\xE2\x82\xAC", true}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const size_t size = strlen(known[i].text);
    if (cell->size - at < size || memcmp(cell->text + at, known[i].text, size) != 0) continue;
    *money = known[i].money;
    return size;
  }
  return 0;
}

/* 1e39: in the form of C, and beyond single precision. */
static bool is_too_large(const sotto_i_field *cell) {
  char word[longest + 1], *end;
  if (cell->size == 0 || cell->size > longest) return false;
  memcpy(word, cell->text, cell->size);
  word[cell->size] = '\0';
  if (strspn(word, "0123456789+-.eE") != cell->size) return false;
  const double value = strtod(word, &end);
  return *end == '\0' && !(fabs(value) <= (double)FLT_MAX);
}

/* What a number for people consists of. */
typedef struct form {
  size_t digits, points, commas, blanks, percents, money, brackets, signs_before, signs_after, typographic;
  size_t last_group;    /* digits since the last point, comma or blank */
  bool groups_of_three; /* so it is behind each of them, but for the last point or comma */
} form;

/* False: the cell has a byte that no number has. */
static bool look(form *f, const sotto_i_field *cell) {
  *f = (form){.groups_of_three = true};
  static const uint8_t minus[] = {0xE2, 0x88, 0x92}; /* U+2212 */
  for (size_t at = 0; at < cell->size;) {
    const uint8_t byte = cell->text[at];
    bool money = false;
    if (cell->size - at >= sizeof minus && memcmp(cell->text + at, minus, sizeof minus) == 0) {
      f->typographic++;
      at += sizeof minus;
      continue;
    }
    const size_t size = decoration(cell, at, &money);
    if (is_digit(byte)) {
      if (f->signs_after > 0) return false;
      f->digits++, f->last_group++;
    } else if (byte == '.' || byte == ',' || (size > 0 && !money)) {
      if (f->digits > f->last_group) f->groups_of_three = f->groups_of_three && f->last_group == 3;
      f->points += byte == '.', f->commas += byte == ',', f->blanks += byte != '.' && byte != ',';
      f->last_group = 0;
    } else if (size > 0) {
      f->money++;
    } else if (byte == '%') {
      f->percents++;
    } else if (byte == '(' || byte == ')') {
      f->brackets++;
    } else if ((byte == '-' || byte == '+') && f->digits == 0) {
      f->signs_before++;
    } else if (byte == '-' || byte == '+') {
      f->signs_after++;
    } else {
      return false;
    }
    at += size > 1 ? size : 1;
  }
  return f->digits > 0;
}

static size_t count_of(const sotto_i_field *cell, size_t at, const char *bytes) {
  size_t count = 0;
  while (at + count < cell->size && cell->text[at + count] != '\0' &&
         strchr(bytes, cell->text[at + count]) != NULL)
    count++;
  return count;
}

/* 1.5D+02, at the D. */
static bool is_fortran(const sotto_i_field *cell, size_t at) {
  if (at == 0 || at + 1 >= cell->size || (cell->text[at] | 0x20) != 'd') return false;
  at += 1 + (cell->text[at + 1] == '+' || cell->text[at + 1] == '-');
  return at < cell->size && at + count_of(cell, at, "0123456789") == cell->size;
}

/* 9:30, 18:30:05 */
static bool is_time(const sotto_i_field *cell) {
  size_t at = 0;
  if (take_digits(cell, &at, 1, 2) < 0 || !take(cell, &at, ':') || take_digits(cell, &at, 2, 2) < 0)
    return false;
  if (take(cell, &at, ':') && take_digits(cell, &at, 2, 2) < 0) return false;
  return at == cell->size;
}

/* 12 kg, 5EUR: a number and a unit behind it, at `at`. */
static bool is_with_unit(const sotto_i_field *cell, size_t at) {
  static const char *const units[] = {"eur", "usd", "gbp", "chf", "jpy", "cny", "inr", "kg",    "g",   "mg",
                                      "lb",  "lbs", "oz",  "km",  "m",   "cm",  "mm",  "mi",    "ft",  "in",
                                      "h",   "hrs", "min", "sec", "s",   "ms",  "kb",  "mb",    "gb",  "tb",
                                      "kwh", "kw",  "w",   "l",   "ml",  "pct", "yrs", "years", "days"};
  if (at == 0 || !is_digit(cell->text[at - 1])) return false;
  if (at < cell->size && cell->text[at] == ' ') at++;
  const sotto_i_field unit = {cell->text + at, cell->size - at};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (sotto_i_field_is(&unit, units[i])) return true;
  return false;
}

/* '12' */
static bool is_quoted(const sotto_i_field *cell) {
  double value;
  return cell->size > 2 && cell->text[0] == '\'' && cell->text[cell->size - 1] == '\'' &&
         sotto_i_text_double(cell->text + 1, cell->size - 2, &value);
}

/* Why a cell is a number, or none, for another program than this one; NULL: it is neither. */
static const char *number_of_programs(const sotto_i_field *cell) {
  const size_t last = cell->size - 1, sign = cell->text[0] == '-' || cell->text[0] == '+';
  if (cell->text[0] == '=')
    return "is a formula of a spreadsheet; write its value, or name the column as one of categories";
  if (cell->text[0] == '#' && cell->size > 2 && (cell->text[last] == '!' || cell->text[last] == '?'))
    return "is an error of a spreadsheet; correct its formula, or leave the cell empty";
  if (cell->size > sign + 2 && cell->text[sign] == '0' && (cell->text[sign + 1] | 0x20) == 'x' &&
      sign + 2 + count_of(cell, sign + 2, "0123456789abcdefABCDEF") == cell->size)
    return "is a number in base 16; write it in base 10, or name the column as one of categories";
  const size_t digits = count_of(cell, sign, "0123456789."), under = count_of(cell, sign, "0123456789_");
  if (digits > 0 && cell->size > sign + digits + 1 && cell->text[sign + digits] == '#')
    return "is not a finite number; give one, or leave the cell empty";
  if (under == cell->size - sign && under > digits && digits > 0 && cell->text[last] != '_')
    return "has underscores between digits; leave them out, or name the column as one of categories";
  if (is_fortran(cell, sign + digits))
    return "has the exponent of Fortran; write 1.5D+02 as 1.5E+02, or name the column as one of categories";
  if (is_with_unit(cell, sign + digits))
    return "has a unit behind the number; leave it out, or name the column as one of categories";
  if (is_quoted(cell))
    return "is a number in single quotes; leave them out, or name the column as one of categories";
  if (is_month(cell))
    return "is a month without a day; write it as 2024-01-01, or name the column as one of categories";
  if (is_time(cell))
    return "is a time of day; write it as a number of hours, or name the column as one of categories";
  if (sotto_i_word_is_foreign_number(cell))
    return "has digits of another script; write them as 0 to 9, or name the column as one of categories";
  return NULL;
}

/* Why a cell that is no number of C is one for people; NULL: it is none. */
static const char *number_for_people(const sotto_i_field *cell, bool comma) {
  static const char *const without_end[] = {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"};
  form f;
  for (size_t i = 0; i < sizeof without_end / sizeof *without_end; i++)
    if (sotto_i_field_is(cell, without_end[i]))
      return "is not a finite number; give one, or leave the cell empty";
  if (is_too_large(cell))
    return "is larger than 3.4e38, the largest number in single precision; give a smaller one";
  if (cell->size > longest || !look(&f, cell)) return NULL;
  if (f.signs_before > 1 || f.signs_after > 1 || f.signs_before + f.signs_after > 1) return NULL;
  if (f.typographic > 0) return "has a minus sign of typography; write it as -";
  if (f.percents > 0)
    return "has a per cent sign; write 12% as 0.12, or name the column as one of categories";
  if (f.money > 0) return "has a sign of currency; leave it out, or name the column as one of categories";
  if (f.brackets > 0)
    return "is a number in brackets; write (5) as -5, or name the column as one of categories";
  if (f.signs_after > 0)
    return "has its sign behind the number; write 5- as -5, or name the column as one of categories";
  if (f.blanks > 0)
    return f.groups_of_three && f.last_group == 3 ? "has blanks or apostrophes between digits; leave them "
                                                    "out, or name the column as one of categories"
                                                  : NULL;
  if (f.commas == 1 && !comma)
    return "has a comma; say that the decimal sign is a comma when the file is imported, write 1.5, or name "
           "the "
           "column as one of categories";
  if (comma && f.points == 1)
    return "has a decimal point, and the decimal sign is a comma; write 1,5, or name the column as one of "
           "categories";
  if ((f.commas > 1 || f.points > 1) && f.groups_of_three)
    return "has signs between thousands; leave them out, or name the column as one of categories";
  return NULL;
}

/* The cell with a decimal point: a comma becomes one, points between thousands go. False: not in that form.
 */
static bool with_point(uint8_t out[longest], size_t *size, const sotto_i_field *cell) {
  size_t commas = 0, before = 0; /* digits before the first point; a thousand does not begin with 0 */
  uint8_t leading = 0;
  *size = 0;
  if (cell->size > longest) return false;
  for (size_t i = 0; i < cell->size; i++) {
    const uint8_t byte = cell->text[i];
    commas += byte == ',';
    if (is_digit(byte) && before++ == 0) leading = byte;
    if (byte == '.' && (commas > 0 || before == 0 || leading == '0')) return false;
    if (byte == '.' && *size == i && before > 3) return false;
    if (byte == '.') {
      for (size_t k = 1; k <= 3; k++)
        if (i + k >= cell->size || !is_digit(cell->text[i + k])) return false;
      if (i + 4 < cell->size && is_digit(cell->text[i + 4])) return false;
      continue;
    }
    out[(*size)++] = byte == ',' ? '.' : byte;
  }
  return commas <= 1;
}

static bool read_number(const sotto_i_field *cell, bool comma, double *out) {
  uint8_t text[longest];
  size_t size;
  if (!comma) return sotto_i_text_double(cell->text, cell->size, out);
  return with_point(text, &size, cell) && sotto_i_text_double(text, size, out);
}

sotto_i_cell sotto_i_cell_read(const sotto_i_field *cell, bool comma) {
  sotto_i_cell out = {.kind = SOTTO_I_CELL_NUMBER};
  const uint8_t first = cell->size == 0 ? ' ' : cell->text[0] | 0x20;
  if (first >= 'a' && first <= 'z' && first != 'i') return out.kind = SOTTO_I_CELL_WORD, out;
  if (read_number(cell, comma, &out.value)) {
    if ((float)out.value != 0 || out.value == 0) return out;
    return (sotto_i_cell){.kind = SOTTO_I_CELL_NEARLY,
                          .why =
                              "is nearer to 0 than 1.4e-45, the smallest number in single precision; write "
                              "0, or the column in another unit"};
  }
  if (read_date(cell, &out.value)) return out.kind = SOTTO_I_CELL_DATE, out;
  if (cell->size >= SOTTO_I_DAY_SIZE && is_like_date(cell) && cell->text[4] == '-')
    return (sotto_i_cell){
        .kind = SOTTO_I_CELL_NEARLY,
        .why = "is no day of the calendar, or has a time in another form than 18:30:05; correct "
               "it, or name the column as one of categories"};
  if (is_like_date(cell))
    return (sotto_i_cell){
        .kind = SOTTO_I_CELL_NEARLY,
        .why = "is a date whose order is not clear; write it as 2024-01-31, or name the column "
               "as one of categories"};
  const char *why = number_for_people(cell, comma);
  if (why == NULL && cell->size > 0) why = number_of_programs(cell);
  if (why != NULL) return (sotto_i_cell){.kind = SOTTO_I_CELL_NEARLY, .why = why};
  return (sotto_i_cell){.kind = SOTTO_I_CELL_WORD};
}
