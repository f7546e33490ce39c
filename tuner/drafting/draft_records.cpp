// Arguments that are more than a number or a buffer of them: structs, vectors by value, null,
// tables of pointers, textures.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

constexpr int kMostOfTable = 16;

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
    if (is_null()) return DraftedArgument{.name = of_.name, .value = "null"};
    if (of_.pointers == 2) return table();
    if (!of_.is_pointer() && of_.lanes > 1) return vector();
    if (c_.source.empty_records.contains(of_.c_type) && !of_.is_pointer()) {
      c_.plan.types.emplace_back(of_.c_type, "[{nothing: uint8}]");  // it has a byte all the same
      return DraftedArgument{.name = of_.name, .type = of_.c_type, .value = "{nothing: 0}"};
    }
    const auto record = c_.records.find(of_.c_type);
    if (record == c_.records.end() || of_.pointers > 1) return std::nullopt;
    if (!of_.is_pointer()) return by_value(record->second);
    if (!of_.type.empty()) return std::nullopt;
    return buffer(record->second);
  }

  // A table in the device's memory, each element with all of its members.
  std::optional<DraftedArgument> constant() {
    const auto record = c_.records.find(of_.c_type);
    if (record == c_.records.end() || of_.is_pointer()) return std::nullopt;
    const std::string fills = fills_of(record->second, "");
    if (fills.empty() || holds_addresses(record->second)) return std::nullopt;
    add_type(of_.c_type);
    return DraftedArgument{.name = of_.name, .type = of_.c_type, .fill = "{" + fills + "}"};
  }

 private:
  bool holds_addresses(const FoundRecord& record) const {
    return std::ranges::any_of(record, [this](const FoundMember& one) {
      const auto inner = c_.records.find(one.type);
      return one.type == "pointer" || (inner != c_.records.end() && holds_addresses(inner->second));
    });
  }

  // Whether the launch passes a null pointer: "k<<<1, 64>>>(x, nullptr)".
  bool is_null() const {
    const Tokens passed = c_.passed_for(of_.name);
    return of_.is_pointer() && passed.size() == 1 && is_one_of("nullptr NULL 0", passed[0].text);
  }

  // float4 f, cuComplex c
  DraftedArgument vector() const {
    std::string type = of_.c_type;
    if (type == "__half2") type = "half2";
    if (type.find("omplex") != type.npos) type = of_.type == "float64" ? "complex128" : "complex64";
    const char* value = is_real_type(of_.type) ? "0.5" : "1";
    return {.name = of_.name,
            .type = type,
            .value = fmt::format("[{}]", fmt::join(std::vector(of_.lanes, value), ", ")),
            .remark = "a guess"};
  }

  // float** rows, where the host code allocates as many addresses.
  std::optional<DraftedArgument> table() {
    if (of_.type.empty() || !c_.hint) return std::nullopt;
    const auto memory = host_memory(c_.source, *c_.hint, c_.passed_for(of_.name));
    if (!memory || memory->factors.size() != 1) return std::nullopt;
    const auto size = c_.in_study(memory->factors[0], memory->frame);
    const auto bytes = size ? c_.value_of(*size) : std::nullopt;
    const double count = bytes ? *bytes / (memory->is_bytes ? 8 : 1) : 0;
    if (count < 1 || count > kMostOfTable) return std::nullopt;
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      names.push_back(fmt::format("{}_{}", of_.name, i));
      add_buffer(names.back(), of_.type, !of_.is_const);
    }
    return DraftedArgument{.name = of_.name, .pointers = "[" + listed(names) + "]"};
  }

  // The number that the host code sets a member to, as the study says it; nothing: it is not seen.
  std::optional<std::string> number_said(const std::string& path) const {
    const DraftContext::HostText passed = passed_member(c_, of_.name, whole_, path);
    return c_.in_study(passed.tokens, passed.frame);
  }

  // "w, h" of a struct that has these sizes beside the pointer.
  std::string elements_by_members() const {
    std::vector<std::string> out;
    for (const FoundMember& one : whole_) {
      if (!one.is_number || !may_be_extent(one.name)) continue;
      const auto said = number_said(one.name);
      const auto is_it = [&](const auto& extent) { return said && extent.first == *said; };
      if (std::ranges::any_of(c_.plan.extents, is_it)) out.push_back(*said);
    }
    return out.empty() ? "65536" : listed(out);
  }

  // `shape` is empty where nothing says it.
  void add_buffer(const std::string& name, const std::string& type, bool is_written,
                  const std::string& shape = {}) {
    const std::int64_t times = c_.request.room_of(name);
    const std::string guessed = shape.empty() ? elements_by_members() : "";
    c_.plan.buffers.push_back(
        {.name = name,
         .type = type,
         .shape = !shape.empty() ? shape
                  : times > 1    ? fmt::format("[{}, {}]", guessed, times)
                                 : "[" + guessed + "]",
         .role = is_written ? "inout" : "",
         .fill = is_real_type(type) ? "{uniform: [-1, 1]}" : "{integers: [0, 9]}",
         .remark = shape.empty() ? "a guess: the shape" : ""});
    if (is_written) c_.plan.outputs.emplace_back(name, type);
  }

  // ---- structs ----------------------------------------------------------------------------------

  void add_type(const std::string& name) {
    const auto known = [&](const auto& one) { return one.first == name; };
    if (std::ranges::any_of(c_.plan.types, known)) return;
    const FoundRecord& record = c_.records.at(name);
    for (const FoundMember& one : record) {
      if (c_.records.contains(one.type)) add_type(one.type);
    }
    const std::string members = with_commas(record, [](const FoundMember& one) {
      return one.count > 1 ? fmt::format("{{{}: [{}, {}]}}", one.name, one.type, one.count)
                           : fmt::format("{{{}: {}}}", one.name, one.type);
    });
    c_.plan.types.emplace_back(name, "[" + members + "]");
  }

  DraftedArgument by_value(const FoundRecord& record) {
    add_type(of_.c_type);
    whole_ = record;
    std::string values = values_of(record, "");
    return {.name = of_.name,
            .type = of_.c_type,
            .value = std::move(values),
            .remark = assumed_ ? "a guess: the values that the host code does not tell" : ""};
  }

  std::string values_of(const FoundRecord& record, const std::string& outer) {
    return "{" +
           with_commas(record,
                       [&](const FoundMember& one) {
                         const auto inner = c_.records.find(one.type);
                         const std::string path = outer + one.name;
                         if (one.type == "pointer") return one.name + ": " + address(one, path);
                         if (inner == c_.records.end()) return one.name + ": " + number(one, path);
                         const std::string values = values_of(inner->second, path + ".");
                         if (one.count == 1) return one.name + ": " + values;
                         const std::vector all(static_cast<std::size_t>(one.count), values);
                         return fmt::format("{}: [{}]", one.name, fmt::join(all, ", "));
                       }) +
           "}";
  }

  std::string address(const FoundMember& member, const std::string& path) {
    const auto element = element_type(c_.seen_through(member.pointee));
    if (!element) return "null";
    std::string name = of_.name + "_" + path;
    std::ranges::replace(name, '.', '_');
    const DraftContext::HostText passed = passed_member(c_, of_.name, whole_, path);
    FoundArgument as_argument;
    as_argument.name = name;
    as_argument.type = element->name;
    as_argument.lanes = element->lanes;
    const auto allocated = allocated_shape(c_, as_argument, passed, {});
    const bool is_written =
        is_member_written(member.name) || c_.request.unwritten.contains(name);  // in a trial
    add_buffer(name, element->name, is_written, allocated ? allocated->shape : "");
    return name;
  }

  // "a.data[i] = ..." of this argument, or "a[i] = ..." by its operator; whoever is given the whole
  // of it may do anything.
  bool is_member_written(const std::string& member) const {
    std::vector<Token> body;
    const Tokens all = c_.kernel.body;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const bool is_before_member =
          all[at].is(of_.name) && at + 1 < all.size() && all[at + 1].is(".");
      if (is_before_member) ++at;  // the member that follows is this one's, and no other's
      if (!is_before_member) body.push_back(all[at]);
    }
    return use_of(body, member).writes || use_of(body, of_.name).writes;
  }

  std::string number(const FoundMember& member, const std::string& path) {
    const auto said = number_said(path);
    std::string value = said && c_.value_of(*said) ? "\"" + *said + "\"" : "";
    if (value.empty()) {
      const bool is_extent = may_be_extent(member.name) ||
                             lower(member.name).find("stride") != std::string::npos ||
                             lower(member.name).find("pitch") != std::string::npos;
      value = is_real_type(member.type) ? "0.5" : is_extent ? "64" : "1";
      assumed_ = true;
    }
    if (member.lanes == 1) return value;
    return fmt::format("[{}]", fmt::join(std::vector(member.lanes, value), ", "));
  }

  // Lists how each member is filled; pointers stay null, and arrays of structs zero.
  std::string fills_of(const FoundRecord& record, const std::string& outer) const {
    std::string out;
    for (const FoundMember& one : record) {
      const auto inner = c_.records.find(one.type);
      if (one.type == "pointer" || (inner != c_.records.end() && one.count > 1)) continue;
      const std::string fills = inner == c_.records.end()
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
    return {.name = of_.name,
            .type = of_.c_type,
            .shape = "[" + shape + "]",
            .role = writes ? "inout" : "",
            .fill = fills.empty() ? "zeros" : "{" + fills + "}",
            .remark = "a guess: the shape; addresses in it are null"};
  }

  DraftContext& c_;
  const FoundArgument& of_;
  FoundRecord whole_{};  // of which a member is looked for
  bool assumed_ = false;
};

}  // namespace

