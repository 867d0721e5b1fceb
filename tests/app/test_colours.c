/* Colours of pages and drawings: contrast by WCAG 2.1, and distance under colour blindness. */
#include <math.h>

#include "check.h"
#include "report/colours.h"

typedef struct rgb {
  double of[3]; /* linear light */
} rgb;

static rgb parse(const char *hex) {
  unsigned r, g, b;
  rgb out;
  assert_int_equal(sscanf(hex, "#%2x%2x%2x", &r, &g, &b), 3);
  const unsigned value[3] = {r, g, b};
  for (int i = 0; i < 3; i++) {
    const double c = value[i] / 255.0;
    out.of[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

static const app_colour *find(const char *name) {
  for (size_t i = 0; i < app_colour_count; i++)
    if (strcmp(app_colours[i].name, name) == 0) return &app_colours[i];
  fail_msg("no colour is called %s", name);
  return NULL;
}

static double luminance(rgb c) {
  return 0.2126 * c.of[0] + 0.7152 * c.of[1] + 0.0722 * c.of[2];
}

static double contrast(const char *a, const char *b) {
  const double x = luminance(parse(a)), y = luminance(parse(b));
  return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void the_reference_values_of_contrast_are_met(void **state) {
  (void)state;
  CHECK_NEAR(contrast("#000000", "#ffffff"), 21, 1e-9);
  CHECK_NEAR(contrast("#767676", "#ffffff"), 4.54, 1e-3); /* the lightest grey that passes AA for text */
}

static void every_pair_has_its_contrast_in_light_and_dark(void **state) {
  (void)state;
  for (size_t i = 0; i < app_colour_pair_count; i++) {
    const app_colour_pair *pair = &app_colour_pairs[i];
    const app_colour *above = find(pair->above), *below = find(pair->below);
    const double light = contrast(above->light, below->light), dark = contrast(above->dark, below->dark);
    if (light < pair->least || dark < pair->least)
      fail_msg("%s on %s: %.2f in light, %.2f in dark, at least %.1f", pair->above, pair->below, light, dark,
               pair->least);
  }
}

/* Machado, Oliveira and Fernandes 2009, severity 1: as it is, protanopia, deuteranopia, tritanopia. */
static const double sights[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

static double curve(double t) {
  return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void lab(double out[3], const char *hex, int sight) {
  const rgb c = parse(hex);
  double seen[3];
  for (int i = 0; i < 3; i++) {
    seen[i] = 0;
    for (int k = 0; k < 3; k++) seen[i] += sights[sight][i][k] * c.of[k];
    seen[i] = fmin(1, fmax(0, seen[i]));
  }
  const double x = curve((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505),
               y = curve(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]),
               z = curve((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089);
  out[0] = 116 * y - 16;
  out[1] = 500 * (x - y);
  out[2] = 200 * (y - z);
}

/* A distance of 2.3 is just noticed side by side; lines that lie apart need far more. */
static void series_differ_under_every_colour_blindness(void **state) {
  enum { least = 20 };
  char name[2][8];
  double a[3], b[3];
  (void)state;
  for (int dark = 0; dark < 2; dark++)
    for (int sight = 0; sight < 4; sight++)
      for (int i = 0; i < APP_HUES; i++)
        for (int k = 0; k < i; k++) {
          (void)snprintf(name[0], sizeof name[0], "c%d", i);
          (void)snprintf(name[1], sizeof name[1], "c%d", k);
          const app_colour *one = find(name[0]), *other = find(name[1]);
          lab(a, dark ? one->dark : one->light, sight);
          lab(b, dark ? other->dark : other->light, sight);
          const double distance = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
          if (distance < least)
            fail_msg("%s and %s are %.1f apart in sight %d, %s", name[0], name[1], distance, sight,
                     dark ? "dark" : "light");
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_reference_values_of_contrast_are_met),
                                     cmocka_unit_test(every_pair_has_its_contrast_in_light_and_dark),
                                     cmocka_unit_test(series_differ_under_every_colour_blindness)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
