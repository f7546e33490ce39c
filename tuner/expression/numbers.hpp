// A number or text of the study's expressions, with Python's rules. `failed` is what overflow,
// division by zero and wrong types give; it spreads, and a failed constraint does not hold.
enum class kind : unsigned char { failed, integer, real, text };
struct num {
  kind k = kind::failed;
  long long i = 0;
  double f = 0;
  const char* s = nullptr;
  TUNER_FN num() {}
  TUNER_FN num(bool v) : k(kind::integer), i(v ? 1 : 0) {}
  TUNER_FN num(int v) : k(kind::integer), i(v) {}
  TUNER_FN num(long long v) : k(kind::integer), i(v) {}
  TUNER_FN num(double v) : k(kind::real), f(v) {}
  TUNER_FN num(const char* v) : k(kind::text), s(v) {}
  TUNER_FN bool ok() const { return k != kind::failed; }
  TUNER_FN bool number() const { return k == kind::integer || k == kind::real; }
  TUNER_FN double as_double() const { return k == kind::integer ? static_cast<double>(i) : f; }
  TUNER_FN bool truth() const {
    return k == kind::text      ? s[0] != '\0'
           : k == kind::integer ? i != 0
                                : k == kind::real && !(f == 0);
  }
};
TUNER_FN bool holds(const num& v) { return v.ok() && v.truth(); }
TUNER_FN bool integers(const num& a, const num& b) {
  return a.k == kind::integer && b.k == kind::integer;
}
TUNER_FN bool numbers(const num& a, const num& b) { return a.number() && b.number(); }
constexpr long long most = 9223372036854775807ll;
constexpr double two_63 = 9223372036854775808.0;

TUNER_FN bool is_small(long long v) { return static_cast<int>(v) == v; }
// Of a >= 0 and b > 0. Most numbers have 32 bits, which processors divide faster.
TUNER_FN long long quotient(long long a, long long b) {
  return is_small(a) && is_small(b) ? static_cast<int>(a) / static_cast<int>(b) : a / b;
}

TUNER_FN num from_double(double v) {
  return v >= -two_63 && v < two_63 ? num(static_cast<long long>(v)) : num();
}
TUNER_FN double trunc_of(double v) {
  return v > -4503599627370496.0 && v < 4503599627370496.0
             ? static_cast<double>(static_cast<long long>(v))
             : v;
}
TUNER_FN double floor_of(double v) { return trunc_of(v) > v ? trunc_of(v) - 1 : trunc_of(v); }
TUNER_FN double ceil_of(double v) { return -floor_of(-v); }
TUNER_FN double round_of(double v) {
  const double low = floor_of(v);
  const double rest = v - low;
  if (rest < 0.5) return low;
  if (rest > 0.5) return low + 1;
  return floor_of(low / 2) * 2 < low ? low + 1 : low;
}

