namespace detail {
// The tables, asked for one size on one device.
struct question {
  using how = match;
  struct notes {
    standing devices[device_count];
    int nearest[config_count];
    standing standings[config_count];
    bool ruled_out[config_count];
  };
  const device& v;
  const dims& d;
  int logs[TUNER_DIMENSIONS] = {TUNER_LOGS};
  TUNER_FN notes blank() const { return {}; }
  TUNER_FN int device_total() const { return device_count; }
  TUNER_FN int configuration_total() const { return config_count; }
  TUNER_FN int entry_total() const { return entry_count; }
  TUNER_FN const device& asked() const { return v; }
  TUNER_FN const device& tuned(int i) const { return devices[i]; }
  TUNER_FN int device_of(int i) const { return entries[i].dev; }
  TUNER_FN int configuration_of(int i) const { return entries[i].cfg; }
  TUNER_FN bool serves(int c) const { return detail::serves(names(configs[c], d, v), v); }
  TUNER_FN bool same(int i) const {
    const dims& size = entries[i].size;
    static_cast<void>(size);
    return TUNER_SAME;
  }
  TUNER_FN long long distance(int i) const {
    const auto& lg = entries[i].lg;
    static_cast<void>(lg);
    return TUNER_DISTANCE;
  }
};
// What select() answers, uncounted.
TUNER_FN selection answer_to(const device& v, const dims& d) {
  if (!(TUNER_POSITIVE)) return {configs[0], match::fallback, 0, -1, 4, 0.0};
//if SIZE_RULES
  if (!detail::rules_of_the_size(detail::names(configs[0], d, v))) {
    return {configs[0], match::unsupported, 0, -1, 4, 0.0};
  }
//end
  const detail::question q{v, d};
//if LEARNED
  const auto learned =
      detail::in_domain(d) ? detail::predicted(q, detail::expected_costs(d, v.multiprocessors))
                           : detail::none<match>();
  const auto found = learned.how != match::unsupported ? learned : detail::nearest(q);
//else
  const auto found = detail::nearest(q);
//end
  return {configs[found.configuration],
          found.how,
          found.configuration,
          found.entry,
          found.tier,
          static_cast<double>(found.distance) * TUNER_UNIT};
}
}  // namespace detail

#ifdef TUNER_PREFIX_COUNTS
//part asked.hpp

inline namespace counted {  // so that files with and without counts may become one program
#endif
// The configuration for a size on a device: from the nearest device that was tuned, there from the
// nearest size; what is not valid here is passed over. A size that is not positive in every
// dimension gets the default configuration, marked as a fallback.
TUNER_FN selection select(const device& v, const dims& d) {
  const selection s = detail::answer_to(v, d);
#if defined(TUNER_PREFIX_COUNTS) && !defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) detail::count_at(detail::asked_place(v, d, s, s.how));
#endif
  return s;
}
#ifdef TUNER_PREFIX_COUNTS
// Writes what this process has asked for until now; the end of the program does, too. False: there
// is no file, because nothing was asked for, TUNER_ASKED is empty, or it cannot be written.
inline bool write_asked() { return detail::asked_recorder::get().write(); }
}  // namespace counted
#else
// Without TUNER_SWITCH nothing is counted, and there is nothing to write.
TUNER_FN bool write_asked() { return false; }
#endif

// What selection::how means.
TUNER_FN const char* in_words(match how) {
  switch (how) {
    case match::exact: return "this size was tuned on a device of this name";
    case match::near_size: return "the nearest size that was tuned on a device of this name";
    case match::near_device: return "tuned on another device";
    case match::fallback: return "no tuned device or size is near: a safe default";
    case match::unsupported: return "no configuration can run this size on this device";
//if LEARNED
    case match::predicted: return "predicted from the sizes that were tuned on this device";
//end
  }
  return "";
}

// The facts of a compute capability (90 for 9.0): of the device that was tuned, else of the
// architecture, else what every device has.
TUNER_FN device device_of(int compute_capability) {
  for (int i = 0; i < device_count; ++i) {
    if (devices[i].compute_capability == compute_capability) return devices[i];
  }
  for (const device& one : architectures) {
    if (one.compute_capability == compute_capability) return one;
  }
  device v;
  v.compute_capability = compute_capability;
  return v;
}

// The selection at compile time: best<TUNER_EXAMPLE>.cfg.
template <int ComputeCapability, long long... Size>
TUNER_TABLE selection best = detail::answer_to(device_of(ComputeCapability), dims{Size...});
