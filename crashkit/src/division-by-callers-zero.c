// report asks for the mean of no values.
// build: dll stats; dll report: stats; exe survey: report
#include "kit.h"
USES int stats_mean(const int *v, int n);
USES int report_week(const int *v, const int *days, int weeks);
#ifdef PART_stats
API int stats_mean(const int *v, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    return (sum + (v[0] & 1)) / n;
}
#endif
#ifdef PART_report
API int report_week(const int *v, const int *days, int weeks) {
    int best = 0;
    for (int w = 0; w < weeks; w++) {
        int mean = stats_mean(v, days[w]);
        if (mean > best) best = mean;
        v += days[w];
    }
    return best;
}
#endif
#ifdef PART_survey
int main(void) {
    int v[] = { 3, 5, 7, 9, 1 }, days[] = { 2, 2, 0 };
    return printf("%d\n", report_week(v, days, UNSEEN(3)));
}
#endif