TUNER_FN num operator+(const num& a, const num& b) {
  if (!numbers(a, b)) return num();
  if (!integers(a, b)) return num(a.as_double() + b.as_double());
  if (b.i > 0 ? a.i > most - b.i : a.i < -most - 1 - b.i) return num();
  return num(a.i + b.i);
}
TUNER_FN num operator-(const num& a) {
  if (a.k == kind::integer) return a.i < -most ? num() : num(-a.i);
  return a.k == kind::real ? num(-a.f) : num();
}
TUNER_FN num operator+(const num& a) { return a.number() ? a : num(); }
TUNER_FN num operator-(const num& a, const num& b) {
  if (!numbers(a, b)) return num();
  if (!integers(a, b)) return num(a.as_double() - b.as_double());
  if (b.i < 0 ? a.i > most + b.i : a.i < -most - 1 + b.i) return num();
  return num(a.i - b.i);
}
TUNER_FN num operator*(const num& a, const num& b) {
  if (!numbers(a, b)) return num();
  if (!integers(a, b)) return num(a.as_double() * b.as_double());
  if (is_small(a.i) && is_small(b.i)) return num(a.i * b.i);
  if (a.i == 0 || b.i == 0) return num(0);
  if (a.i < -most || b.i < -most) return a.i == 1 ? b : b.i == 1 ? a : num();
  const long long x = a.i < 0 ? -a.i : a.i;
  const long long y = b.i < 0 ? -b.i : b.i;
  const bool lowest = (a.i < 0) != (b.i < 0) && most % y == y - 1;  // -2^63, which has no opposite
  return x - (lowest ? 1 : 0) > most / y ? num() : num(a.i * b.i);
}
TUNER_FN num operator/(const num& a, const num& b) {
  if (!numbers(a, b) || b.as_double() == 0) return num();
  return num(a.as_double() / b.as_double());
}
// What division leaves, exactly, with the sign of a: std::fmod, which no constant expression may call.
TUNER_FN double remainder_of(double a, double b) {
  double rest = a < 0 ? -a : a;
  const double unit = b < 0 ? -b : b;
  if (!(rest - rest == 0) || !(unit == unit)) return (rest - rest) * unit;
  if (rest < unit) return a;
  double step = unit;
  while (step <= rest / 2) step *= 2;
  for (; step >= unit; step /= 2) {
    if (rest >= step) rest -= step;
  }
  return a < 0 && rest > 0 ? -rest : rest;
}
TUNER_FN bool divide_plainly(const num& a, const num& b) {
  return integers(a, b) && a.i >= 0 && b.i > 0;
}
TUNER_FN num operator%(const num& a, const num& b) {
  if (divide_plainly(a, b)) return num(a.i - quotient(a.i, b.i) * b.i);
  if (!numbers(a, b) || b.as_double() == 0) return num();
  if (!integers(a, b)) {
    const double r = remainder_of(a.as_double(), b.as_double());
    return num(!(r == 0) && (r < 0) != (b.as_double() < 0) ? r + b.as_double() : r);
  }
  if (b.i == -1) return num(0);
  const long long r = a.i % b.i;
  return num(r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r);
}
TUNER_FN num floor_div(const num& a, const num& b) {
  if (divide_plainly(a, b)) return num(quotient(a.i, b.i));
  if (!numbers(a, b) || b.as_double() == 0) return num();
  if (!integers(a, b)) {
    const double r = remainder_of(a.as_double(), b.as_double());
    const double q = (a.as_double() - r) / b.as_double();
    return num(round_of(!(r == 0) && (r < 0) != (b.as_double() < 0) ? q - 1 : q));
  }
  if (b.i == -1) return -a;
  const long long q = a.i / b.i;
  return num(a.i % b.i != 0 && (a.i < 0) != (b.i < 0) ? q - 1 : q);
}
TUNER_FN num ceil_div(const num& a, const num& b) {
  if (divide_plainly(a, b)) {
    const long long q = quotient(a.i, b.i);
    return num(q * b.i < a.i ? q + 1 : q);
  }
  if (!numbers(a, b) || b.as_double() == 0) return num();
  if (!integers(a, b)) return from_double(ceil_of(a.as_double() / b.as_double()));
  return (a % b).truth() ? floor_div(a, b) + num(1) : floor_div(a, b);
}
TUNER_FN num log_2(const num& a) {
  if (!a.number() || !(a.as_double() > 0)) return num();
  double x = a.as_double();
  double whole = 0;
  if (x > 1.7976931348623157e308) return num(x);
  for (; x >= 2; x /= 2) whole += 1;
  for (; x < 1; x *= 2) whole -= 1;
  double part = 0;
  double bit = 0.5;
  for (int n = 0; n < 52; ++n, bit /= 2) {
    x *= x;
    if (x >= 2) {
      x /= 2;
      part += bit;
    }
  }
  return num(whole + part);
}
constexpr double ln_2 = 0.69314718055994530942;
TUNER_FN num natural_log(const num& a) {
  const num bits = log_2(a);
  return bits.ok() ? num(bits.f * ln_2) : bits;
}
// By Newton's rule on [1, 4), which takes the squares of whole numbers back to these.
TUNER_FN num square_root(const num& a) {
  if (!a.number() || a.as_double() < 0) return num();
  double x = a.as_double();
  if (x == 0 || !(x <= 1.7976931348623157e308)) return num(x);
  double unit = 1;
  for (; x >= 4; x /= 4) unit *= 2;
  for (; x < 1; x *= 4) unit /= 2;
  double root = (x + 1) / 2;
  for (int n = 0; n < 8; ++n) root = (root + x / root) / 2;
  return num(root * unit);
}
TUNER_FN num exponential(const num& a) {
  if (!a.number()) return num();
  const double x = a.as_double();
  if (!(x <= 1.7976931348623157e308)) return num(x);
  if (x > 709.78271289338397) return num();
  if (x < -746) return num(0.0);
  const double twos = floor_of(x / ln_2);
  const double rest = (x - twos * 0.693147180369123816490) - twos * 1.90821492927058770002e-10;
  double sum = 1;
  for (int n = 24; n > 0; --n) sum = 1 + sum * rest / n;
  for (int n = 0; n < static_cast<int>(twos); ++n) sum *= 2;
  for (int n = 0; n > static_cast<int>(twos); --n) sum /= 2;
  return num(sum);
}
TUNER_FN num real_power(double a, double b) {
  if (b == floor_of(b) && b > -1024 && b < 1024) {
    double result = 1;
    for (int n = 0; n < static_cast<int>(b < 0 ? -b : b); ++n) result *= a;
    return b < 0 ? (a == 0 ? num() : num(1 / result)) : num(result);
  }
  if (!(a > 0)) return a == 0 && b > 0 ? num(0.0) : num();
  const double e = b * log_2(num(a)).f;
  if (!(e > -1000 && e < 1000)) return num();
  const double x = (e - floor_of(e)) * ln_2;
  double sum = 1;
  for (int n = 24; n > 0; --n) sum = 1 + sum * x / n;
  for (int n = 0; n < static_cast<int>(floor_of(e)); ++n) sum *= 2;
  for (int n = 0; n > static_cast<int>(floor_of(e)); --n) sum /= 2;
  return num(sum);
}
TUNER_FN num power(const num& a, const num& b) {
  if (!numbers(a, b)) return num();
  if (!integers(a, b) || b.i < 0) return real_power(a.as_double(), b.as_double());
  num result(1);
  num base = a;
  for (long long e = b.i; e > 0; e >>= 1) {
    if ((e & 1) != 0) result = result * base;
    if (e > 1) base = base * base;
    if (!result.ok() || !base.ok()) return num();
  }
  return result;
}
TUNER_FN num operator&(const num& a, const num& b) {
  return integers(a, b) ? num(a.i & b.i) : num();
}
TUNER_FN num operator|(const num& a, const num& b) {
  return integers(a, b) ? num(a.i | b.i) : num();
}
TUNER_FN num operator^(const num& a, const num& b) {
  return integers(a, b) ? num(a.i ^ b.i) : num();
}
TUNER_FN num operator~(const num& a) { return a.k == kind::integer ? num(~a.i) : num(); }
TUNER_FN num shift_left(const num& a, const num& b) {
  if (!integers(a, b) || b.i < 0) return num();
  num result = a;
  for (long long n = 0; n < b.i && result.i != 0; ++n) result = result + result;
  return result;
}
TUNER_FN num shift_right(const num& a, const num& b) {
  if (!integers(a, b) || b.i < 0) return num();
  return b.i > 62 ? num(a.i < 0 ? -1 : 0) : floor_div(a, num(1ll << b.i));
}
TUNER_FN num absolute(const num& a) { return a.number() && a.as_double() < 0 ? -a : +a; }
TUNER_FN num as_real(const num& a) { return a.number() ? num(a.as_double()) : num(); }
TUNER_FN num ceiling(const num& a) { return a.k == kind::real ? from_double(ceil_of(a.f)) : +a; }
TUNER_FN num floored(const num& a) { return a.k == kind::real ? from_double(floor_of(a.f)) : +a; }
TUNER_FN num truncated(const num& a) { return a.k == kind::real ? from_double(trunc_of(a.f)) : +a; }
TUNER_FN num rounded(const num& a) { return a.k == kind::real ? from_double(round_of(a.f)) : +a; }

