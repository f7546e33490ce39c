//if COMPUTATIONS
namespace detail {
//each SCRATCH
// TUNER_WHAT: bytes, rounded up so that what follows is aligned.
TUNER_FN num scratch_TUNER_N(const names& n) {
  static_cast<void>(n);
  return ceil_div(TUNER_BYTES, num(256)) * num(256);
}
//end
//each WORKSPACES
// TUNER_WHAT: bytes, rounded up so that what follows is aligned.
TUNER_FN num workspace_TUNER_N(const names& n) {
  static_cast<void>(n);
  return ceil_div(TUNER_BYTES, num(256)) * num(256);
}
//end
//each COMPUTED
TUNER_FN num computed_TUNER_N(const names& n) {  // TUNER_WHAT
  return TUNER_VALUE;
}
//end
//if WORKSPACES
// Bytes of all workspaces that are zeroed once, and of the others; -1: no value here.
//end
//each KINDS
TUNER_FN long long TUNER_KIND_bytes(const names& n) {
  static_cast<void>(n);
  const num bytes = TUNER_SUM;
  return bytes.k == kind::integer && bytes.i >= 0 ? bytes.i : -1;
}
//end
}  // namespace detail
//end
//if SCRATCH
// Bytes of scratch memory that a configuration needs; -1: no value here.
TUNER_FN long long scratch_bytes_of(const config& c, const dims& d, const device& v) {
  const detail::names n(c, d, v);
  const detail::num bytes = TUNER_SCRATCH_SUM;
  return bytes.k == detail::kind::integer && bytes.i >= 0 ? bytes.i : -1;
}
//end
