// The program gives a number where the callback of another library expects its state.
// build: dll grid; dll totals; exe sheet: grid totals
#include "kit.h"
typedef int (*row_fn)(int value, void *user);
struct totals { int sum, rows, widest; };
USES int grid_each(const int *cells, int n, row_fn f, void *user);
USES int totals_row(int value, void *user);
#ifdef PART_grid
API int grid_each(const int *cells, int n, row_fn f, void *user) {
    int used = 0;
    for (int i = 0; i < n; i++) used += f(cells[i], user);
    return used;
}
#endif
#ifdef PART_totals
API int totals_row(int value, void *user) {
    struct totals *t = user;
    if (value > t->widest) t->widest = value;
    t->sum += value;
    return ++t->rows;
}
#endif
#ifdef PART_sheet
static KEEP int sum(const int *cells, int n) {
    struct totals t = { 0 };
    int used = grid_each(cells, n, totals_row, &t);
    return used + grid_each(cells, n, totals_row, (void *)(intptr_t)n);
}
int main(void) {
    int cells[28] = { 3, 1, 4, 1, 5 };
    return printf("%d\n", sum(cells, 28));
}
#endif
