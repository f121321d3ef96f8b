// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// sqlite ROUNDS: fills tables in memory with Debian's SQLite, indexes them and asks for sums.
#include "kernels.h"
#include "sqlite3.h"

static sqlite3 *base;

static void must(int code)
{
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
        fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(base));
        exit(1);
    }
}

APART void fill(int rows)
{
    sqlite3_stmt *insert;
    must(sqlite3_prepare_v2(base, "INSERT INTO sale VALUES (?, ?, ?)", -1, &insert, 0));
    for (int i = 0; i < rows; i++) {
        must(sqlite3_bind_int(insert, 1, i));
        must(sqlite3_bind_int(insert, 2, (int)(((unsigned)i * 2654435761u) >> 20)));
        must(sqlite3_bind_double(insert, 3, i % 97 * 0.25));
        must(sqlite3_step(insert));
        must(sqlite3_reset(insert));
    }
    must(sqlite3_finalize(insert));
}

APART double ask(void)
{
    sqlite3_stmt *select;
    double sum = 0;
    must(sqlite3_prepare_v2(base,
        "SELECT a.shop, sum(a.price * b.price) FROM sale a JOIN sale b ON a.shop = b.shop "
        "WHERE a.number % 5 = 0 GROUP BY a.shop ORDER BY 2 DESC", -1, &select, 0));
    while (sqlite3_step(select) == SQLITE_ROW)
        sum += sqlite3_column_double(select, 1);
    must(sqlite3_finalize(select));
    return sum;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 3;
    double began = seconds(), sum = 0;
    for (long n = 0; n < rounds; n++) {
        must(sqlite3_open(":memory:", &base));
        must(sqlite3_exec(base, "CREATE TABLE sale (number INTEGER PRIMARY KEY, shop INTEGER, "
                                "price REAL); BEGIN", 0, 0, 0));
        fill(40000);
        must(sqlite3_exec(base, "COMMIT; CREATE INDEX shops ON sale (shop)", 0, 0, 0));
        sum += ask();
        must(sqlite3_close(base));
    }
    finish(began, sum);
    return 0;
}
