/* The colours of pages and drawings. */
#include "colours.h"

/* The hues maximise the smallest distance in CIELAB as seen with protanopia, deuteranopia and tritanopia
 * (Machado, Oliveira and Fernandes 2009), with a contrast of at least 3 to the paper. */
const app_colour app_colours[] = {
    {"paper", "#ffffff", "#14181d"}, {"card", "#f3f5f8", "#1e242b"}, {"ink", "#16202b", "#e8edf2"},
    {"soft", "#4a5764", "#b0bcc8"},  {"line", "#c3ccd6", "#3d4854"}, {"frame", "#6b7885", "#8896a4"},
    {"link", "#1d4fbf", "#9db8ff"},  {"good", "#0b6b45", "#5fd3a0"}, {"warn", "#7a4a00", "#f2c14e"},
    {"bad", "#a3172b", "#ff9aa4"},   {"c0", "#284eca", "#889aff"},   {"c1", "#d95f00", "#d47b29"},
    {"c2", "#00996a", "#28c985"},    {"c3", "#c35ca9", "#cc8cc2"},   {"c4", "#363250", "#9054ff"},
    {"c5", "#644300", "#ffe84e"},
};
const size_t app_colour_count = sizeof app_colours / sizeof *app_colours;

const app_colour_pair app_colour_pairs[] = {
    {"ink", "paper", 7},    {"ink", "card", 7},    {"soft", "paper", 4.5}, {"soft", "card", 4.5},
    {"link", "paper", 4.5}, {"link", "card", 4.5}, {"good", "paper", 4.5}, {"good", "card", 4.5},
    {"warn", "paper", 4.5}, {"warn", "card", 4.5}, {"bad", "paper", 4.5},  {"bad", "card", 4.5},
    {"frame", "paper", 3},  {"frame", "card", 3},  {"c0", "paper", 3},     {"c1", "paper", 3},
    {"c2", "paper", 3},     {"c3", "paper", 3},    {"c4", "paper", 3},     {"c5", "paper", 3},
};
const size_t app_colour_pair_count = sizeof app_colour_pairs / sizeof *app_colour_pairs;

void app_colours_write(FILE *out, bool dark) {
  for (size_t i = 0; i < app_colour_count; i++)
    (void)fprintf(out, "--%s:%s;", app_colours[i].name, dark ? app_colours[i].dark : app_colours[i].light);
}
