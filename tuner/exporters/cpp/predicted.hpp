// What was learned of a configuration's cost on a device, for every size of the domain.
struct predictor {
  int dev;
  int cfg;
  long long blocks;    // of a size of one tile; 0: the grid is not made of tiles
  long long resident;  // blocks that a multiprocessor holds at once
  long long tile[TUNER_DIMENSIONS];  // 0: none in this dimension
  double part[6];      // of the cost: what each of the terms below counts
};
TUNER_TABLE predictor predictors[] = {
TUNER_PREDICTORS};
TUNER_TABLE int predictor_count = TUNER_PREDICTOR_COUNT;
namespace detail {
TUNER_FN bool in_domain(const dims& d) { return TUNER_IN_DOMAIN; }
// What it costs at this size. It follows from how many blocks there are, and how much each has to do:
// the product of the extents, filled up to whole tiles, shared out among them.
TUNER_FN double cost_of(const predictor& p, const long long* size, long long processors) {
  if (processors <= 0) processors = 1;
  const long long ceiling = 1ll << 40;
  long long blocks = p.blocks;
  double all = 1, tile = 1;
  for (int i = 0; i < TUNER_DIMENSIONS; ++i) {
    const long long count = p.tile[i] > 0 ? (size[i] + p.tile[i] - 1) / p.tile[i] : 1;
    all *= static_cast<double>(p.tile[i] > 0 ? count * p.tile[i] : size[i]);
    if (p.tile[i] <= 0) continue;
    tile *= static_cast<double>(p.tile[i]);
    if (blocks > 0) blocks = count > ceiling / blocks ? ceiling : blocks * count;
  }
  if (blocks <= 0) return p.part[0] + p.part[3] * (all / static_cast<double>(processors));
  const long long slots = p.resident * processors;
  const double each = all / static_cast<double>(blocks);
  double cost = p.part[0];
  cost += p.part[1] * static_cast<double>((blocks + slots - 1) / slots);
  cost += p.part[2] * (static_cast<double>((blocks + processors - 1) / processors) * each);
  cost += p.part[3] * (all / static_cast<double>(blocks < processors ? blocks : processors));
  cost += p.part[4] * static_cast<double>(blocks);
  return cost + p.part[5] * (each / tile);
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
  double costs[predictor_count] = {};
  bool ruled_out[predictor_count] = {};
  for (int i = 0; i < predictor_count; ++i) {
    ruled_out[i] = predictors[i].dev != dev;
    if (!ruled_out[i]) costs[i] = cost_of(predictors[i], size, v.multiprocessors);
  }
  int best = -1;
  for (bool found = false; !found;) {  // the fastest that is valid
    int first = -1;
    for (int i = 0; i < predictor_count; ++i) {
      if (!ruled_out[i] && (first < 0 || costs[i] < costs[first])) first = i;
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

