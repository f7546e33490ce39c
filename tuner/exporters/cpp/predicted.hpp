// How many tiles of one extent a dimension takes.
struct tiling {
  int dimension;
  double tile;  // 0: the dimension is not tiled
};
// What was learned of a configuration's cost on a device, for every size of the domain.
struct predictor {
  int dev;
  int cfg;
  double pieces;  // of work in a size of one tile; 0: it is not made of tiles
  double blocks;  // likewise
  int piece_tilings[TUNER_DIMENSIONS];  // places in tilings[]
  int block_tilings[TUNER_DIMENSIONS];
  double resident;  // blocks that a multiprocessor holds at once
  double part[6];   // of the cost: what each of the terms below counts
};
TUNER_TABLE tiling tilings[] = {
TUNER_TILINGS};
TUNER_TABLE int tiling_count = TUNER_TILING_COUNT;
TUNER_TABLE predictor predictors[] = {
TUNER_PREDICTORS};
TUNER_TABLE int predictor_count = TUNER_PREDICTOR_COUNT;
namespace detail {
TUNER_FN bool in_domain(const dims& d) { return TUNER_IN_DOMAIN; }
// Of positive whole numbers whose sum is below 2^52: then the quotient is never rounded to the next
// whole number.
TUNER_FN double tiles_in(double extent, double tile) {
  return static_cast<double>(static_cast<long long>((extent + tile - 1) / tile));
}
// What is the same for all configurations.
struct tiled_size {
  double count[tiling_count];   // of tiles
  double filled[tiling_count];  // the extent, filled up to whole tiles
  double processors;
  TUNER_FN tiled_size(const dims& d, long long multiprocessors)
      : count(), filled(), processors(static_cast<double>(multiprocessors < 1 ? 1 : multiprocessors)) {
    const double size[] = {TUNER_SIZE};
    for (int i = 0; i < tiling_count; ++i) {
      const tiling& t = tilings[i];
      const double extent = size[t.dimension];
      count[i] = t.tile > 0 ? tiles_in(extent, t.tile) : 1;
      filled[i] = t.tile > 0 ? count[i] * t.tile : extent;
    }
  }
};
// What it costs at this size. It follows from how many blocks there are, and how much each has to do:
// the product of the extents, filled up to whole tiles, in pieces that the blocks share out.
TUNER_FN double cost_of(const predictor& p, const tiled_size& s) {
  const double ceiling = 1099511627776.0;  // 2^40: more are not told apart
  double all = 1;
  double pieces = p.pieces;
  double blocks = p.blocks;
  for (int i = 0; i < TUNER_DIMENSIONS; ++i) {
    all *= s.filled[p.piece_tilings[i]];
    pieces *= s.count[p.piece_tilings[i]];
    blocks *= s.count[p.block_tilings[i]];
  }
  pieces = pieces < ceiling ? pieces : ceiling;
  blocks = blocks < ceiling ? blocks : ceiling;
  if (!(pieces > 0 && blocks > 0)) return p.part[0] + p.part[3] * (all / s.processors);
  const double piece = all / pieces;
  const double each = pieces > blocks ? piece * tiles_in(pieces, blocks) : piece;  // for a block
  double cost = p.part[0];
  cost += p.part[1] * tiles_in(blocks, p.resident * s.processors);
  cost += p.part[2] * (tiles_in(blocks, s.processors) * each);
  cost += p.part[3] * (all / (blocks < s.processors ? blocks : s.processors));
  cost += p.part[4] * blocks;
  return cost + p.part[5] * each;
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
  const tiled_size tiled(d, v.multiprocessors);
  double costs[predictor_count] = {};
  bool ruled_out[predictor_count] = {};
  for (int i = 0; i < predictor_count; ++i) {
    ruled_out[i] = predictors[i].dev != dev;
    if (!ruled_out[i]) costs[i] = cost_of(predictors[i], tiled);
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

