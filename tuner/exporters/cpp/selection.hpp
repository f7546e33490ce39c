namespace detail {
TUNER_FN long long square(long long x) { return x * x; }
// What makes one entry a better answer than another, in this order.
struct standing {
  int tier = 9;
  long long cc = 0;          // the newer the better
  long long processors = 0;  // how far their number is off
  long long distance = 0;    // squared log2 ratios, weighted, in whole numbers
  TUNER_FN bool better_than(const standing& o) const {
    if (tier != o.tier) return tier < o.tier;
    if (cc != o.cc) return cc > o.cc;
    if (processors != o.processors) return processors < o.processors;
    return distance < o.distance;
  }
};
}  // namespace detail

TUNER_PREDICTED;
// The configuration for a size on a device: from the nearest device that was tuned, there from the
// nearest size; what is not valid here is passed over. A size that is not positive in every
// dimension gets the default configuration, marked as a fallback.
TUNER_FN selection select(const device& v, const dims& d) {
  if (!(TUNER_POSITIVE)) return {configs[0], match::fallback, 0, -1, 4, 0.0};
  TUNER_SIZE_RULES;
  TUNER_LEARNED;
  TUNER_QUERY;
  int tiers[device_count] = {};
  for (int i = 0; i < device_count; ++i) tiers[i] = detail::tier(devices[i], v);
  // Of each configuration its nearest entry; -1: none, or it is not valid here.
  int nearest[config_count] = {};
  detail::standing standings[config_count] = {};
  for (int i = 0; i < config_count; ++i) nearest[i] = -1;
  for (int i = 0; i < entry_count; ++i) {
    const entry& e = entries[i];
    if (tiers[e.dev] < 0) continue;
    const device& h = devices[e.dev];
    detail::standing s;
    s.tier = tiers[e.dev];
    s.cc = h.compute_capability;
    s.processors = s.tier == 0 ? 0 : detail::apart(h.multiprocessors, v.multiprocessors);
    s.distance = TUNER_DISTANCE;
    if (nearest[e.cfg] >= 0 && !s.better_than(standings[e.cfg])) continue;
    nearest[e.cfg] = i;
    standings[e.cfg] = s;
  }
  // Asking whether a configuration is valid takes longer than comparing entries: only the nearest
  // one is asked, and the next where it is not.
  bool ruled_out[config_count] = {};
  int best = -1;
  detail::standing best_standing;
  for (bool found = false; !found;) {
    best = -1;
    best_standing = detail::standing();
    for (int i = 0; i < config_count; ++i) {
      const int at = nearest[i];
      if (at < 0 || best_standing.better_than(standings[i])) continue;
      if (!standings[i].better_than(best_standing) && best >= 0 && at > best) continue;
      best = at;
      best_standing = standings[i];
    }
    found = best < 0 || detail::serves(detail::names(configs[entries[best].cfg], d, v), v);
    if (found) continue;
    nearest[entries[best].cfg] = -1;
    ruled_out[entries[best].cfg] = true;
  }
  if (best >= 0) {
    const entry& e = entries[best];
    const bool same = TUNER_SAME;
    const match how = best_standing.tier > 0 ? match::near_device
                      : same                 ? match::exact
                                             : match::near_size;
    return {configs[e.cfg],
            how,
            e.cfg,
            best,
            best_standing.tier,
            static_cast<double>(best_standing.distance) * TUNER_UNIT};
  }
  for (int i = 0; i < config_count; ++i) {
    if (ruled_out[i] || !detail::serves(detail::names(configs[i], d, v), v)) continue;
    return {configs[i], match::fallback, i, -1, 4, 0.0};
  }
  return {configs[0], match::unsupported, 0, -1, 4, 0.0};
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
TUNER_TABLE selection best = select(device_of(ComputeCapability), dims{Size...});
