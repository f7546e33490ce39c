// What was learned of a configuration's time on a device, for every size of the domain.
struct predictor {
  int dev;
  int cfg;
  long long blocks;    // of a size of one tile; 0: the grid is not made of tiles
  long long resident;  // blocks that a multiprocessor holds at once
  long long tile[TUNER_DIMENSIONS];  // 0: none in this dimension
  long long weight[TUNER_FEATURES];
};
TUNER_TABLE predictor predictors[] = {
TUNER_PREDICTORS};
TUNER_TABLE int predictor_count = TUNER_PREDICTOR_COUNT;
namespace detail {
TUNER_FN bool in_domain(const dims& d) { return TUNER_IN_DOMAIN; }
// The smaller the faster.
TUNER_FN long long score(const predictor& p, const long long* size, const long long* lg,
                         long long processors) {
  long long sum = p.weight[0] * 256;
  int w = 1;
  for (int i = 0; i < TUNER_DIMENSIONS; ++i) sum += p.weight[w++] * lg[i];
  for (int i = 0; i < TUNER_DIMENSIONS; ++i) {
    for (int j = 0; j <= i; ++j) sum += p.weight[w++] * (lg[i] * lg[j] / 256);
  }
  const long long ceiling = 1ll << 40;
  long long blocks = p.blocks;
  for (int i = 0; i < TUNER_DIMENSIONS; ++i) {
    const long long weight = p.weight[w++];
    if (p.tile[i] <= 0) continue;
    const long long tiles = (size[i] + p.tile[i] - 1) / p.tile[i];
    sum += weight * (lg256(tiles * p.tile[i]) - lg256(size[i]));
    if (blocks > 0) blocks = tiles > ceiling / blocks ? ceiling : blocks * tiles;
  }
  if (blocks <= 0) return sum;
  const long long slots = p.resident * (processors > 0 ? processors : 1);
  return sum + p.weight[w] * (lg256((blocks + slots - 1) / slots * slots) - lg256(blocks));
}
// What the predictors choose, on the nearest device that was tuned: a size that was tuned itself
// gets what won there. match::unsupported: none of their configurations is valid here.
TUNER_FN selection predicted(const device& v, const dims& d) {
  selection none = {configs[0], match::unsupported, 0, -1, 4, 0.0};
  int dev = -1;
  standing nearest;
  for (int i = 0; i < device_count; ++i) {
    standing s;
    s.tier = tier(devices[i], v);
    if (s.tier < 0) continue;
    s.cc = devices[i].compute_capability;
    s.processors = s.tier == 0 ? 0 : apart(devices[i].multiprocessors, v.multiprocessors);
    if (dev >= 0 && !s.better_than(nearest)) continue;
    dev = i;
    nearest = s;
  }
  if (dev < 0) return none;
  for (int i = 0; i < entry_count; ++i) {
    const entry& e = entries[i];
    if (e.dev != dev || !(TUNER_SAME) || !serves(names(configs[e.cfg], d, v), v)) continue;
    return {configs[e.cfg], nearest.tier > 0 ? match::near_device : match::exact,
            e.cfg,          i,
            nearest.tier,   0.0};
  }
  const long long size[] = {TUNER_SIZE};
  long long lg[TUNER_DIMENSIONS] = {};
  for (int i = 0; i < TUNER_DIMENSIONS; ++i) lg[i] = lg256(size[i]) - 1536;
  long long scores[predictor_count] = {};
  bool ruled_out[predictor_count] = {};
  for (int i = 0; i < predictor_count; ++i) {
    ruled_out[i] = predictors[i].dev != dev;
    if (!ruled_out[i]) scores[i] = score(predictors[i], size, lg, v.multiprocessors);
  }
  int best = -1;
  for (bool found = false; !found;) {  // the fastest that is valid
    int first = -1;
    for (int i = 0; i < predictor_count; ++i) {
      if (!ruled_out[i] && (first < 0 || scores[i] < scores[first])) first = i;
    }
    found = first < 0 || serves(names(configs[predictors[first].cfg], d, v), v);
    if (found && first >= 0) best = predictors[first].cfg;
    if (!found) ruled_out[first] = true;
  }
  if (best < 0) return none;
  return {configs[best], nearest.tier > 0 ? match::near_device : match::predicted, best, -1,
          nearest.tier, 0.0};
}
}  // namespace detail

