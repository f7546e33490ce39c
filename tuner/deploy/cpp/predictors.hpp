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
  double part[6 + TUNER_DIMENSIONS];  // of the cost: what each of the terms counts
};
TUNER_TABLE tiling tilings[] = {
//each TILINGS
    {TUNER_DIMENSION, TUNER_TILE},
//end
};
TUNER_TABLE int tiling_count = TUNER_TILING_COUNT;
TUNER_TABLE predictor predictors[] = {
//each PREDICTORS
    {TUNER_DEVICE, TUNER_CONFIG, TUNER_PIECES, TUNER_BLOCKS, {TUNER_PIECE_TILINGS}, {TUNER_BLOCK_TILINGS}, TUNER_RESIDENT, {TUNER_PARTS}},
//end
};
TUNER_TABLE int predictor_count = TUNER_PREDICTOR_COUNT;
namespace detail {
TUNER_FN bool in_domain(const dims& d) { return TUNER_IN_DOMAIN; }
// What the predictors say of one size on a device.
struct expected_costs {
  struct notes {
    double costs[predictor_count];
    bool ruled_out[predictor_count];
  };
  tiled sizes[tiling_count];  // the same for all configurations
  double unevenness[TUNER_DIMENSIONS];
  double processors;
  TUNER_FN expected_costs(const dims& d, long long multiprocessors)
      : sizes(), unevenness(), processors(static_cast<double>(multiprocessors < 1 ? 1 : multiprocessors)) {
    const long long size[] = {TUNER_SIZE};
    for (int k = 0; k < TUNER_DIMENSIONS; ++k) unevenness[k] = unevenness_of(size[k]);
    for (int i = 0; i < tiling_count; ++i) {
      sizes[i] = tiled_by(static_cast<double>(size[tilings[i].dimension]), tilings[i].tile);
    }
  }
  TUNER_FN notes blank() const { return {}; }
  TUNER_FN int count() const { return predictor_count; }
  TUNER_FN int device_of(int i) const { return predictors[i].dev; }
  TUNER_FN int configuration_of(int i) const { return predictors[i].cfg; }
  TUNER_FN double at(int i) const {
    const predictor& p = predictors[i];
    work w = {p.pieces, p.blocks};
    for (int k = 0; k < TUNER_DIMENSIONS; ++k) {
      w.add(sizes[p.piece_tilings[k]], sizes[p.block_tilings[k]]);
    }
    return cost_of(p.part, terms_of(w, p.resident, processors), unevenness, TUNER_DIMENSIONS);
  }
};
}  // namespace detail
