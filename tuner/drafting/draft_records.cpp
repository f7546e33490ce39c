// Writes structs and addresses in the words of a study.

#include "tuner/drafting/draft_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/drafting/guesses.h"
#include "tuner/drafting/host_memory.h"

namespace tuner {
namespace {

constexpr int kMostOfTable = 16;
constexpr const char* kGuessedShape = "[65536]";

bool is_real_type(std::string_view type) {
  return type.find("float") != type.npos || type.find("double") != type.npos ||
         type.find("half") != type.npos;
}

std::string fill_of(const FoundMember& member) {
  if (is_real_type(member.type)) return "{uniform: [0, 1]}";
  return member.type == "bool" ? "{integers: [0, 1]}" : "{integers: [0, 9]}";
}

class Records {
 public:
  Records(DraftContext& context, const FoundArgument& argument) : c_(context), of_(argument) {}

  std::optional<DraftedArgument> drafted() {
    if (is_null()) return DraftedArgument{of_.name, "value: null", ""};
    if (of_.pointers == 2) return table();
    if (!of_.is_pointer() && of_.lanes > 1) return vector();
    const auto record = c_.source.records.find(of_.c_type);
    if (record == c_.source.records.end() || of_.pointers > 1) return std::nullopt;
    if (!of_.is_pointer()) return by_value(record->second);
    if (!of_.type.empty()) return std::nullopt;
    return buffer(record->second);
  }

 private:
  // What the launch passes: "k<<<1, 64>>>(x, nullptr)".
  bool is_null() const {
    const Tokens passed = c_.passed_for(of_.name);
    return of_.is_pointer() && passed.size() == 1 && is_one_of("nullptr NULL 0", passed[0].text);
  }

  // float4 f, cuComplex c
  DraftedArgument vector() const {
    std::string type = of_.c_type;
    if (type == "__half2") type = "half2";
    if (type.find("omplex") != type.npos) type = of_.type == "float64" ? "complex128" : "complex64";
    std::string values;
    for (int lane = 0; lane < of_.lanes; ++lane) {
      values += std::string(lane > 0 ? ", " : "") + (is_real_type(of_.type) ? "0.5" : "1");
    }
    return {of_.name, fmt::format("type: {}, value: [{}]", type, values), "a guess"};
  }

  // float** rows, where the host code allocates as many addresses.
  std::optional<DraftedArgument> table() {
    if (of_.type.empty() || !c_.hint) return std::nullopt;
    const auto memory = host_memory(c_.source, *c_.hint, place());
    if (!memory || memory->factors.size() != 1) return std::nullopt;
    const auto size = c_.in_study(memory->factors[0], memory->frame);
    const auto bytes = size ? c_.value_of(*size) : std::nullopt;
    const double count = bytes ? *bytes / (memory->is_bytes ? 8 : 1) : 0;
    if (count < 1 || count > kMostOfTable) return std::nullopt;
    std::string names;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      const std::string name = fmt::format("{}_{}", of_.name, i);
      names += (i > 0 ? ", " : "") + name;
      add_buffer(name, of_.type, Use{true, !of_.is_const, false, {}}, kGuessedShape);
    }
    return DraftedArgument{of_.name, "pointers: [" + names + "]", ""};
  }

  std::size_t place() const {
    return static_cast<std::size_t>(
        std::ranges::find(c_.kernel.arguments, of_.name, &FoundArgument::name) -
        c_.kernel.arguments.begin());
  }

  void add_buffer(const std::string& name, const std::string& type, const Use& use,
                  const std::string& shape) {
    const char* fill = is_real_type(type) ? "{uniform: [-1, 1]}" : "{integers: [0, 9]}";
    const std::int64_t times = c_.request.room_of(name);
    const std::string room = times > 1 ? fmt::format(", {}]", times) : "]";
    const std::string rest =
        fmt::format("type: {}, shape: {}", type, shape.substr(0, shape.size() - 1) + room);
    if (use.writes) {
      c_.plan.buffers.push_back(
          {name, rest + ", role: inout, fill: " + fill, "a guess: the shape"});
      c_.plan.outputs.emplace_back(name, type);
    } else {
      c_.plan.buffers.push_back({name, rest + ", fill: " + fill, "a guess: the shape"});
    }
  }

  // ---- structs ----------------------------------------------------------------------------------

  void add_type(const std::string& name) {
    const auto known = [&](const auto& one) { return one.first == name; };
    if (std::ranges::any_of(c_.plan.types, known)) return;
    std::string members;
    for (const FoundMember& one : c_.source.records.at(name)) {
      if (c_.source.records.contains(one.type)) add_type(one.type);
      const std::string type =
          one.count > 1 ? fmt::format("[{}, {}]", one.type, one.count) : one.type;
      members += fmt::format("{}{{{}: {}}}", members.empty() ? "" : ", ", one.name, type);
    }
    c_.plan.types.emplace_back(name, "[" + members + "]");
  }

