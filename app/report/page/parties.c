/* Section of a page: messages between parties as a picture, bytes by kind, and payloads sent without
 * protection. */
#include <math.h>
#include <string.h>

#include "parts.h"

enum { box = 110, wide = 390, row = 26, most_boxes = 8, box_least = 76, gap = 14 };
static const int left = box + 10, right = wide - box - 10;

void page_amount(char *out, size_t size, double bytes) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < PAGE_COUNT(units)) bytes /= 1000, unit++;
  (void)snprintf(out, size, "%.3g %s", bytes, units[unit]);
}

const char *page_kind(sotto_wire_kind kind) {
  static const char *const words[] = {[SOTTO_WIRE_PUBLIC] = "known to all parties by agreement",
                                      [SOTTO_WIRE_RELEASE] =
                                          "with noise, and charged to the ledger of its owner",
                                      [SOTTO_WIRE_SHARE] = "a secret share, uniformly random on its own",
                                      [SOTTO_WIRE_SEALED] = "masked or encrypted; its carrier cannot read it",
                                      [SOTTO_WIRE_EXPOSED] = "raw"};
  return words[kind];
}

static const char *class_of(int kind) {
  static const char *const classes[] = {[SOTTO_WIRE_PUBLIC] = "grey",
                                        [SOTTO_WIRE_RELEASE] = "k0",
                                        [SOTTO_WIRE_SHARE] = "k2",
                                        [SOTTO_WIRE_SEALED] = "k4",
                                        [SOTTO_WIRE_EXPOSED] = "k1"};
  return classes[kind];
}

/* Draws one arrow for each kind with bytes; raw payloads are emphasised. Returns the position of the next
 * arrow. */
static int draw_arrows(FILE *out, const json_t *bytes, bool to_right, int y) {
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    const char *name = sotto_wire_kind_name((sotto_wire_kind)kind);
    const double count = page_number(bytes, name);
    char text[48];
    if (!(count > 0)) continue;
    page_amount(text, sizeof text, count);
    const int tip = to_right ? right : left, back = to_right ? -9 : 9;
    (void)fprintf(out,
                  "<g class='%s'><path d='M%d %dH%d' stroke='currentColor' stroke-width='%d'%s/>"
                  "<path d='M%d %dl%d -6v12z' fill='currentColor'/></g>"
                  "<text x='%d' y='%d' text-anchor='middle'>%s %s</text>\n",
                  class_of(kind), to_right ? left : right, y + 19, tip + back,
                  kind == SOTTO_WIRE_EXPOSED ? 5 : 2,
                  kind == SOTTO_WIRE_SEALED || kind == SOTTO_WIRE_SHARE ? " stroke-dasharray='7 4'" : "", tip,
                  y + 19, back, (left + right) / 2, y + 12, name, text);
    y += row;
  }
  return y;
}

static int arrow_count(const json_t *bytes) {
  int count = 0;
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    count += page_number(bytes, sotto_wire_kind_name((sotto_wire_kind)kind)) > 0;
  return count;
}

static void draw_party(FILE *out, int x, int y, int height, const char *name) {
  (void)fprintf(out,
                "<rect x='%d' y='%d' width='%d' height='%d' rx='8' fill='var(--card)' stroke='var(--frame)' "
                "stroke-width='2'/><text x='%d' y='%d' text-anchor='middle' font-weight='bold'>",
                x, y, box, height, x + box / 2, y + height / 2 + 5);
  app_svg_text(out, name);
  (void)fputs("</text>\n", out);
}

static int height_of(const json_t *sent, const json_t *received) {
  const int all = row * (arrow_count(sent) + arrow_count(received)) + 10;
  return all < box_least ? box_least : all;
}

/* Do two parties send each other everything? Then one's bytes sent are the other's bytes received. With
 * more parties, or a role that stands for several, bytes are counted by party and each party is drawn
 * against all others. */
static bool is_a_pair(const json_t *parties) {
  const json_t *a = json_array_get(parties, 0), *b = json_array_get(parties, 1);
  return json_array_size(parties) == 2 &&
         json_equal(json_object_get(a, "sent_bytes"), json_object_get(b, "received_bytes")) != 0 &&
         json_equal(json_object_get(b, "sent_bytes"), json_object_get(a, "received_bytes")) != 0;
}

static const char picture_title[] = "Who sent what to whom";
static const char picture_words[] =
    "Boxes are parties. Arrows have the bytes of each kind of message. Fat arrows are raw data.";

static void draw_pair(page *p, const json_t *parties) {
  const json_t *a = json_array_get(parties, 0), *b = json_array_get(parties, 1);
  const json_t *there = json_object_get(a, "sent_bytes"), *back = json_object_get(b, "sent_bytes");
  const int height = height_of(there, back);
  app_svg_begin(p->out, wide, height + 8, p->id, picture_title, picture_words);
  draw_party(p->out, 2, 4, height, page_words(a, "role"));
  draw_party(p->out, wide - box - 2, 4, height, page_words(b, "role"));
  (void)draw_arrows(p->out, back, false, draw_arrows(p->out, there, true, 6));
  page_put(p, "</svg>\n");
}

