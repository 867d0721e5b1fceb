/* Lists of names: one block of starts and zero-terminated texts. */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

sotto_status sotto_i_name_check(const char *text, size_t size, sotto_error *err) {
  if (strlen(text) == size && sotto_i_text_is_clean(text)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "has a control character, or is not UTF-8; take it out");
}

sotto_status sotto_i_names_add(sotto_i_names_maker *maker, const void *text, size_t size, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_grow(&maker->starts, &maker->room_starts, maker->count + 1, sizeof *maker->starts, err));
  SOTTO_TRY(sotto_i_grow(&maker->text, &maker->room_text, maker->used + size + 1, 1, err));
  char *added = maker->text + maker->used;
  if (size > 0) memcpy(added, text, size);
  added[size] = '\0';
  SOTTO_TRY(sotto_i_name_check(added, size, err));
  maker->starts[maker->count++] = maker->used;
  maker->used += size + 1;
done:
  return status;
}

sotto_status sotto_i_names_finish(sotto_names *out, sotto_i_names_maker *maker, sotto_error *err) {
  const size_t head = (maker->count + 1) * sizeof *maker->starts;
  uint64_t *block = NULL;
  sotto_status status = sotto_i_new_raw(&block, head + maker->used, 1, err);
  *out = (sotto_names){0};
  if (status != SOTTO_OK) return status;
  if (maker->count > 0) memcpy(block, maker->starts, maker->count * sizeof *block);
  block[maker->count] = maker->used;
  if (maker->used > 0) memcpy((char *)block + head, maker->text, maker->used);
  *out = (sotto_names){.count = maker->count, .starts = block, .text = (const char *)block + head};
  sotto_i_names_maker_free(maker);
  return SOTTO_OK;
}

sotto_status sotto_i_names_of_numbers(sotto_names *out, const int64_t *numbers, size_t count,
                                      sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status = SOTTO_OK;
  char text[24];
  size_t same = 0;
  while (same < count && numbers[same] == (int64_t)same) same++;
  if (same == count) return SOTTO_OK;
  for (size_t i = 0; i < count; i++) {
    const int length = snprintf(text, sizeof text, "%lld", (long long)numbers[i]);
    SOTTO_TRY(sotto_i_names_add(&maker, text, (size_t)length, err));
  }
  status = sotto_i_names_finish(out, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

void sotto_i_names_maker_free(sotto_i_names_maker *maker) {
  sotto_i_free(maker->starts);
  sotto_i_free(maker->text);
  *maker = (sotto_i_names_maker){0};
}

uint64_t sotto_i_names_size(const sotto_names *names) {
  return (names->count + 1) * sizeof *names->starts + names->starts[names->count];
}

static bool is_name(const sotto_names *names, uint64_t i, uint64_t end) {
  const uint64_t from = names->starts[i], to = names->starts[i + 1];
  if (to <= from || to > end || names->text[to - 1] != '\0') return false;
  return strlen(names->text + from) == to - from - 1 && sotto_i_text_is_clean(names->text + from);
}

/* Whether all texts are printable ASCII; most lists are, and need no check name by name. */
static bool are_plain(const sotto_names *names, uint64_t count) {
  const uint64_t end = names->starts[count];
  uint64_t zeros = 0;
  bool other = false;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t from = names->starts[i], to = names->starts[i + 1];
    if (to <= from || to > end || names->text[to - 1] != '\0') return false;
  }
  /* sums of bytes, which the compiler vectorises */
  for (uint64_t first = 0; first < end; first += UINT8_MAX) {
    const uint64_t size = end - first < UINT8_MAX ? end - first : UINT8_MAX;
    uint8_t some = 0, bad = 0;
    for (uint64_t i = 0; i < size; i++) {
      const uint8_t byte = (uint8_t)names->text[first + i];
      some = (uint8_t)(some + (byte == 0));
      bad |= (uint8_t)((uint8_t)(byte - 0x20) >= 0x5F) & (uint8_t)(byte != 0);
    }
    zeros += some;
    other = other || bad != 0;
  }
  return !other && zeros == count;
}

sotto_status sotto_i_names_check(const sotto_names *names, uint64_t count, const char *what,
                                 sotto_error *err) {
  if (names->count == 0) return SOTTO_OK;
  if (names->count != count || names->starts[0] != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%llu names for %llu %s", (unsigned long long)names->count,
                        (unsigned long long)count, what);
  if (are_plain(names, count)) return SOTTO_OK;
  for (uint64_t i = 0; i < count; i++)
    if (!is_name(names, i, names->starts[count]))
      return sotto_i_fail(err, SOTTO_CORRUPT,
                          "name %llu of the %s has no end, or is not UTF-8 text without control characters",
                          (unsigned long long)i, what);
  return SOTTO_OK;
}

sotto_status sotto_i_names_take(sotto_names *out, const sotto_names *from, const uint32_t *items,
                                uint64_t count, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status = SOTTO_OK;
  *out = (sotto_names){0};
  if (from->count == 0) return SOTTO_OK;
  for (uint64_t i = 0; i < (items == NULL ? from->count : count); i++) {
    const char *name = sotto_name(from, items == NULL ? i : items[i]);
    SOTTO_TRY(sotto_i_names_add(&maker, name, strlen(name), err));
  }
  status = sotto_i_names_finish(out, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

sotto_status sotto_i_names_pad(sotto_names *out, const sotto_names *from, uint64_t count, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status = SOTTO_OK;
  char unused[40];
  *out = (sotto_names){0};
  for (uint64_t i = 0; i < count; i++) {
    const char *name = sotto_name(from, i);
    if (name == NULL) {
      (void)snprintf(unused, sizeof unused, "unused class %llu", (unsigned long long)i);
      name = unused;
    }
    SOTTO_TRY(sotto_i_names_add(&maker, name, strlen(name), err));
  }
  status = sotto_i_names_finish(out, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

void sotto_i_names_free(sotto_names *names) {
  sotto_i_free((void *)(uintptr_t)names->starts);
  *names = (sotto_names){0};
}
