/* A strategy without the SDK: plain C against abi.h. It proposes every configuration once, from the
 * last to the first. */
#include <stdlib.h>

#include "tuner/plugin/abi.h"

typedef struct backwards {
  uint64_t left;
} backwards;

static const tuner_item_info kInfo = {sizeof(tuner_item_info), "backwards", "last to first", NULL,
                                      0};

static const tuner_item_info* info(uint32_t item) { return item == 0 ? &kInfo : NULL; }

static void destroy(void* self) { free(self); }

static int64_t ask(void* self, size_t count, tuner_index* out, tuner_sink error) {
  backwards* state = self;
  size_t written = 0;
  (void)error;
  while (written < count && state->left > 0) {
    out[written].high = 0;
    out[written++].low = --state->left;
  }
  return (int64_t)written;
}

static int tell(void* self, const tuner_observation* observation, tuner_sink error) {
  (void)self;
  (void)observation;
  (void)error;
  return TUNER_OK;
}

static int prior(void* self, const tuner_prior* from, tuner_sink error) {
  (void)self;
  (void)from;
  (void)error;
  return TUNER_OK;
}

static int machine(void* self, const tuner_machine* from, tuner_sink error) {
  (void)self;
  (void)from;
  (void)error;
  return TUNER_OK;
}

static int create(uint32_t item, const tuner_strategy_setup* setup, tuner_strategy* out,
                  tuner_sink error) {
  static const char kFull[] = "out of memory";
  backwards* state = malloc(sizeof *state);
  (void)item;
  if (state == NULL) {
    error.emit(error.context, kFull, sizeof kFull - 1);
    return TUNER_OUT_OF_MEMORY;
  }
  state->left = setup->space->size.low;
  out->struct_size = sizeof *out;
  out->self = state;
  out->destroy = destroy;
  out->ask = ask;
  out->tell = tell;
  out->prior = prior;
  out->machine = machine;
  return TUNER_OK;
}

static const tuner_strategy_factory kFactory = {sizeof(tuner_strategy_factory), 1, info, create};

static const void* get_factory(const char* kind) {
  const char* wanted = TUNER_KIND_STRATEGY;
  while (*kind != '\0' && *kind == *wanted) {
    ++kind;
    ++wanted;
  }
  return *kind == *wanted ? &kFactory : NULL;
}

const tuner_plugin tuner_plugin_v2 = {TUNER_ABI_MAGIC,      TUNER_ABI_MAJOR, TUNER_ABI_MINOR,
                                      sizeof(tuner_plugin), "plain_c",       "1",
                                      get_factory};
