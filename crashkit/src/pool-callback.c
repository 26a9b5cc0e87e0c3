// A callback of the program on a thread of the pool resizes an image that could not be read.
// build: dll scaler; exe album: scaler
#include "kit.h"
struct image { int width, height; unsigned char *pixels; };
USES int scaler_half(struct image *i);
#ifdef PART_scaler
API int scaler_half(struct image *i) {
    int n = 0;
    for (int y = 0; y < i->height; y += 2)
        for (int x = 0; x < i->width; x += 2) i->pixels[n++] = i->pixels[y * i->width + x];
    return n;
}
#endif
#ifdef PART_album
static HANDLE done;
static struct image *read_image(const char *path) {
    static unsigned char pixels[64];
    static struct image i = { 8, 8, pixels };
    return strstr(path, ".png") ? &i : NULL;
}
static DWORD WINAPI work(void *path) {
    int n = scaler_half(read_image(path));
    SetEvent(done);
    return n;
}
int main(void) {
    const char *paths[] = { "a.png", "b.tif" };
    done = CreateEventA(NULL, FALSE, FALSE, NULL);
    for (int i = 0; i < 2; i++) {
        QueueUserWorkItem(work, (void *)paths[i], 0);
        WaitForSingleObject(done, INFINITE);
    }
    return puts("done");
}
#endif
