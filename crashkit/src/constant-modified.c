// locale2 has a constant text cut into words in place.
// build: dll words; dll locale2: words; exe spell: locale2
#include "kit.h"
USES int words_split(char *text);
USES int locale2_count(int which);
#ifdef PART_words
API int words_split(char *text) {
    int n = 1;
    for (; *text; text++)
        if (*text == ',') { *text = 0; n++; }
    return n;
}
#endif
#ifdef PART_locale2
static char days[] = "mon,tue,wed";
static const char months[] = "jan,feb,mar";
API int locale2_count(int which) {
    int n = words_split(which ? (char *)UNSEEN(&months[0]) : days);
    return n + 1;
}
#endif
#ifdef PART_spell
int main(void) { return printf("%d\n", locale2_count(0) + locale2_count(UNSEEN(1))); }
#endif