// -1, 0, 1; 2 where there is no order.
TUNER_FN int order(const num& a, const num& b) {
  if (a.k == kind::text && b.k == kind::text) {
    int n = 0;
    while (a.s[n] != '\0' && a.s[n] == b.s[n]) ++n;
    const int x = static_cast<unsigned char>(a.s[n]);
    const int y = static_cast<unsigned char>(b.s[n]);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (!numbers(a, b)) return 2;
  if (integers(a, b)) return a.i < b.i ? -1 : a.i > b.i ? 1 : 0;
  if (a.k == kind::real && b.k == kind::real) {
    return a.f < b.f ? -1 : a.f > b.f ? 1 : a.f == b.f ? 0 : 2;
  }
  if (a.k == kind::real) return order(b, a) == 2 ? 2 : -order(b, a);
  if (b.f >= two_63) return -1;
  if (b.f < -two_63) return 1;
  if (!(b.f == b.f)) return 2;
  const long long whole = static_cast<long long>(floor_of(b.f));
  return a.i < whole ? -1 : a.i > whole ? 1 : b.f > floor_of(b.f) ? -1 : 0;
}
TUNER_FN bool same(const num& a, const num& b) {
  return integers(a, b) ? a.i == b.i : order(a, b) == 0;
}
TUNER_FN bool less(const num& a, const num& b) {
  return integers(a, b) ? a.i < b.i : order(a, b) == -1;
}
TUNER_FN bool comparable(const num& a, const num& b) {
  return numbers(a, b) || (a.k == kind::text && b.k == kind::text);
}
TUNER_FN num eq(const num& a, const num& b) { return a.ok() && b.ok() ? num(same(a, b)) : num(); }
TUNER_FN num ne(const num& a, const num& b) { return a.ok() && b.ok() ? num(!same(a, b)) : num(); }
TUNER_FN num lt(const num& a, const num& b) { return comparable(a, b) ? num(less(a, b)) : num(); }
TUNER_FN num gt(const num& a, const num& b) { return lt(b, a); }
TUNER_FN num le(const num& a, const num& b) {
  return comparable(a, b) ? num(less(a, b) || same(a, b)) : num();
}
TUNER_FN num ge(const num& a, const num& b) { return le(b, a); }
TUNER_FN num least(const num& a, const num& b) {
  return !comparable(a, b) ? num() : order(b, a) == -1 ? b : a;
}
TUNER_FN num greatest(const num& a, const num& b) {
  return !comparable(a, b) ? num() : order(b, a) == 1 ? b : a;
}
TUNER_FN num operator!(const num& a) { return a.ok() ? num(!a.truth()) : num(); }
TUNER_FN num operator&&(const num& a, const num& b) { return a.ok() && a.truth() ? b : a; }
TUNER_FN num operator||(const num& a, const num& b) { return !a.ok() || a.truth() ? a : b; }
TUNER_FN num pick(const num& condition, const num& yes, const num& no) {
  return !condition.ok() ? num() : condition.truth() ? yes : no;
}

// a < b <= c: decided by the first comparison that does not hold.
struct chain {
  num last;
  num result = num(true);
  TUNER_FN explicit chain(const num& first) : last(first), result(first.ok() ? num(true) : num()) {}
  TUNER_FN chain next(const num& right, const num& holds_here) const {
    chain out = *this;
    out.last = right;
    if (result.truth()) out.result = holds_here;
    return out;
  }
  TUNER_FN chain eq(const num& b) const { return next(b, detail::eq(last, b)); }
  TUNER_FN chain ne(const num& b) const { return next(b, detail::ne(last, b)); }
  TUNER_FN chain lt(const num& b) const { return next(b, detail::lt(last, b)); }
  TUNER_FN chain gt(const num& b) const { return next(b, detail::gt(last, b)); }
  TUNER_FN chain le(const num& b) const { return next(b, detail::le(last, b)); }
  TUNER_FN chain ge(const num& b) const { return next(b, detail::ge(last, b)); }
  template <class... T>
  TUNER_FN chain in(const T&... items) const {
    return next(last,
                (true && ... && items.ok()) ? num((false || ... || same(last, items))) : num());
  }
  template <class... T>
  TUNER_FN chain not_in(const T&... items) const {
    return next(last,
                (true && ... && items.ok()) ? num(!(false || ... || same(last, items))) : num());
  }
  TUNER_FN num value() const { return result; }
};