static void draw_many(page *p, const json_t *parties) {
  const size_t count = json_array_size(parties) < most_boxes ? json_array_size(parties) : most_boxes;
  int total = 0, y = 4;
  for (size_t i = 0; i < count; i++) {
    const json_t *one = json_array_get(parties, i);
    total += height_of(json_object_get(one, "sent_bytes"), json_object_get(one, "received_bytes")) + gap;
  }
  app_svg_begin(p->out, wide, total - gap + 8, p->id, picture_title, picture_words);
  draw_party(p->out, wide - box - 2, 4, total - gap, "other parties");
  for (size_t i = 0; i < count; i++) {
    const json_t *one = json_array_get(parties, i);
    const json_t *sent = json_object_get(one, "sent_bytes"),
                 *received = json_object_get(one, "received_bytes");
    const int height = height_of(sent, received);
    draw_party(p->out, 2, y, height, page_words(one, "role"));
    (void)draw_arrows(p->out, received, false, draw_arrows(p->out, sent, true, y + 2));
    y += height + gap;
  }
  page_put(p, "</svg>\n");
}

static void put_line(FILE *out, int y, const char *text) {
  (void)fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", (left + right) / 2, y, text);
}

/* One data owner: only the model, and the releases for its training, leave it. */
static void draw_owner(page *p, const page_run *run) {
  static const char *const heads[] = {"From", "To", "What"};
  const json_t *list = json_object_get(run->statement, "mechanisms");
  const bool noisy = json_array_size(list) > 0,
             all = noisy && strcmp(page_words(run->statement, "adjacency"), "node") == 0;
  const char *made = all     ? "made from noisy releases"
                     : noisy ? "made from noisy releases of edges; from features and labels without noise"
                             : "made without noise";
  page_figure(p, picture_title);
  app_svg_begin(p->out, wide, 116, p->id, picture_title, "One owner hands the model on.");
  draw_party(p->out, 2, 8, 100, "owner");
  draw_party(p->out, wide - box - 2, 8, 100, "who gets it");
  (void)fprintf(p->out,
                "<g class='%s'><path d='M%d 60H%d' stroke='currentColor' stroke-width='%d'/>"
                "<path d='M%d 60l-9 -6v12z' fill='currentColor'/></g>\n",
                noisy ? "k0" : "k1", left, right - 9, noisy ? 2 : 5, right);
  put_line(p->out, 30, "the model,");
  put_line(p->out, 47, "its answers");
  put_line(p->out, 82, all ? "made from" : noisy ? "of edges: from" : "made");
  put_line(p->out, 99, noisy ? "noisy releases" : "without noise");
  page_put(p, "</svg>\n");
  page_figure_table(p, picture_title, heads, PAGE_COUNT(heads));
  page_cell(p, "owner");
  page_cell(p, "anyone with the model or its predictions");
  page_cell(p, "%s", made);
  page_figure_end(p);
}

static void put_byte_table(page *p, const json_t *parties) {
  static const char *const heads[] = {"Party", "Direction", "Public", "Release",
                                      "Share", "Sealed",    "Exposed"};
  static const char *const keys[] = {"sent_bytes", "received_bytes"};
  const json_t *one;
  size_t i;
  page_figure_table(p, "Bytes by party and kind", heads, PAGE_COUNT(heads));
  json_array_foreach(parties, i, one) {
    if (page_full(p)) break;
    for (int side = 0; side < 2; side++) {
      page_cell(p, "%s", page_words(one, "role"));
      page_cell(p, side == 0 ? "sent" : "received");
      for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
        page_cell(p, "%.0f",
                  page_number(json_object_get(one, keys[side]), sotto_wire_kind_name((sotto_wire_kind)kind)));
    }
  }
  page_figure_end(p);
  page_cut(p, i, json_array_size(parties));
}

static void put_exposures(page *p, const json_t *list) {
  static const char *const heads[] = {"Message", "Sent by", "Why, and what it reveals"};
  const json_t *item;
  size_t i;
  if (json_array_size(list) == 0) {
    page_paragraph(p, "No party sent raw data.");
    return;
  }
  page_table(p, "Messages that were sent raw", heads, PAGE_COUNT(heads));
  json_array_foreach(list, i, item) {
    if (page_full(p)) break;
    page_cell(p, "%s", page_words(item, "payload"));
    page_cell(p, "%s", page_words(item, "party"));
    page_cell(p, "%s", page_words(item, "why"));
  }
  page_table_end(p);
  page_cut(p, i, json_array_size(list));
}

void page_parties_picture(page *p, const page_run *run) {
  const json_t *parties = json_object_get(run->statement, "parties");
  if (json_array_size(parties) == 0) {
    draw_owner(p, run);
    return;
  }
  page_figure(p, picture_title);
  if (is_a_pair(parties))
    draw_pair(p, parties);
  else
    draw_many(p, parties);
  put_byte_table(p, parties);
}

void page_parties(page *p, const page_run *run) {
  page_section(p, "exposed", "What was shown to whom");
  if (json_array_size(json_object_get(run->statement, "parties")) > 0) {
    page_paragraph(p, "The picture at the top has the bytes of each kind of message:");
    page_put(p, "<ul>\n");
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
      page_item(p, "%s: %s.%s", sotto_wire_kind_name((sotto_wire_kind)kind), page_kind((sotto_wire_kind)kind),
                kind == SOTTO_WIRE_EXPOSED ? " The table below says why." : "");
    page_put(p, "</ul>\n");
  }
  put_exposures(p, json_object_get(run->statement, "exposed"));
  page_section_end(p);
}