std::optional<DraftedArgument> drafted_record(DraftContext& context,
                                              const FoundArgument& argument) {
  return Records(context, argument).drafted();
}

std::optional<DraftedArgument> drafted_constant(DraftContext& context, const FoundArgument& is) {
  FoundArgument one = is;
  for (const std::string_view word : {"const ", "struct "}) {
    if (one.c_type.starts_with(word)) one.c_type.erase(0, word.size());
  }
  if (one.type.empty()) return Records(context, one).constant();
  if (one.is_pointer()) return std::nullopt;
  return DraftedArgument{
      .name = one.name,
      .type = one.lanes > 1 ? one.c_type : one.type,
      .fill = is_real_type(one.type) ? "{uniform: [-1, 1]}" : "{integers: [0, 9]}"};
}

// ---- class templates ----------------------------------------------------------------------------

namespace {

// An argument of a class template with the kernel's own template parameters seen through.
std::vector<Token> argument_text(const DraftContext& c, Tokens argument) {
  std::vector<Token> out;
  for (const Token& token : argument) {
    const std::string word(token.text);
    const auto type = c.types.find(word);
    const auto value = c.template_values.find(word);
    if (type != c.types.end()) {
      out.push_back({Token::Kind::kWord, type->second, token.at, false});
    } else if (value != c.template_values.end()) {
      const std::string present = std::to_string(c.plan.parameter(value->second)->present);
      out.push_back({Token::Kind::kNumber, *c.texts.insert(present).first, token.at, false});
    } else {
      out.push_back(token);
    }
  }
  return out;
}

// "View_float_2" of "View<float, 2>"; empty where nothing in the declaration is a class template.
std::string made_of_template(DraftContext& c, Tokens declared) {
  for (std::size_t at = 0; at + 1 < declared.size(); ++at) {
    const auto found = c.source.class_templates.find(std::string(declared[at].text));
    if (found == c.source.class_templates.end() || !declared[at + 1].is("<")) continue;
    const std::size_t behind = behind_angles(declared, at + 1);
    if (behind == 0) return {};
    const auto parameters = template_parameters(found->second.all);
    const auto given = pieces_between_commas(declared.subspan(at + 2, behind - at - 3));
    std::string name = found->first;
    std::map<std::string, std::vector<Token>> meanings;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Tokens argument = i < given.size() ? given[i] : parameters[i].default_value;
      const auto& text = meanings[parameters[i].name] = argument_text(c, argument);
      name += "_" + joined(text);
    }
    std::ranges::replace_if(
        name, [](char one) { return !is_word_part(one); }, '_');
    std::vector<Token> body;
    for (const Token& token : found->second.body) {
      const auto meaning = meanings.find(std::string(token.text));
      if (meaning == meanings.end()) body.push_back(token);
      if (meaning != meanings.end())
        body.insert(body.end(), meaning->second.begin(), meaning->second.end());
    }
    const auto record =
        record_of(body, {c.source.aliases, c.source.numbers, c.source.computed, c.records});
    if (!record || record->empty()) return {};
    c.records.try_emplace(name, *record);
    return name;
  }
  return {};
}

}  // namespace

