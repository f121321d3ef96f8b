// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// bt ROUNDS: block tridiagonal systems of 5 by 5 blocks along the lines of a grid. Each block goes
// through three small functions, nested as in NPB's BT.
#include <string.h>

#include "kernels.h"

enum { N = 5, LINE = 64, LINES = 256 };

typedef double block[N][N];
typedef double vector[N];

struct line {
    block lower[LINE], middle[LINE], upper[LINE];
    vector right[LINE];
};

APART void multiply_vector(block a, vector x, vector y)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            y[i] -= a[i][k] * x[k];
}

APART void multiply_block(block a, block b, block c)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] -= a[i][k] * b[k][j];
}

APART void invert(block a, block c, vector r)
{
    for (int p = 0; p < N; p++) {
        double pivot = 1 / a[p][p];
        for (int j = 0; j < N; j++)
            a[p][j] *= pivot, c[p][j] *= pivot;
        r[p] *= pivot;
        for (int i = 0; i < N; i++) {
            double f = a[i][p];
            if (i == p)
                continue;
            for (int j = 0; j < N; j++)
                a[i][j] -= f * a[p][j], c[i][j] -= f * c[p][j];
            r[i] -= f * r[p];
        }
    }
}

APART void fill(struct line *l, int number)
{
    memset(l, 0, sizeof *l);
    for (int b = 0; b < LINE; b++)
        for (int i = 0; i < N; i++) {
            l->middle[b][i][i] = 8 + (number + b) % 3;
            l->lower[b][i][i] = l->upper[b][i][i] = 1;
            l->middle[b][i][(i + 1) % N] = 0.5;
            l->right[b][i] = i + 1;
        }
}

APART double solve(struct line *l)
{
    invert(l->middle[0], l->upper[0], l->right[0]);
    for (int b = 1; b < LINE; b++) {
        multiply_vector(l->lower[b], l->right[b - 1], l->right[b]);
        multiply_block(l->lower[b], l->upper[b - 1], l->middle[b]);
        invert(l->middle[b], l->upper[b], l->right[b]);
    }
    for (int b = LINE - 2; b >= 0; b--)
        multiply_vector(l->upper[b], l->right[b + 1], l->right[b]);
    return l->right[0][0];
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10;
    double began = seconds(), sum = 0;
    for (long r = 0; r < rounds; r++) {
#pragma omp parallel for reduction(+ : sum)
        for (int n = 0; n < LINES; n++) {
            struct line l;
            fill(&l, n);
            sum += solve(&l);
        }
    }
    finish(began, sum);
    return 0;
}
