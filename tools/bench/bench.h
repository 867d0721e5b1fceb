/* `sotto-bench utility`: trains every method on every dataset at every epsilon and level, in any number of
 * starts, and writes what came out. */
#ifndef SOTTO_TOOLS_BENCH_BENCH_H
#define SOTTO_TOOLS_BENCH_BENCH_H

#include "cells.h"

/* What a cell has to show. */
typedef struct app_bench_figure {
  size_t seeds, failed;
  double mean, deviation, validation; /* of the measure, 0 to 1; NAN without seeds */
  double seconds;                     /* of all its trainings, the choice's included */
  double epsilon;                     /* as stated, the largest of the seeds' */
  char options[256];                  /* the chosen point */
} app_bench_figure;
typedef struct app_bench {
  const app_bench_plan *plan;
  const char *data_folder, *out;
  app_bench_word name;            /* of the files of results: the bench file's, without its ending */
  const char *picture;            /* the ending of plots: "svg" or "png" */
  unsigned jobs, threads;         /* processes at a time, and threads of each; 1 or more */
  unsigned shard, shards;         /* only each shards-th cell, from cell `shard` on; 0, 0: all */
  const sotto_observer *observer; /* progress: stage "trainings", the note has the seconds that are left */
  sotto_dataset data[APP_BENCH_ENTRIES];
  bool there[APP_BENCH_ENTRIES];
  app_bench_cells cells;
  app_bench_state state;
  app_bench_figure
      *drawn; /* owned: figures of all cells as NAME.csv has them; NULL: they follow from trainings */
} app_bench;

/* Opens or makes the datasets, finds the cells, and opens OUT/NAME.jsonl. The members before `data` are
 * set. Data that is not there is told to the observer and left out. app_bench_end in any case. */
sotto_status app_bench_begin(app_bench *bench, sotto_error *err);
/* In the place of app_bench_begin: cells with the figures of OUT/NAME.csv, to draw them again without data.
 */
sotto_status app_bench_begin_drawing(app_bench *bench, sotto_error *err);
/* Takes in the trainings of all shards, OUT/NAME.I-of-N.jsonl; *files is how many there are. After
 * app_bench_begin of the whole. Errors: IO, CORRUPT, NOMEM. */
sotto_status app_bench_gather(app_bench *bench, size_t *files, sotto_error *err);
/* Trains what is not in the file yet. Errors: INTERRUPTED (start again to go on), IO. */
sotto_status app_bench_run(app_bench *bench, sotto_error *err);
/* Writes NAME.csv, NAME.md and the plots from what was trained so far. */
sotto_status app_bench_write(const app_bench *bench, sotto_error *err);
void app_bench_end(app_bench *bench);

/* Puts into every cell what the state has, and chooses points where all scores are there. */
void app_bench_match(app_bench *bench);
/* The next training that nobody does; false when there is none until one that runs has ended. `running` are
 * keys. */
bool app_bench_next(app_bench *bench, app_bench_task *task, sotto_options *options, char key[APP_BENCH_KEY],
                    const char (*running)[APP_BENCH_KEY], size_t running_count);

/* Trainings of all cells, those that are done, and seconds of work for the rest (about, of one process). */
typedef struct app_bench_count {
  size_t all, done, failed;
  double seconds_left;
} app_bench_count;
app_bench_count app_bench_counted(const app_bench *bench);

/* Of a cell. */
app_bench_figure app_bench_figure_of(const app_bench *bench, const app_bench_cell *cell);

/* The measure that figures of a dataset have: what `select-by` says for it. */
const char *app_bench_measure(const app_bench *bench, size_t dataset);

/* The file OUT/NAME.ENDING, or OUT/NAME-MIDDLE.ENDING; free with free. Errors: NOMEM. */
sotto_status app_bench_file(char **path, const app_bench *bench, const char *middle, const char *ending,
                            sotto_error *err);
/* One file each. */
sotto_status app_bench_write_csv(const app_bench *bench, const char *path, sotto_error *err);
sotto_status app_bench_write_table(const app_bench *bench, const char *path, sotto_error *err);
sotto_status app_bench_write_plots(const app_bench *bench, sotto_error *err);
/* One line of JSON; free with free(). NULL without memory. */
char *app_bench_summary(const app_bench *bench);

/* verbs.c: argv[0] is the first word after the verb; the exit status. */
int app_bench_utility(int argc, char **argv);
int app_bench_merge(int argc, char **argv);

#endif
