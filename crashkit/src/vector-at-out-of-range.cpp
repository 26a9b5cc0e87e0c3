// chart asks a vector for an element behind its end; the check of the standard library throws, nobody catches.
// build: dll chart +shared; exe stocks: chart +shared
#include "kit.h"
#include <vector>
USES int chart_peak(const int *v, int n, int window);
#ifdef PART_chart
API int chart_peak(const int *v, int n, int window) {
    std::vector<int> values(v, v + n);
    int peak = 0;
    for (int i = 0; i + window <= n + 1; i++) {
        int sum = 0;
        for (int k = 0; k < window; k++) sum += values.at(i + k);
        if (sum > peak) peak = sum;
    }
    return peak;
}
#endif
#ifdef PART_stocks
int main() {
    int v[] = { 4, 8, 15, 16, 23, 42 };
    return printf("%d\n", chart_peak(v, 6, 3));
}
#endif
