// exporter writes to a file that it could not open.
// build: dll exporter; exe accounts: exporter
#include "kit.h"
USES int exporter_rows(const char *path, int n);
#ifdef PART_exporter
API int exporter_rows(const char *path, int n) {
    FILE *f = fopen(path, "w");
    for (int i = 0; i < n; i++) fputs("row\n", f);
    fclose(f);
    return n;
}
#endif
#ifdef PART_accounts
int main(void) { return printf("%d\n", exporter_rows("no-such-folder\\rows.csv", 3)); }
#endif