  DraftedArgument by_value(const FoundRecord& record) {
    add_type(of_.c_type);
    return {of_.name, fmt::format("type: {}, value: {}", of_.c_type, values_of(record, "")),
            assumed_ ? "a guess: the values that the host code does not tell" : ""};
  }

  std::string values_of(const FoundRecord& record, const std::string& outer) {
    std::string out;
    for (const FoundMember& one : record) {
      const auto inner = c_.source.records.find(one.type);
      const std::string path = outer + one.name;
      const std::string value = one.type == "pointer" ? address(one, path)
                                : inner != c_.source.records.end()
                                    ? values_of(inner->second, path + ".")
                                    : number(one, path);
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", one.name, value);
    }
    return "{" + out + "}";
  }

  std::string address(const FoundMember& member, const std::string& path) {
    const auto element = element_type(c_.seen_through(member.pointee));
    if (!element) return "null";
    std::string name = of_.name + "_" + path;
    std::ranges::replace(name, '.', '_');
    const std::string type = element->name;
    add_buffer(name, type, use_of_member(member.name), kGuessedShape);
    return name;
  }

  // "a.data[i] = ..." of this argument; whoever is given the whole of it may do anything.
  Use use_of_member(const std::string& member) const {
    std::vector<Token> body;
    bool is_passed_on = false;
    const Tokens all = c_.kernel.body;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const bool is_of = at > 0 && (all[at - 1].is(".") || all[at - 1].is("->"));
      if (all[at].is(of_.name) && !is_of && at + 1 < all.size() && !all[at + 1].is(".")) {
        is_passed_on = true;
      }
      if (all[at].is(of_.name) && at + 1 < all.size() && all[at + 1].is(".")) {
        ++at;  // what follows is the member, and no other's
        continue;
      }
      body.push_back(all[at]);
    }
    Use use = use_of(body, member);
    use.reads = use.reads || is_passed_on;
    use.writes = use.writes || is_passed_on;
    return use;
  }

  std::string number(const FoundMember& member, const std::string& path) {
    const Tokens passed = c_.passed_for(of_.name);
    std::string value;
    if (passed.size() == 1 && passed[0].is_word()) {
      const auto said = c_.meaning(std::string(passed[0].text) + "." + path);
      const auto known = said ? c_.value_of(*said) : std::nullopt;
      if (known) value = "\"" + *said + "\"";
    }
    if (value.empty()) {
      const bool is_extent = may_be_extent(member.name) ||
                             lower(member.name).find("stride") != std::string::npos ||
                             lower(member.name).find("pitch") != std::string::npos;
      value = is_real_type(member.type) ? "0.5" : is_extent ? "64" : "1";
      assumed_ = true;
    }
    if (member.lanes == 1) return value;
    std::string values;
    for (int i = 0; i < member.lanes; ++i) values += (i > 0 ? ", " : "") + value;
    return "[" + values + "]";
  }

  // What each member holds; addresses are null, and arrays of structs zeros.
  std::string fills_of(const FoundRecord& record, const std::string& outer) const {
    std::string out;
    for (const FoundMember& one : record) {
      const auto inner = c_.source.records.find(one.type);
      if (one.type == "pointer" || (inner != c_.source.records.end() && one.count > 1)) continue;
      const std::string fills = inner == c_.source.records.end()
                                    ? outer + one.name + ": " + fill_of(one)
                                    : fills_of(inner->second, outer + one.name + ".");
      out += (out.empty() || fills.empty() ? "" : ", ") + fills;
    }
    return out;
  }

  DraftedArgument buffer(const FoundRecord& record) {
    add_type(of_.c_type);
    const Use use = use_of(c_.kernel.body, of_.name);
    std::string shape = "65536";
    if (!c_.plan.extents.empty()) shape = c_.plan.extents.front().first;
    const std::int64_t room = c_.request.room_of(of_.name);
    if (room > 1) shape += fmt::format(", {}", room);
    const bool writes = use.writes && !of_.is_const;
    if (writes) c_.plan.outputs.emplace_back(of_.name, "");
    const std::string fills = fills_of(record, "");
    return {of_.name,
            fmt::format("type: {}, shape: [{}], {}fill: {}", of_.c_type, shape,
                        writes ? "role: inout, " : "", fills.empty() ? "zeros" : "{" + fills + "}"),
            "a guess: the shape; addresses in it are null"};
  }

  DraftContext& c_;
  const FoundArgument& of_;
  bool assumed_ = false;
};

}  // namespace

std::optional<DraftedArgument> drafted_record(DraftContext& context,
                                              const FoundArgument& argument) {
  return Records(context, argument).drafted();
}

}  // namespace tuner
