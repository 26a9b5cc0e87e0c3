// factory makes an object without its sink; the program hands it on, and the pump writes to the sink. The factory is not on the
// stack any more; the object's table of functions is in it.
// build: dll factory; dll pump; exe mixer: factory pump
#include "kit.h"
struct source;
struct ops { int (*read)(struct source *); int (*rate)(struct source *); };
struct sink { int level; };
struct source { const struct ops *ops; int left; struct sink *sink; };
USES struct source *factory_tone(int hertz);
USES int pump_run(struct source *s);
#ifdef PART_factory
static int tone_read(struct source *s) { return s->left-- * 3; }
static int tone_rate(struct source *s) { return s->left ? 48000 : 44100; }
static const struct ops tone = { tone_read, tone_rate };
API struct source *factory_tone(int hertz) {
    struct source *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->ops = &tone;
    s->left = hertz / 100;
    return s;
}
#endif
#ifdef PART_pump
API int pump_run(struct source *s) {
    int rate = s->ops->rate(s);
    for (int i = 0; i < 4; i++) s->sink->level += s->ops->read(s);
    return rate;
}
#endif
#ifdef PART_mixer
int main(void) {
    struct source *s = factory_tone(440);
    if (!s) return 1;
    return printf("%d\n", pump_run(s));
}
#endif
