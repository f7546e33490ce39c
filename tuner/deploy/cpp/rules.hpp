namespace detail {
TUNER_FN unsigned extent_from(const num& v) {
  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : v;
  return whole.k == kind::integer && whole.i > 0 && whole.i <= 4294967295ll
             ? static_cast<unsigned>(whole.i)
             : 0u;
}
//if ATTRIBUTES
TUNER_FN int carveout_from(const num& v) {
  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : v;
  return whole.k == kind::integer && whole.i >= -1 && whole.i <= 100 ? static_cast<int>(whole.i)
                                                                     : no_carveout;
}
TUNER_FN int scheduling_from(const num& v) {
  return holds(eq(v, num("default")))          ? 0
         : holds(eq(v, num("spread")))         ? 1
         : holds(eq(v, num("load_balancing"))) ? 2
                                               : -1;
}
//end
//each PARAMETERS
//if ENUMERATORS
TUNER_FN num value_of(TUNER_TYPE v) {
  switch (v) {
//each VALUES
    case TUNER_TYPE::TUNER_ENUMERATOR: return num(TUNER_VALUE);
//end
  }
  return num();
}
//end
//end
// Everything that the study's expressions can name.
struct names {
//each MEMBERS
  TUNER_TYPE TUNER_MEMBER;
//end
//each DERIVED
  num TUNER_MEMBER;
//end
  TUNER_FN names(const config& c, const dims& d, const device& v)\
//if MEMBERS

      : TUNER_INITIAL\
//end
 {
    static_cast<void>(c);
    static_cast<void>(d);
    static_cast<void>(v);
//if DERIVED
    names& n = *this;
//end
//each DERIVED
    TUNER_REMARK
    n.TUNER_MEMBER = TUNER_VALUE;
//end
  }
};
//each LAUNCHES
//if REMARK
TUNER_REMARK
//end
TUNER_FN extent gridTUNER_MARK(const names& n) {
  static_cast<void>(n);
  return {TUNER_GRID};
}
TUNER_FN extent blockTUNER_MARK(const names& n) {
  static_cast<void>(n);
  return {TUNER_BLOCK};
}
//if ATTRIBUTES
TUNER_FN launch_attributes attributesTUNER_MARK(const names& n) {
  static_cast<void>(n);
  const num cooperative = TUNER_COOPERATIVE;
  const num programmatic = TUNER_PROGRAMMATIC;
  const bool known = cooperative.ok() && programmatic.ok();
  return {{TUNER_CLUSTER}, holds(cooperative), known ? carveout_from(TUNER_CARVEOUT) : no_carveout,
          scheduling_from(TUNER_SCHEDULING), holds(programmatic)};
}
//end
TUNER_FN long long sharedTUNER_MARK(const names& n) {
  static_cast<void>(n);
  const num v = TUNER_SHARED;
  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : v;
  return whole.k == kind::integer && whole.i >= 0 ? whole.i : -1;
}
//if WHEN
TUNER_FN num whenTUNER_MARK(const names& n) {
  static_cast<void>(n);
  return TUNER_WHEN;
}
//end
//end
//each SCOPES
TUNER_FN bool TUNER_SCOPE(const names& n) {
  static_cast<void>(n);
//each RULES
  TUNER_REMARK
  if (!holds(TUNER_VALUE)) return false;
//end
  return true;
}
//end
// Of one of configs[]: whether it may be used on a device for a size that keeps its own rules.
TUNER_FN bool serves(const names& n, const device& v) {
  if (!rules_here(n)) return false;
//each NEXT
  const num takes_part_TUNER_I = whenTUNER_MARK(n);
  if (!takes_part_TUNER_I.ok()) return false;
  if (takes_part_TUNER_I.truth() &&
      !launchable(blockTUNER_MARK(n), gridTUNER_MARK(n), sharedTUNER_MARK(n), v)) {
    return false;
  }
//if ATTRIBUTES
  if (takes_part_TUNER_I.truth() &&
      !attributes_fit(attributesTUNER_MARK(n), gridTUNER_MARK(n), v)) {
    return false;
  }
//end
//end
//if ATTRIBUTES
  if (!attributes_fit(attributes(n), grid(n), v)) return false;
//end
  return launchable(block(n), grid(n), shared(n), v);
}
}  // namespace detail

// How to launch a configuration.
TUNER_FN extent grid_of(const config& c, const dims& d, const device& v) {
  return detail::grid(detail::names(c, d, v));
}
TUNER_FN extent block_of(const config& c, const dims& d, const device& v) {
  return detail::block(detail::names(c, d, v));
}
// Bytes; -1: the study's expression has no value here. Above 48 KiB the kernel has to opt in.
TUNER_FN long long dynamic_shared_bytes_of(const config& c, const dims& d, const device& v) {
  return detail::shared(detail::names(c, d, v));
}
//if ATTRIBUTES
// What its launch asks for besides.
TUNER_FN launch_attributes attributes_of(const config& c, const dims& d, const device& v) {
  return detail::attributes(detail::names(c, d, v));
}
//end
// Whether a configuration may be used: the study's constraints and the launch limits of CUDA.
TUNER_FN bool valid(const config& c, const dims& d, const device& v) {
  const detail::names n(c, d, v);
  return detail::rules_of_the_choice(n) && detail::rules_of_the_size(n) && detail::serves(n, v);
}
//if NEXT

// A kernel that is launched after the main one, in the same stream.
struct next_launch {
  const char* entry;  // as the study writes it
  bool takes_part;    // else this configuration goes without
  extent grid;
  extent block;
  long long dynamic_shared_bytes;  // as dynamic_shared_bytes_of
//if ATTRIBUTES
  launch_attributes attributes;
//end
};
TUNER_TABLE int next_launch_count = TUNER_NEXT_COUNT;
// The launches that follow, in their order from 0.
TUNER_FN next_launch next_launch_of(int which, const config& c, const dims& d, const device& v) {
  const detail::names n(c, d, v);
  switch (which) {
//each NEXT
    case TUNER_I:
      return {TUNER_ENTRY, detail::holds(detail::whenTUNER_MARK(n)), detail::gridTUNER_MARK(n),
              detail::blockTUNER_MARK(n), detail::sharedTUNER_MARK(n)\
//if ATTRIBUTES
, detail::attributesTUNER_MARK(n)\
//end
};
//end
    default:
      return {"", false, {0, 0, 0}, {0, 0, 0}, -1\
//if ATTRIBUTES
, {}\
//end
};
  }
}
//end
