// spool makes a job without a driver when no driver fits, and hands it to the renderer, which needs one.
// build: dll render; dll spool: render; exe office: spool
#include "kit.h"
struct driver { int dpi, colors; };
struct job { int pages; const char *title; struct driver *driver; int copies; };
USES int render_job(struct job *j);
USES int spool_print(const char *title, const char *device, int pages);
#ifdef PART_render
API int render_job(struct job *j) {
    int dots = 0;
    for (int p = 0; p < j->pages; p++) dots += j->driver->dpi * j->driver->colors * j->copies;
    return dots;
}
#endif
#ifdef PART_spool
static struct driver laser = { 600, 1 };
API int spool_print(const char *title, const char *device, int pages) {
    struct job *j = calloc(1, sizeof *j);
    if (!j) return 0;
    j->title = title;
    j->pages = pages;
    j->copies = 1;
    if (!strcmp(device, "laser")) j->driver = &laser;
    int dots = render_job(j);
    free(j);
    return dots;
}
#endif
#ifdef PART_office
int main(void) {
    int dots = spool_print("letter", "laser", 2);
    dots += spool_print("photo", "inkjet", 1);
    return printf("%d\n", dots);
}
#endif
