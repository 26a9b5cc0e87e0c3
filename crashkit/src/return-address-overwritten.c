// parser copies a token without regard to its length over its own return address.
// build: dll parser; exe query: parser
#include "kit.h"
USES int parser_word(const char *text);
#ifdef PART_parser
static KEEP void upper(char *to, const char *from) {
    while (*from && *from != ' ') *to++ = *from++ & ~0x20;
}
API KEEP int parser_word(const char *text) {
    char word[24];
    memset(word, 0, sizeof word);
    upper(UNSEEN(&word[0]), text);
    return word[0] + word[3];
}
#endif
#ifdef PART_query
static KEEP int parse(const char *text) { return parser_word(text) + 1; }
int main(void) {
    int n = parse("select all");
    n += parse("wherethequickbrownfoxjumpedoverthelazydogandthenwhenttosleepuntilthesunroseagainoverthehillsinthewest");
    return printf("%d\n", n);
}
#endif
