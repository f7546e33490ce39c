// What a size comes to on a device.
struct launch_plan {
  const device_state* state = nullptr;
  dims problem{};
  cudaError_t status = cudaSuccess;
  selection chosen{};
  int variant = 0;
  extent grid{};
  extent block{};
  long long shared = 0;
  TUNER_PLAN_MEMBERS
};

launch_plan plan_of(const device_state& state, const dims& problem) {
  launch_plan plan;
  const device& facts = state.facts;
  plan.state = &state;
  plan.problem = problem;
  plan.chosen = select(facts, problem);
  const config& cfg = plan.chosen.cfg;
  if (!(TUNER_POSITIVE) || !valid(cfg, problem, facts)) {
    plan.status = plan.chosen.how == match::unsupported ? cudaErrorInvalidConfiguration
                                                        : cudaErrorInvalidValue;
    return plan;
  }
  plan.variant = variant_for(plan.chosen, problem);
  if (plan.variant < 0) {
    plan.status = cudaErrorInvalidConfiguration;
    return plan;
  }
#ifndef NDEBUG
  if (plan.chosen.how == match::fallback) {
    static const int told = std::fprintf(stderr, "TUNER_SPACE: %s (said once)\n", in_words(match::fallback));
    static_cast<void>(told);
  }
#endif
  plan.grid = grid_of(cfg, problem, facts);
  plan.block = block_of(cfg, problem, facts);
  plan.shared = dynamic_shared_bytes_of(cfg, problem, facts);
  TUNER_PLAN_STEPS
  return plan;
}

// Remembered for the last few sizes of each thread. The answer is good until the thread asks again.
const launch_plan& plan_for(const device_state& state, const dims& problem) {
  constexpr int count = 8;
  thread_local launch_plan known[count];
  thread_local int oldest = 0;
  for (const launch_plan& one : known) {
    if (one.state == &state && TUNER_SAME_SIZE) return one;
  }
  launch_plan& fresh = known[oldest];
  oldest = (oldest + 1) % count;
  fresh = plan_of(state, problem);
  return fresh;
}
