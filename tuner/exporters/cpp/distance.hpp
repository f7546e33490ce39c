TUNER_FN int lg256(long long x) {  // 256 * log2(x), linear between powers of two
  const long long y = x < 1 ? 1 : x;
  int e = 0;
  while ((y >> e) > 1) ++e;
  const long long rest = y - (1ll << e);
  return e * 256 + static_cast<int>(e <= 50 ? (rest << 8) >> e : rest >> (e - 8));
}
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
TUNER_FN long long apart(long long a, long long b) { return a < b ? b - a : a - b; }
TUNER_FN unsigned extent_from(const num& v) {
  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : v;
  return whole.k == kind::integer && whole.i > 0 && whole.i <= 4294967295ll
             ? static_cast<unsigned>(whole.i)
             : 0u;
}
