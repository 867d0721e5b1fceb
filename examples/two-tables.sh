#!/bin/sh
# Writes the tables of docs/two-tables.md into the folders bank/ and shop/: made customers, of two days.
# usage: two-tables.sh [FOLDER]
set -eu
cd "${1:-.}"
mkdir -p bank shop

# tables DAY FIRST LAST TOWN: customers FIRST to LAST of that day; the last tenth of them lives in TOWN. Some know each other, and those who
# leave know more people who leave. The shop has other clients than the bank, in another order.
tables() {
  awk -v day="$1" -v first="$2" -v last="$3" -v town="$4" 'BEGIN {
    srand(7); edges = "bank/" day ".csv"; nodes = "bank/" day ".nodes.csv"; clients = "shop/" day ".clients.csv"
    print "payer,payee" > edges; print "id,age,income,segment,since,town" > nodes
    print day == "july" ? "client;visits;churn" : "client;visits" > clients
    split("retail business student", segments, " "); split("Leeds Bath", towns, " ")
    for (v = 1; v <= last; v++) {
      leaves = rand() < 0.4; age = int(34 + 25 * rand() - 8 * leaves); income = int((1800 + 40 * age) * (0.8 + 0.4 * rand()) - 500 * leaves)
      segment = segments[1 + int(3 * rand())]; place = v > last - (last - first + 1) / 10 ? town : towns[1 + int(2 * rand())]
      since = sprintf("20%02d-%02d-%02d", 10 + int(12 * rand()), 1 + int(12 * rand()), 1 + int(28 * rand()))
      member[v] = leaves; line[v] = sprintf("C-%05d;%d", 20000 + 7 * v, int(9 * rand())); churn[v] = leaves ? "yes" : "no"
      if (rand() < 0.05) income = ""                                      # not known
      if (v < first) continue
      if (rand() < 0.95) { at_bank[v] = 1; printf "C-%05d,%d,%s,%s,%s,%s\n", 20000 + 7 * v, age, income, segment, since, place > nodes }
    }
    for (k = 0; k < 10 * (last - first + 1); k++) {
      u = first + int((last - first + 1) * rand()); v = first + int((last - first + 1) * rand())
      if (u == v || !at_bank[u] || !at_bank[v] || (member[u] != member[v] && rand() < 0.9)) continue
      printf "C-%05d,C-%05d\n", 20000 + 7 * u, 20000 + 7 * v > edges      # some pairs more than once
    }
    for (v = last; v >= first; v--) {
      if (rand() < 0.08) continue                                         # no client of the shop
      if (day == "july") print line[v] ";" churn[v] > clients; else print line[v] > clients
    }
    for (v = 1; v <= 20; v++) print "S-" v ";1" (day == "july" ? ";no" : "") > clients  # no customer of the bank
  }'
}
tables july 1 600 Bath
tables august 61 660 York