std::string record_name(DraftContext& context, const FoundArgument& argument) {
  const auto place = static_cast<std::size_t>(
      std::ranges::find(context.kernel.arguments, argument.name, &FoundArgument::name) -
      context.kernel.arguments.begin());
  const std::vector<Tokens> declared = pieces_between_commas(context.kernel.parameters);
  const std::string made =
      place < declared.size() ? made_of_template(context, declared[place]) : "";
  return made.empty() ? context.with_type(argument).c_type : made;
}

// ---- textures -----------------------------------------------------------------------------------

namespace {

struct Reading {
  std::string type;  // C's name
  char extents = '1';
  bool is_array = false;    // a texture that is not over the buffer itself
  bool is_written = false;  // a surface
};

// tex2D<float>(name, x, y), tex1Dfetch<float4>(&v, name, i)
std::optional<Reading> reading_in(const DraftContext& c, Tokens body, const std::string& name) {
  for (std::size_t at = 0; at + 3 < body.size(); ++at) {
    const std::string_view function = body[at].text;
    if (!is_one_of("tex1Dfetch tex1D tex2D tex2DLod tex3D", function)) continue;
    const Tokens rest = body.subspan(at + 2);
    if (!body[at + 1].is("<") || !mentions(part_before(part_behind(rest, ">"), ";"), name))
      continue;
    const bool is_array = function == "tex1D" || function == "tex3D";
    return Reading{c.seen_through(joined(part_before(rest, ">"))), function[3], is_array};
  }
  return std::nullopt;
}

// A function that the kernel calls has the texture under the same name, mostly.
std::optional<Reading> reading_of(const DraftContext& c, const std::string& name) {
  const auto own = reading_in(c, c.kernel.body, name);
  return own ? own : reading_in(c, c.source.code, name);
}

// surf2Dwrite(value, name, x * sizeof(float), y), surf2Dread<float>(name, x * 4, y)
std::optional<Reading> surface_of(const DraftContext& c, const std::string& name) {
  constexpr std::string_view kFunctions =
      "surf1Dread surf1Dwrite surf2Dread surf2Dwrite surf3Dread surf3Dwrite";
  std::optional<Reading> out;
  const Tokens body = c.kernel.body;
  for (std::size_t at = 0; at + 3 < body.size(); ++at) {
    const Tokens call = part_before(body.subspan(at + 1), ";");
    if (!is_one_of(kFunctions, body[at].text) || !mentions(call, name)) continue;
    if (!out) out = Reading{"float", body[at].text[4], true};
    out->is_written = out->is_written || body[at].text.ends_with("write");
    const std::size_t size = index_of(call, "sizeof");
    Tokens type = call[0].is("<") ? part_before(call.subspan(1), ">") : Tokens();
    if (type.empty() && size + 1 < call.size()) type = inside(call, size + 1);
    if (!type.empty()) out->type = c.seen_through(c.type_said(type));
  }
  return out;
}

// Writes the host code's cudaTextureDesc as a study does, as far as a texture over a matrix can
// have its settings.
std::string view_text(const DraftContext& c, const Reading& reading, bool as_floats, bool is_real) {
  std::string out = reading.is_array ? ", array: true" : "";
  if (as_floats) out += ", read: normalized_float";
  if (reading.extents == '1') return out;
  if (mentions(c.source.code, "cudaFilterModeLinear") && is_real) out += ", filter: linear";
  const auto& code = c.source.code;
  bool is_normalized = false;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    is_normalized = is_normalized || (code[i].is("normalizedCoords") && code[i + 1].is("=") &&
                                      (code[i + 2].is("1") || code[i + 2].is("true")));
  }
  if (is_normalized) out += ", normalized: true";
  if (mentions(c.source.code, "cudaAddressModeBorder")) return out + ", address: border";
  if (is_normalized && mentions(c.source.code, "cudaAddressModeWrap"))
    return out + ", address: wrap";
  if (is_normalized && mentions(c.source.code, "cudaAddressModeMirror"))
    return out + ", address: mirror";
  return out;
}

}  // namespace

