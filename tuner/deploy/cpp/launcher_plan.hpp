// What a size comes to on a device.
struct launch_plan {
  const device_state* state = nullptr;
  dims problem{};
  cudaError_t status = cudaSuccess;
  selection chosen{};
  int variant = 0;
#ifdef TUNER_PREFIX_COUNTS
  detail::asked_counts* asked = nullptr;
#endif
  extent grid{};
  extent block{};
  long long shared = 0;
//each COMPUTED
  TUNER_TYPE computed_TUNER_N{};
//end
//each COUNTED
  long long constant_TUNER_NAME = 0;
//end
//each SCRATCH
  long long scratch_TUNER_N = 0;
//end
//each WORKSPACES
  long long workspace_TUNER_N = 0;
//end
//each MAPS
  matrix_map map_TUNER_N;
//end
//if SCRATCH
  long long scratch = 0;
//end
//if WORKSPACES
  long long clean = 0;
  long long other = 0;
//end
//if ATTRIBUTES
  launch_attributes attributes{};
//end
//if NEXT
  next_launch next[TUNER_NEXT_COUNT]{};
//end
};

launch_plan plan_of(const device_state& state, const dims& problem) {
  launch_plan plan;
  const device& facts = state.facts;
  plan.state = &state;
  plan.problem = problem;
  plan.chosen = detail::answer_to(facts, problem);
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
//if NAMED
  const detail::names names(cfg, problem, facts);
//end
//each COMPUTED
  if (!number_from(detail::computed_TUNER_N(names), plan.computed_TUNER_N)) plan.status = cudaErrorInvalidValue;
//end
//each COUNTED
  plan.constant_TUNER_NAME = detail::constant_bytes_TUNER_NAME(names).i;
//end
//each SCRATCH
  plan.scratch_TUNER_N = detail::scratch_TUNER_N(names).i;
//end
//each WORKSPACES
  plan.workspace_TUNER_N = detail::workspace_TUNER_N(names).i;
//end
//each MAPS
  plan.map_TUNER_N.says = detail::map_TUNER_N(names);
  if (!has_values(plan.map_TUNER_N.says)) plan.status = cudaErrorInvalidValue;
//end
//if SCRATCH
  plan.scratch = scratch_bytes_of(cfg, problem, facts);
  if (plan.scratch < 0) plan.status = cudaErrorInvalidValue;
//end
//if WORKSPACES
  plan.clean = detail::clean_bytes(names);
  if (plan.clean < 0) plan.status = cudaErrorInvalidValue;
  plan.other = detail::other_bytes(names);
  if (plan.other < 0) plan.status = cudaErrorInvalidValue;
//end
//if ATTRIBUTES
  plan.attributes = attributes_of(cfg, problem, facts);
//end
//each NEXT
  plan.next[TUNER_I] = next_launch_of(TUNER_I, cfg, problem, facts);
//end
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
#ifdef TUNER_PREFIX_COUNTS
  fresh.asked = detail::asked_place(state.facts, problem, fresh.chosen,
                                    fresh.status == cudaErrorInvalidConfiguration
                                        ? match::unsupported
                                        : fresh.chosen.how);
#endif
  return fresh;
}
