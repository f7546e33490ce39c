// What a launch asks for besides its shape: CUDA's launch attributes.
struct launch_attributes {
  extent cluster;     // blocks; 1 in all: what the kernel itself says
  bool cooperative;   // all blocks at once
  int carveout;       // percent of the cache's memory that is shared; -1: the driver's choice
  int scheduling;     // of clusters: 0 default, 1 spread, 2 load balancing
  bool programmatic;  // may begin before the launch in front of it has ended
};
namespace detail {
constexpr int no_carveout = -2;
TUNER_FN unsigned blocks_of(const extent& e) {
  return e.x > 16 || e.y > 16 || e.z > 16 ? 0 : e.x * e.y * e.z;
}
TUNER_FN bool attributes_fit(const launch_attributes& a, const extent& g, const device& v) {
  const unsigned blocks = blocks_of(a.cluster);
  return blocks >= 1 && blocks <= 16 && a.carveout != no_carveout && a.scheduling >= 0 &&
         ((blocks == 1 && !a.programmatic) || v.compute_capability >= 90) &&
         g.x % a.cluster.x == 0 && g.y % a.cluster.y == 0 && g.z % a.cluster.z == 0;
}
}  // namespace detail
