/* A drawing of two neighbouring graphs: with and without the protected part. */
#include <string.h>

#include "parts.h"
#include "report/chart.h"

enum { nodes = 6, edges = 6, wide = 412, tall = 190, second = 205, centre = 2 };

static const int place[nodes][2] = {{30, 60}, {95, 34}, {110, 104}, {38, 130}, {178, 60}, {185, 138}};
/* Edges; the first three touch node `centre`. */
static const int pairs[edges][2] = {{2, 4}, {2, 1}, {2, 3}, {0, 1}, {0, 3}, {4, 5}};

/* Draws an edge: normal, emphasised, or as a gap if it is missing. */
static void draw_edge(FILE *out, const int pair[2], int across, const char *look) {
  (void)fprintf(out, "<path d='M%d %dL%d %d' %s/>", place[pair[0]][0] + across, place[pair[0]][1],
                place[pair[1]][0] + across, place[pair[1]][1], look);
}

static const char plain[] = "stroke='var(--frame)' stroke-width='2'";
static const char fat[] = "stroke='var(--c1)' stroke-width='7' stroke-linecap='round'";
static const char gone[] = "stroke='var(--c1)' stroke-width='2' stroke-dasharray='2 6'";

/* Draws a graph; its first `differ` edges, at one node, exist on one side only. */
static void draw_graph(FILE *out, int across, int differ, bool with, bool node) {
  for (int e = 0; e < edges; e++) draw_edge(out, pairs[e], across, e >= differ ? plain : with ? fat : gone);
  for (int v = 0; v < nodes; v++) {
    const bool is_it = node && v == centre;
    (void)fprintf(out,
                  "<circle cx='%d' cy='%d' r='%d' fill='var(--%s)' stroke='var(--%s)' stroke-width='%d'/>",
                  place[v][0] + across, place[v][1], is_it ? 13 : 9,
                  is_it && !with ? "paper"
                  : is_it        ? "c1"
                                 : "c0",
                  is_it ? "c1" : "paper", is_it ? 4 : 2);
  }
}

/* Three small graphs, or three clients with a graph each; the middle one differs on the right side. */
static void draw_collection(FILE *out, int across, bool with, bool boxes) {
  for (int g = 0; g < 3; g++) {
    const int x = across + 66 * g, y = 52;
    const bool is_it = g == 1;
    const char *hue = is_it ? "c1" : "c0";
    if (boxes)
      (void)fprintf(out,
                    "<rect x='%d' y='%d' width='64' height='84' rx='6' fill='none' stroke='var(--%s)'%s/>", x,
                    y - 8, is_it ? "c1" : "frame", is_it ? " stroke-width='4'" : "");
    (void)fprintf(out, "<path d='M%d %dL%d %dL%d %d%s' fill='none' stroke='var(--%s)' stroke-width='%d'/>",
                  x + 14, y + 14, x + 50, y + 20, x + 30, y + 56, is_it && !with ? "" : "z", hue,
                  is_it ? 6 : 2);
    const int at[3][2] = {{x + 14, y + 14}, {x + 50, y + 20}, {x + 30, y + 56}};
    for (int v = 0; v < 3; v++)
      (void)fprintf(out,
                    "<circle cx='%d' cy='%d' r='8' fill='var(--%s)' stroke='var(--%s)' stroke-width='3'/>",
                    at[v][0], at[v][1], is_it && !with ? "paper" : hue, hue);
  }
}

typedef struct level {
  const char *name, *title, *description, *differs;
  int differ; /* edges that are emphasised; 0: a collection */
  bool node, boxes;
} level;

static const level levels[] = {
    {"transfer", "Two graphs that differ in one transfer",
     "The same graph twice: on the left with one fat edge, which is one transfer between two nodes, on the "
     "right without it. Other transfers between the two stay.",
     "one transfer", 1, false, false},
    {"edge", "Two graphs that differ in one edge",
     "The same graph twice: on the left with one fat edge, on the right without it. Nothing else differs.",
     "one edge", 1, false, false},
    {"k-neighbour", "Two graphs that differ in edges of one node",
     "The same graph twice: on the left with three fat edges at one node, on the right without them.",
     "at most k edges, all at one node", 3, false, false},
    {"node", "Two graphs that differ in one node",
     "The same graph twice: one node, drawn fat, has other features, another label and other edges on the "
     "right.",
     "one node: its features, its label and its edges", 3, true, false},
    {"graph", "Two collections that differ in one graph",
     "Three small graphs, twice. The middle one, drawn fat, is another graph on the right.",
     "one whole graph", 0, false, false},
    {"client", "Two federations that differ in one client",
     "Three clients, twice. All data of the middle one, drawn fat, are other data on the right.",
     "all data of one client", 0, false, true}};

bool page_neighbours(page *p, const char *adjacency) {
  static const char *const heads[] = {"Left", "Right", "What differs"};
  const level *found = NULL;
  for (size_t i = 0; i < PAGE_COUNT(levels); i++)
    if (strcmp(levels[i].name, adjacency) == 0) found = &levels[i];
  if (found == NULL) return false;
  page_figure(p, found->title);
  app_svg_begin(p->out, wide, tall, p->id, found->title, found->description);
  (void)fprintf(p->out,
                "<text x='8' y='16'>with</text><text x='%d' y='16'>without, or another</text>"
                "<path d='M%d 26V%d' class='grid'/>",
                second + 8, wide / 2, tall - 6);
  for (int side = 0; side < 2; side++) {
    const int across = side == 0 ? 8 : second + 8;
    if (found->differ > 0)
      draw_graph(p->out, across, found->differ, side == 0, found->node);
    else
      draw_collection(p->out, across, side == 0, found->boxes);
  }
  page_put(p, "</svg>\n");
  page_figure_table(p, found->title, heads, PAGE_COUNT(heads));
  page_cell(p, "with");
  page_cell(p, "without, or another");
  page_cell(p, "%s", found->differs);
  page_figure_end(p);
  page_paragraph(
      p, "The picture of false alarms and missed cases says how well, at most, the two can be told apart.");
  return true;
}
