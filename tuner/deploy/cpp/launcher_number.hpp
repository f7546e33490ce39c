template <class T>
bool number_from(const detail::num& value, T& out) {
  if (!value.number()) return false;
  if (value.k == detail::kind::integer) {
    out = static_cast<T>(value.i);
    if constexpr (std::is_integral_v<T>) return static_cast<long long>(out) == value.i;
    return true;
  }
  out = static_cast<T>(value.f);
  return true;
}
