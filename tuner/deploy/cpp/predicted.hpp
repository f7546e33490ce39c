// Of positive whole numbers whose sum is below 2^52: then the quotient is never rounded to the next
// whole number.
TUNER_FN double tiles_in(double extent, double tile) {
  return static_cast<double>(static_cast<long long>((extent + tile - 1) / tile));
}
struct tiled {
  double count;   // of tiles
  double filled;  // the extent, filled up to whole tiles
};
TUNER_FN tiled tiled_by(double extent, double tile) {  // 0: it is not tiled
  if (!(tile > 0)) return {1, extent};
  const double count = tiles_in(extent, tile);
  return {count, count * tile};
}
// All there is to do: the product of the extents, filled up to whole tiles, in pieces that the
// blocks share out.
struct work {
  double pieces;
  double blocks;
  double all = 1;
  TUNER_FN void add(const tiled& piece, const tiled& block) {  // of each dimension
    pieces *= piece.count;
    blocks *= block.count;
    all *= piece.filled;
  }
};
// A 64th where the rows of this extent begin at multiples of 64, 1 where they begin anywhere. Of rows
// that begin within lines of memory a tile touches more lines.
TUNER_FN double unevenness_of(long long extent) {
  const long long step = extent & -extent;
  return 1.0 / static_cast<double>(step > 0 && step < 64 ? step : 64);
}
struct terms {
  double of[6];
  double all;
};
// 1; waves of blocks; what the busiest multiprocessor has to do; what each would have if all had
// the same, but a block at least; blocks; what a block has to do.
TUNER_FN terms terms_of(const work& w, double resident, double processors) {
  const double ceiling = 1099511627776.0;  // 2^40: more are not told apart
  const double pieces = w.pieces < ceiling ? w.pieces : ceiling;
  const double blocks = w.blocks < ceiling ? w.blocks : ceiling;
  if (!(pieces > 0 && blocks > 0)) return {{1, 0, 0, w.all / processors, 0, 0}, w.all};
  const double piece = w.all / pieces;
  const double each = pieces > blocks ? piece * tiles_in(pieces, blocks) : piece;  // for a block
  return {{1, tiles_in(blocks, resident * processors), tiles_in(blocks, processors) * each,
           w.all / (blocks < processors ? blocks : processors), blocks, each}, w.all};
}
// The smaller the faster. `parts` are factors: first of the terms, then, for each dimension, of all there
// is to do times its unevenness.
TUNER_FN double cost_of(const double* parts, const terms& t, const double* unevenness, int dimensions) {
  double cost = 0;
  for (int i = 0; i < 6; ++i) cost += parts[i] * t.of[i];
  for (int d = 0; d < dimensions; ++d) cost += parts[6 + d] * t.all * unevenness[d];
  return cost;
}
// What the predictors choose, on the nearest device that was tuned: a size that was tuned itself
// gets what won there. Unsupported: none of their configurations is valid here.
template <class Question, class Costs>
TUNER_FN choice<typename Question::how> predicted(const Question& q, const Costs& costs) {
  using how = typename Question::how;
  int dev = -1;
  standing least;
  for (int i = 0; i < q.device_total(); ++i) {
    const standing s = standing_of(q.tuned(i), q.asked());
    if (s.tier < 0 || (dev >= 0 && !s.better_than(least))) continue;
    dev = i;
    least = s;
  }
  if (dev < 0) return none<how>();
  for (int i = 0; i < q.entry_total(); ++i) {
    const int c = q.configuration_of(i);
    if (q.device_of(i) != dev || !q.same(i) || !q.serves(c)) continue;
    return {least.tier > 0 ? how::near_device : how::exact, c, i, least.tier, 0};
  }
  auto notes = costs.blank();
  for (int i = 0; i < costs.count(); ++i) {
    notes.ruled_out[i] = costs.device_of(i) != dev;
    if (!notes.ruled_out[i]) notes.costs[i] = costs.at(i);
  }
  for (;;) {  // the fastest that is valid
    int first = -1;
    for (int i = 0; i < costs.count(); ++i) {
      if (!notes.ruled_out[i] && (first < 0 || notes.costs[i] < notes.costs[first])) first = i;
    }
    if (first < 0) return none<how>();
    const int c = costs.configuration_of(first);
    if (q.serves(c)) {
      return {least.tier > 0 ? how::near_device : how::predicted, c, -1, least.tier, 0};
    }
    notes.ruled_out[first] = true;
  }
}
