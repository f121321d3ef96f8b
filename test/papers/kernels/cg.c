// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// cg ROUNDS: the conjugate gradient method on a sparse symmetric matrix with scattered places.
#include "kernels.h"

enum { ROWS = 14000, PER_ROW = 11 };

static int columns[ROWS][PER_ROW];
static double values[ROWS][PER_ROW], x[ROWS], r[ROWS], p[ROWS], q[ROWS];

APART void make(void)
{
    static const int distances[] = {7, 131, 1733, 4099, 6301};
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < PER_ROW; k++) {
            int d = k == 0 ? 0 : distances[(k - 1) / 2];
            columns[i][k] = (i + (k % 2 ? d : ROWS - d)) % ROWS;
            values[i][k] = k == 0 ? 20 : 0.5 + 0.1 * (d % 3);
        }
}

APART void multiply(void)
{
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < PER_ROW; k++)
            sum += values[i][k] * p[columns[i][k]];
        q[i] = sum;
    }
}

APART double dot(const double *a, const double *b)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < ROWS; i++)
        sum += a[i] * b[i];
    return sum;
}

APART void add(double *a, const double *b, double by, const double *c)
{
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++)
        a[i] = b[i] + by * c[i];
}

APART double gradient(void)
{
    for (int i = 0; i < ROWS; i++)
        x[i] = 0, r[i] = p[i] = 1 + i % 7;
    double rho = dot(r, r);
    for (int step = 0; step < 25; step++) {
        multiply();
        double alpha = rho / dot(p, q), before = rho;
        add(x, x, alpha, p);
        add(r, r, -alpha, q);
        rho = dot(r, r);
        add(p, r, rho / before, p);
    }
    return dot(x, x);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10;
    double began = seconds(), sum = 0;
    make();
    for (long n = 0; n < rounds; n++)
        sum += gradient();
    finish(began, sum);
    return 0;
}
