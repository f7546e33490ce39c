#define SCALE 17
