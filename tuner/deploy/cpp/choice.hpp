// Which configuration serves a size on a device. The program that has made this file chooses by the
// same text.
TUNER_FN int lg256(long long x) {  // 256 * log2(x), linear between powers of two; 0 for x < 1
  const long long y = x < 1 ? 1 : x;
  int e = 0;
  while ((y >> e) > 1) ++e;
  const long long rest = y - (1ll << e);
  return e * 256 + static_cast<int>(e <= 50 ? (rest << 8) >> e : rest >> (e - 8));
}
TUNER_FN long long square(long long x) { return x * x; }
TUNER_FN long long apart(long long a, long long b) { return a < b ? b - a : a - b; }
TUNER_FN bool same_text(const char* a, const char* b) {
  int n = 0;
  while (a[n] != '\0' && a[n] == b[n]) ++n;
  return a[n] == b[n];
}
// How far the device of an entry is from the device asked for; -1: of no use for it.
TUNER_FN int tier(const device& have, const device& want) {
  const long long h = have.compute_capability;
  const long long w = want.compute_capability;
  if (h == w) return same_text(have.name, want.name) ? 0 : 1;
  if (h == 0 || w == 0 || h > w) return -1;
  return h / 10 == w / 10 ? 2 : 3;
}
// CUDA's limits, and the device's.
TUNER_FN bool launchable(const extent& b, const extent& g, long long shared, const device& v) {
  return b.x > 0 && b.y > 0 && b.z > 0 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 &&
         static_cast<long long>(b.x) * b.y * b.z <= v.max_threads_per_block &&
         g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 2147483647u && g.y <= 65535u &&
         g.z <= 65535u && shared >= 0 &&
         shared <= v.max_shared_memory_per_block_optin;
}
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
TUNER_FN standing standing_of(const device& have, const device& want) {
  standing s;
  s.tier = tier(have, want);
  s.cc = have.compute_capability;
  s.processors = s.tier == 0 ? 0 : apart(have.multiprocessors, want.multiprocessors);
  return s;
}
template <class How>
struct choice {
  decltype(How::unsupported) how;
  int configuration;
  int entry;  // -1: none
  int tier;
  long long distance;
};
template <class How>
TUNER_FN choice<How> none() {
  return {How::unsupported, 0, -1, 4, 0};
}
// From the nearest device that was tuned, there from the nearest size; what is not valid here is
// passed over. The question knows the tables, the size and the device.
template <class Question>
TUNER_FN choice<typename Question::how> nearest(const Question& q) {
  using how = typename Question::how;
  auto notes = q.blank();
  for (int i = 0; i < q.device_total(); ++i) notes.devices[i] = standing_of(q.tuned(i), q.asked());
  // Of each configuration its nearest entry; -1: none, or it is not valid here.
  for (int c = 0; c < q.configuration_total(); ++c) notes.nearest[c] = -1;
  for (int i = 0; i < q.entry_total(); ++i) {
    standing s = notes.devices[q.device_of(i)];
    if (s.tier < 0) continue;
    s.distance = q.distance(i);
    const int c = q.configuration_of(i);
    if (notes.nearest[c] >= 0 && !s.better_than(notes.standings[c])) continue;
    notes.nearest[c] = i;
    notes.standings[c] = s;
  }
  // Asking whether a configuration is valid takes longer than comparing entries: only the nearest
  // one is asked, and the next where it is not.
  for (;;) {
    int first = -1;
    standing least;
    for (int c = 0; c < q.configuration_total(); ++c) {
      const int at = notes.nearest[c];
      const standing& s = notes.standings[c];
      if (at < 0 || least.better_than(s)) continue;
      if (!s.better_than(least) && first >= 0 && at > first) continue;
      first = at;
      least = s;
    }
    if (first < 0) break;
    const int c = q.configuration_of(first);
    if (q.serves(c)) {
      const auto found = least.tier > 0 ? how::near_device : q.same(first) ? how::exact : how::near_size;
      return {found, c, first, least.tier, least.distance};
    }
    notes.nearest[c] = -1;
    notes.ruled_out[c] = true;
  }
  for (int c = 0; c < q.configuration_total(); ++c) {
    if (!notes.ruled_out[c] && q.serves(c)) return {how::fallback, c, -1, 4, 0};
  }
  return none<how>();
}
