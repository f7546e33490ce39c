#pragma once
// CHOSEN(TUNE_FORM_IS_naive) is 1 where that value of a knob is the variant's, else 0: also where a
// study has taken the value from its list, so that nothing is defined. `#if` knows that by itself;
// in C++ such a name is an error. A name that is 1 becomes CHOSEN_1, which brings a comma along, so
// the 1 behind it is second. Of all others the 0 is second.

#define CHOSEN_1 0,
#define CHOSEN_SECOND(first, second, ...) second
#define CHOSEN_MARKED(mark) CHOSEN_SECOND(mark 1, 0, 0)
#define CHOSEN_VALUE(value) CHOSEN_MARKED(CHOSEN_##value)
#define CHOSEN(name) CHOSEN_VALUE(name)
