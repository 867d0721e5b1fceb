/* Partition with few edges between parts by METIS (Karypis and Kumar 1998), for graphs whose edges fit
 * into one rank's memory. Fewer rows are exchanged than with blocks of a random permutation. */
#include "base/memory.h"
#include "block.h"

#ifdef SOTTO_MPI
#include <metis.h>

_Static_assert(sizeof(idx_t) == 4, "Debian's METIS has numbers of 32 bits");

static sotto_status read_graph(idx_t **offsets, idx_t **targets, const sotto_i_block *b, uint64_t offsets_at,
                               uint64_t targets_at, uint64_t entries, sotto_error *err) {
  uint64_t *wide = NULL;
  sotto_status status;
  if (entries >= INT32_MAX || b->nodes >= INT32_MAX)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: METIS takes fewer than 2^31 entries; leave rank-parts at random", b->file.path);
  SOTTO_TRY(sotto_i_new_raw(&wide, b->nodes + 1, sizeof *wide, err));
  SOTTO_TRY(sotto_i_new_raw(offsets, b->nodes + 1, sizeof **offsets, err));
  SOTTO_TRY(sotto_i_new_raw(targets, entries, sizeof **targets, err));
  SOTTO_TRY(sotto_i_reader_at(&b->file, wide, (b->nodes + 1) * sizeof *wide, offsets_at, err));
  SOTTO_TRY(sotto_i_reader_at(&b->file, *targets, entries * sizeof **targets, targets_at, err));
  for (uint64_t v = 0; v <= b->nodes; v++) {
    if (wide[v] > entries || (v > 0 && wide[v] < wide[v - 1])) {
      status = sotto_i_fail(err, SOTTO_CORRUPT,
                            "%s: section offsets: the offset of node %llu does not fit the number of entries",
                            b->file.path, (unsigned long long)v);
      goto done;
    }
    (*offsets)[v] = (idx_t)wide[v];
  }
  for (uint64_t e = 0; e < entries; e++)
    if ((uint64_t)(uint32_t)(*targets)[e] >= b->nodes) {
      status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: section targets: entry %llu is not a node", b->file.path,
                            (unsigned long long)e);
      goto done;
    }
done:
  sotto_i_free(wide);
  return status;
}

static sotto_status partition_nodes(sotto_i_block *b, uint64_t offsets_at, uint64_t targets_at,
                                    uint64_t entries, sotto_error *err) {
  idx_t *offsets = NULL, *targets = NULL, options[METIS_NOPTIONS];
  idx_t nodes = (idx_t)b->nodes, constraints = 1, cut = 0, parts = (idx_t)sotto_ranks_count(b->ranks);
  sotto_status status;
  SOTTO_TRY(read_graph(&offsets, &targets, b, offsets_at, targets_at, entries, err));
  (void)METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  const int code = METIS_PartGraphKway(&nodes, &constraints, offsets, targets, NULL, NULL, NULL, &parts, NULL,
                                       NULL, options, &cut, (idx_t *)(void *)b->owners);
  if (code != METIS_OK)
    status = sotto_i_fail(err, SOTTO_NOMEM, "%s: METIS found no parts (code %d); leave rank-parts at random",
                          b->file.path, code);
done:
  sotto_i_free(offsets);
  sotto_i_free(targets);
  return status;
}

sotto_status sotto_i_block_metis(sotto_i_block *b, uint64_t offsets_at, uint64_t targets_at, uint64_t entries,
                                 sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&b->owners, b->nodes, sizeof *b->owners, err));
  if (sotto_ranks_count(b->ranks) == 1) goto done;
  if (sotto_i_ranks_first(b->ranks)) SOTTO_TRY(partition_nodes(b, offsets_at, targets_at, entries, err));
  SOTTO_TRY(sotto_i_ranks_give(b->ranks, b->owners, b->nodes * sizeof *b->owners, err));
done:
  return status;
}

#else

sotto_status sotto_i_block_metis(sotto_i_block *b, uint64_t offsets_at, uint64_t targets_at, uint64_t entries,
                                 sotto_error *err) {
  (void)offsets_at;
  (void)targets_at;
  (void)entries;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: this library was built without METIS", b->file.path);
}

#endif
