// jobs logs a number with %s; the formatting runs in the C runtime, below the library for logs.
// build: dll logger; dll jobs: logger; exe nightly: jobs
#include "kit.h"
USES int logger_write(const char *format, ...);
USES int jobs_finish(int code);
#ifdef PART_logger
API int logger_write(const char *format, ...) {
    char line[200];
    va_list list;
    va_start(list, format);
    int n = _vsnprintf(line, sizeof line, format, list);
    va_end(list);
    return n;
}
#endif
#ifdef PART_jobs
API int jobs_finish(int code) {
    if (code == 0) return logger_write("finished: %s", "well");
    int n = logger_write("finished with code %s", code);
    return n + code;
}
#endif
#ifdef PART_nightly
int main(void) { return printf("%d\n", jobs_finish(0) + jobs_finish(UNSEEN(404))); }
#endif
