// Converts the nouns of the model to JSON and back.

#include "tuner/worker/messages.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "tuner/worker/frame.h"

namespace tuner {
namespace {

using nlohmann::json;

json binary(const std::string& bytes) {
  return json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

std::string binary_text(const json& j) {
  const auto& bytes = j.get_binary();
  return {bytes.begin(), bytes.end()};
}

json binary(const std::vector<std::byte>& bytes) {
  std::vector<std::uint8_t> copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return json::binary(std::move(copy));
}

std::vector<std::byte> binary_bytes(const json& j) {
  const auto& bytes = j.get_binary();
  std::vector<std::byte> copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

}  // namespace

std::string text_in(const json& message, const char* member) {
  const auto found = message.find(member);
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_in(const json& message, const char* member) {
  const auto found = message.find(member);
  return found != message.end() && found->is_boolean() && found->get<bool>();
}

void to_json(json& j, const CompileRequest& r) {
  j = {{"source", r.source},   {"source_name", r.source_name}, {"include_dirs", r.include_dirs},
       {"options", r.options}, {"defines", r.defines},         {"entry", r.entry},
       {"arch", r.arch},       {"symbols", r.symbols},         {"then", r.then}};
}

void from_json(const json& j, CompileRequest& r) {
  j.at("source").get_to(r.source);
  j.at("source_name").get_to(r.source_name);
  j.at("include_dirs").get_to(r.include_dirs);
  j.at("options").get_to(r.options);
  j.at("defines").get_to(r.defines);
  j.at("entry").get_to(r.entry);
  j.at("arch").get_to(r.arch);
  j.at("symbols").get_to(r.symbols);
  j.at("then").get_to(r.then);
}

void to_json(json& j, const Resources& r) {
  j = json::array({r.registers, r.static_shared_bytes, r.constant_bytes, r.local_bytes,
                   r.spill_bytes, r.max_threads});
}

void from_json(const json& j, Resources& r) {
  j.at(0).get_to(r.registers);
  j.at(1).get_to(r.static_shared_bytes);
  j.at(2).get_to(r.constant_bytes);
  j.at(3).get_to(r.local_bytes);
  j.at(4).get_to(r.spill_bytes);
  j.at(5).get_to(r.max_threads);
}

static void to_json(json& j, const NextKernel& k) { j = json::array({k.entry, k.resources}); }

static void from_json(const json& j, NextKernel& k) {
  j.at(0).get_to(k.entry);
  j.at(1).get_to(k.resources);
}

json opened_to_json(const OpenedFiles& opened) {
  if (!opened) return nullptr;
  json out = json::array();
  for (const FileState& file : *opened) out.push_back({binary(file.path), file.digest});
  return out;
}

OpenedFiles opened_from_json(const json& j) {
  if (j.is_null()) return std::nullopt;
  OpenedFiles out(std::in_place);
  for (const json& file : j) {
    out->push_back({binary_text(file.at(0)), file.at(1).get<std::string>()});
  }
  return out;
}

void to_json(json& j, const Artifact& a) {
  j = {{"image", binary(a.image)}, {"entry", a.entry},
       {"symbols", a.symbols},     {"resources", a.resources},
       {"log", binary(a.log)},     {"milliseconds", a.milliseconds},
       {"then", a.then},           {"opened", opened_to_json(a.opened)}};
}

void from_json(const json& j, Artifact& a) {
  a.image = binary_text(j.at("image"));
  j.at("entry").get_to(a.entry);
  j.at("symbols").get_to(a.symbols);
  j.at("resources").get_to(a.resources);
  a.log = binary_text(j.at("log"));
  j.at("milliseconds").get_to(a.milliseconds);
  j.at("then").get_to(a.then);
  a.opened = opened_from_json(j.at("opened"));
}

void to_json(json& j, const DeviceFacts& f) {
  j = {{"backend", f.backend},
       {"name", f.name},
       {"uuid", f.uuid},
       {"arch", f.arch},
       {"driver", f.driver},
       {"compute_capability", f.compute_capability},
       {"multiprocessors", f.multiprocessors},
       {"warp_size", f.warp_size},
       {"max_threads_per_block", f.max_threads_per_block},
       {"max_threads_per_multiprocessor", f.max_threads_per_multiprocessor},
       {"max_blocks_per_multiprocessor", f.max_blocks_per_multiprocessor},
       {"registers_per_block", f.registers_per_block},
       {"registers_per_multiprocessor", f.registers_per_multiprocessor},
       {"max_shared_memory_per_block", f.max_shared_memory_per_block},
       {"max_shared_memory_per_block_optin", f.max_shared_memory_per_block_optin},
       {"shared_memory_per_multiprocessor", f.shared_memory_per_multiprocessor},
       {"reserved_shared_memory_per_block", f.reserved_shared_memory_per_block},
       {"l2_bytes", f.l2_bytes},
       {"memory_bytes", f.memory_bytes},
       {"clock_khz", f.clock_khz},
       {"max_block", f.max_block},
       {"max_grid", f.max_grid}};
}

void from_json(const json& j, DeviceFacts& f) {
  j.at("backend").get_to(f.backend);
  j.at("name").get_to(f.name);
  j.at("uuid").get_to(f.uuid);
  j.at("arch").get_to(f.arch);
  j.at("driver").get_to(f.driver);
  j.at("compute_capability").get_to(f.compute_capability);
  j.at("multiprocessors").get_to(f.multiprocessors);
  j.at("warp_size").get_to(f.warp_size);
  j.at("max_threads_per_block").get_to(f.max_threads_per_block);
  j.at("max_threads_per_multiprocessor").get_to(f.max_threads_per_multiprocessor);
  j.at("max_blocks_per_multiprocessor").get_to(f.max_blocks_per_multiprocessor);
  j.at("registers_per_block").get_to(f.registers_per_block);
  j.at("registers_per_multiprocessor").get_to(f.registers_per_multiprocessor);
  j.at("max_shared_memory_per_block").get_to(f.max_shared_memory_per_block);
  j.at("max_shared_memory_per_block_optin").get_to(f.max_shared_memory_per_block_optin);
  j.at("shared_memory_per_multiprocessor").get_to(f.shared_memory_per_multiprocessor);
  j.at("reserved_shared_memory_per_block").get_to(f.reserved_shared_memory_per_block);
  j.at("l2_bytes").get_to(f.l2_bytes);
  j.at("memory_bytes").get_to(f.memory_bytes);
  j.at("clock_khz").get_to(f.clock_khz);
  j.at("max_block").get_to(f.max_block);
  j.at("max_grid").get_to(f.max_grid);
}

void to_json(json& j, const LaunchGeometry& g) {
  j = {{"grid", g.grid}, {"block", g.block}, {"dynamic_shared_bytes", g.dynamic_shared_bytes}};
}

void from_json(const json& j, LaunchGeometry& g) {
  j.at("grid").get_to(g.grid);
  j.at("block").get_to(g.block);
  j.at("dynamic_shared_bytes").get_to(g.dynamic_shared_bytes);
}

static void to_json(json& j, const FillSpec& f) {
  j = json::array({static_cast<int>(f.kind), f.a, f.b, f.file.string()});
}

static void from_json(const json& j, FillSpec& f) {
  f.kind = static_cast<FillSpec::Kind>(j.at(0).get<int>());
  j.at(1).get_to(f.a);
  j.at(2).get_to(f.b);
  f.file = j.at(3).get<std::string>();
}

static void to_json(json& j, const TensorMapPlan& m) {
  j = json::array(
      {m.of, static_cast<std::uint32_t>(m.map.type), m.map.extents, m.map.box, m.map.swizzle});
}

static void from_json(const json& j, TensorMapPlan& m) {
  j.at(0).get_to(m.of);
  m.map.type = static_cast<DataType>(j.at(1).get<std::uint32_t>());
  j.at(2).get_to(m.map.extents);
  j.at(3).get_to(m.map.box);
  j.at(4).get_to(m.map.swizzle);
}

static void to_json(json& j, const ArgumentPlan& a) {
  j = {{"name", a.name},
       {"type", static_cast<std::uint32_t>(a.type)},
       {"is_scalar", a.is_scalar},
       {"scalar", binary(a.scalar)},
       {"elements", a.elements},
       {"role", static_cast<int>(a.role)},
       {"seed", a.seed}};
  to_json(j["fill"], a.fill);
  if (a.map) to_json(j["map"], *a.map);
}

static void from_json(const json& j, ArgumentPlan& a) {
  j.at("name").get_to(a.name);
  a.type = static_cast<DataType>(j.at("type").get<std::uint32_t>());
  j.at("is_scalar").get_to(a.is_scalar);
  a.scalar = binary_bytes(j.at("scalar"));
  j.at("elements").get_to(a.elements);
  a.role = static_cast<Role>(j.at("role").get<int>());
  j.at("seed").get_to(a.seed);
  from_json(j.at("fill"), a.fill);
  if (j.contains("map")) from_json(j.at("map"), a.map.emplace());
}

static void to_json(json& j, const MeasureSpec& m) {
  j = json::array({m.cold, m.min_samples, m.max_samples, m.max_milliseconds, m.confidence,
                   m.precision, m.drop_above, m.finalists, m.power});
}

static void from_json(const json& j, MeasureSpec& m) {
  j.at(0).get_to(m.cold);
  j.at(1).get_to(m.min_samples);
  j.at(2).get_to(m.max_samples);
  j.at(3).get_to(m.max_milliseconds);
  j.at(4).get_to(m.confidence);
  j.at(5).get_to(m.precision);
  j.at(6).get_to(m.drop_above);
  j.at(7).get_to(m.finalists);
  j.at(8).get_to(m.power);
}

void to_json(json& j, const SizePlan& plan) {
  j = json::object();
  j["arguments"] = plan.arguments;
  j["constants"] = plan.constants;
  json checks = json::array();
  for (const CheckPlan& c : plan.checks) checks.push_back({c.argument, c.rtol, c.atol});
  j["checks"] = std::move(checks);
  to_json(j["measure"], plan.measure);
  if (plan.reference) {
    j["reference"] = {{"artifact", plan.reference->artifact},
                      {"geometry", plan.reference->geometry},
                      {"arguments", plan.reference->arguments}};
  }
}

void from_json(const json& j, SizePlan& plan) {
  j.at("arguments").get_to(plan.arguments);
  j.at("constants").get_to(plan.constants);
  plan.checks.clear();
  for (const json& c : j.at("checks")) {
    plan.checks.push_back(
        {c.at(0).get<std::uint32_t>(), c.at(1).get<double>(), c.at(2).get<double>()});
  }
  from_json(j.at("measure"), plan.measure);
  plan.reference.reset();
  if (j.contains("reference")) {
    const json& r = j.at("reference");
    plan.reference =
        ReferencePlan{r.at("artifact").get<Artifact>(), r.at("geometry").get<LaunchGeometry>(),
                      r.at("arguments").get<std::vector<std::uint32_t>>()};
  }
}

static void to_json(json& j, const NextLaunchPlan& n) {
  j = json::array({n.name, n.geometry, n.arguments});
}

static void from_json(const json& j, NextLaunchPlan& n) {
  j.at(0).get_to(n.name);
  j.at(1).get_to(n.geometry);
  j.at(2).get_to(n.arguments);
}

void to_json(json& j, const VariantPlan& plan) {
  j = {{"artifact", plan.artifact},
       {"geometry", plan.geometry},
       {"then", plan.then},
       {"overrides", plan.overrides},
       {"best_ms", plan.best_ms}};
}

void from_json(const json& j, VariantPlan& plan) {
  j.at("artifact").get_to(plan.artifact);
  j.at("geometry").get_to(plan.geometry);
  j.at("then").get_to(plan.then);
  j.at("overrides").get_to(plan.overrides);
  j.at("best_ms").get_to(plan.best_ms);
}

void to_json(json& j, const Verdict& v) {
  j = {{"state", static_cast<std::uint32_t>(v.state)},
       {"samples", v.timing.samples},
       {"median", v.timing.median},
       {"ci_low", v.timing.ci_low},
       {"ci_high", v.timing.ci_high},
       {"min", v.timing.min},
       {"resources", v.resources},
       {"max_error", v.max_error},
       {"watts", v.watts},
       {"drift", v.drift},
       {"message", binary(v.message)},
       {"context_dead", v.context_dead},
       {"device_lost", v.device_lost},
       {"excusable", v.excusable}};
}

void from_json(const json& j, Verdict& v) {
  const auto state = j.at("state").get<std::uint32_t>();
  if (state > static_cast<std::uint32_t>(TrialState::kDropped)) {
    throw ProtocolError("a verdict of an unknown state");
  }
  v.state = static_cast<TrialState>(state);
  j.at("samples").get_to(v.timing.samples);
  j.at("median").get_to(v.timing.median);
  j.at("ci_low").get_to(v.timing.ci_low);
  j.at("ci_high").get_to(v.timing.ci_high);
  j.at("min").get_to(v.timing.min);
  j.at("resources").get_to(v.resources);
  j.at("max_error").get_to(v.max_error);
  j.at("watts").get_to(v.watts);
  j.at("drift").get_to(v.drift);
  v.message = binary_text(j.at("message"));
  j.at("context_dead").get_to(v.context_dead);
  j.at("device_lost").get_to(v.device_lost);
  j.at("excusable").get_to(v.excusable);
}

}  // namespace tuner
