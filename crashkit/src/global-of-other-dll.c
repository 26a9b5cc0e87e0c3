// plugin3 sets the host's global device to a value that is no pointer; the host uses it on the next frame.
// build: dll hostx; dll plugin3: hostx; exe viewer3: hostx plugin3
#include "kit.h"
struct device { int width, height; };
USES void hostx_device(struct device *d);
USES int hostx_frame(int (*hook)(int), int n);
USES int plugin3_hook(int n);
#ifdef PART_hostx
static struct device screen = { 640, 480 }, *device = &screen;
API void hostx_device(struct device *d) { device = d; }
API int hostx_frame(int (*hook)(int), int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += hook(i) + device->width;
    return sum;
}
#endif
#ifdef PART_plugin3
API int plugin3_hook(int n) {
    if (n == 1) hostx_device((struct device *)(intptr_t)-1);
    return n;
}
#endif
#ifdef PART_viewer3
int main(void) { return printf("%d\n", hostx_frame(plugin3_hook, 3)); }
#endif