namespace {

// Rows as long as the extent with the name of one; a thread outside of a surface is an error.
std::string shape_of_surface(const DraftPlan& plan) {
  if (plan.extents.size() != 2) return "[1024, 1024]";
  const std::string &first = plan.extents[0].first, &second = plan.extents[1].first;
  const bool is_turned = axis_of_extent(first) == 'x' && axis_of_extent(second) == 'y';
  return is_turned ? "[" + second + ", " + first + "]" : "[" + first + ", " + second + "]";
}

}  // namespace

std::optional<DraftedArgument> drafted_texture(DraftContext& context, const FoundArgument& one) {
  const bool is_surface = one.c_type == "cudaSurfaceObject_t";
  if ((one.c_type != "cudaTextureObject_t" && !is_surface) || one.is_pointer()) return std::nullopt;
  const auto reading = is_surface ? surface_of(context, one.name) : reading_of(context, one.name);
  const auto element = reading ? element_type(reading->type) : std::nullopt;
  if (!element || element->lanes == 3) return std::nullopt;
  const bool is_real = element->name == "float32";
  if (!is_real && element->name.find("int") == std::string::npos) return std::nullopt;
  if (bytes_of({element->name, 1}) > 4) return std::nullopt;
  const bool as_floats =
      is_real && !is_surface && mentions(context.source.code, "cudaReadModeNormalizedFloat");
  const std::string lanes = element->lanes > 1 ? std::to_string(element->lanes) : "";
  const std::string type = as_floats ? lanes.empty() ? "uint8" : "uchar" + lanes : reading->type;
  const std::string name = context.new_name(one.name + "_data");
  std::string shape = reading->extents == '3' ? "[64, 64, 64]" : "[256, 256]";
  if (reading->extents == '1') shape = is_surface ? "[16384]" : "[65536]";
  if (is_surface && reading->extents == '2') shape = shape_of_surface(context.plan);
  context.plan.buffers.push_back(
      {.name = name,
       .type = type,
       .shape = shape,
       .role = reading->is_written ? "inout" : "",
       .fill = is_real && !as_floats ? "{uniform: [-1, 1]}" : "{integers: [0, 9]}",
       .remark = "a guess: the shape, and that nothing else takes it"});
  if (reading->is_written) context.plan.outputs.emplace_back(name, element->name);
  if (is_surface) return DraftedArgument{.name = one.name, .surface = "{of: " + name + "}"};
  return DraftedArgument{
      .name = one.name,
      .texture = "{of: " + name + view_text(context, *reading, as_floats, is_real) + "}"};
}

}  // namespace tuner
