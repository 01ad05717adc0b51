// Place for the snippet of docs/interceptors.md, which has a function main.
#include <orbweaver/orb.h>

#include <iostream>

#define main traced_main
// snippet
#undef main
