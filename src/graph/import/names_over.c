/* The ids of nodes as names: brought into the order of nodes, and written by all ranks. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "import.h"

typedef struct named {
  uint32_t number, size;
} named;

/* A name of one node, in what ranks sent. */
typedef struct found {
  const uint8_t *text;
  uint32_t size;
} found;

static uint64_t first_of(uint64_t nodes, uint32_t rank, uint32_t ranks) {
  return nodes / ranks * rank + nodes % ranks * rank / ranks;
}

static uint32_t rank_of(uint64_t nodes, uint32_t ranks, uint32_t node) {
  uint32_t low = 0, high = ranks - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (node < first_of(nodes, middle + 1, ranks))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

sotto_status sotto_i_import_names(sotto_i_names_maker *out, uint64_t *before, const sotto_i_shared_ids *ids,
                                  uint64_t nodes, sotto_error *err) {
  sotto_i_exchange x = {0};
  found *names = NULL;
  bool more = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_new(&x, ids->mail.ranks, err));
  for (size_t i = 0; i < ids->count; i++) {
    char digits[12];
    const sotto_i_field text = sotto_i_shared_ids_text(ids, i, digits);
    const named head = {ids->items[i].number, (uint32_t)text.size};
    const uint32_t to = rank_of(nodes, x.count, head.number);
    SOTTO_TRY(sotto_i_exchange_put(&x, to, &head, sizeof head, err));
    SOTTO_TRY(sotto_i_exchange_put(&x, to, text.text, text.size, err));
  }
  SOTTO_TRY(sotto_i_exchange_pass(&x, &more, err));
  const uint64_t first = first_of(nodes, x.number, x.count),
                 own = first_of(nodes, x.number + 1, x.count) - first;
  *before = first;
  SOTTO_TRY(sotto_i_new(&names, own, sizeof *names, err));
  for (uint32_t r = 0; r < x.count; r++)
    for (const void *head = NULL; (head = sotto_i_exchange_take(&x, r, sizeof(named))) != NULL;) {
      named n;
      memcpy(&n, head, sizeof n);
      SOTTO_I_CHECK(n.number - first < own);
      names[n.number - first] = (found){sotto_i_exchange_take(&x, r, n.size), n.size};
    }
  for (uint64_t v = 0; v < own; v++) {
    SOTTO_I_CHECK(names[v].text != NULL);
    SOTTO_TRY(sotto_i_names_add(out, names[v].text, names[v].size, err));
  }
done:
  sotto_i_free(names);
  sotto_i_exchange_free(&x);
  return status;
}

/* The first name of the first rank that has any. */
static sotto_status find_first(sotto_names *out, sotto_ranks *ranks, const sotto_i_names_maker *names,
                               sotto_error *err) {
  sotto_i_names_maker maker = {0};
  char *all = NULL;
  size_t size = 0;
  sotto_status status;
  const size_t own = names->count == 0 ? 0 : strlen(names->text) + 1;
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &size, ranks, names->text, own, err));
  if (size > 0) {
    SOTTO_TRY(sotto_i_names_add(&maker, all, strlen(all), err));
    SOTTO_TRY(sotto_i_names_finish(out, &maker, err));
  }
done:
  sotto_i_names_maker_free(&maker);
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_import_names_size(bool *needed, uint64_t *size, sotto_names *first, sotto_ranks *ranks,
                                       const sotto_i_names_maker *names, uint64_t before, sotto_error *err) {
  uint64_t sums[3] = {0, names->used, names->count};
  char number[24];
  sotto_status status;
  for (size_t i = 0; i < names->count && sums[0] == 0; i++) {
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)(before + i));
    sums[0] += strcmp(names->text + names->starts[i], number) != 0;
  }
  SOTTO_TRY(sotto_i_ranks_sum(ranks, sums, 3, err));
  *needed = sums[0] > 0;
  *size = *needed ? (sums[2] + 1) * sizeof(uint64_t) + sums[1] : 0;
  if (*needed) SOTTO_TRY(find_first(first, ranks, names, err));
done:
  return status;
}

sotto_status sotto_i_import_names_write(sotto_i_shared_file *file, const sotto_i_names_maker *names,
                                        sotto_error *err) {
  enum { some = 1 << 12 };
  const uint32_t ranks = sotto_ranks_count(file->ranks), number = sotto_ranks_number(file->ranks);
  uint64_t *used = NULL, before = 0, buffer[some];
  size_t got = 0;
  sotto_i_strip s = {0};
  sotto_status status;
  SOTTO_TRY(
      sotto_i_exchange_all((void **)&used, &got, file->ranks, &(uint64_t){names->used}, sizeof before, err));
  for (uint32_t r = 0; r < number; r++) before += used[r];
  const size_t count = names->count + (number + 1 == ranks ? 1 : 0);
  const uint64_t sizes[2] = {count * sizeof *buffer, names->used};
  const sotto_i_native_kind kind = (sotto_i_native_kind)(SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_NODES);
  SOTTO_TRY(sotto_i_strip_begin(&s, file, kind, sizes, 2, err));
  for (size_t i = 0; i < count;) {
    size_t filled = 0;
    for (; filled < some && i < count; i++)
      buffer[filled++] = before + (i < names->count ? names->starts[i] : names->used);
    SOTTO_TRY(sotto_i_strip_add(&s, buffer, filled * sizeof *buffer, err));
  }
  SOTTO_TRY(sotto_i_strip_add(&s, names->text, names->used, err));
  SOTTO_TRY(sotto_i_strip_end(&s, err));
done:
  sotto_i_strip_free(&s);
  sotto_i_free(used);
  return status;
}
