// Structs, vectors, addresses: their layout, what they hold, and what is wrong with them.
#include <gtest/gtest.h>

#include <cstddef>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

std::string study_with_types(const std::string& types, const std::string& arguments,
                             const std::string& buffers = "[]") {
  return "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nproblem_sizes: [{N: 64}]\n"
         "parameters: {B: [32, 64]}\nlaunch: {block: [B], grid: [N]}\nverify: none\n"
         "types: " +
         types + "\narguments:\n" + arguments + "buffers: " + buffers + "\n";
}

struct Inner {
  char c;
  double d;
};
struct alignas(16) Four {
  float v[4];
};
struct Outer {
  short s;
  Inner inner[2];
  float* p;
  bool flag;
  Four four;
  float three[3];
};

TEST(RecordTypes, AreLaidOutAsInC) {
  const Study study = accepted(study_with_types(
      "{Inner: [{c: char}, {d: double}], Outer: [{s: short}, {inner: [Inner, 2]}, {p: pointer}, "
      "{flag: bool}, {four: float4}, {three: float3}]}",
      "  - {name: o, type: Outer, shape: [N], role: out}\n"));
  const RecordSpec& record = *study.arguments[0].record;
  EXPECT_EQ(record.bytes, sizeof(Outer));
  const auto offset = [&](const std::string& path) {
    const auto found = std::ranges::find(record.members, path, &MemberSpec::path);
    return found == record.members.end() ? 9999 : found->offset;
  };
  EXPECT_EQ(offset("s"), offsetof(Outer, s));
  EXPECT_EQ(offset("inner[1].d"), offsetof(Outer, inner) + sizeof(Inner) + offsetof(Inner, d));
  EXPECT_EQ(offset("p"), offsetof(Outer, p));
  EXPECT_EQ(offset("flag"), offsetof(Outer, flag));
  EXPECT_EQ(offset("four[1]"), offsetof(Outer, four) + 4);
  EXPECT_EQ(offset("three[2]"), offsetof(Outer, three) + 8);
}

TEST(RecordTypes, ValuesGoToTheirMembers) {
  const Study study =
      accepted(study_with_types("{P: [{n: int}, {w: [float, 3]}, {p: pointer}, {q: pointer}]}",
                                "  - {name: a, type: P, value: {n: N + B, w: 0.5, p: x, q: null}}\n"
                                "  - {name: v, type: float2, value: [1, B]}\n"
                                "  - {name: none, value: null}\n"
                                "  - {name: x1, buffer: x, offset: B}\n"
                                "  - {name: table, pointers: [x, null]}\n",
                                "[{name: x, type: half2, shape: [N], fill: zeros}]"));
  const auto& members = study.arguments[0].record->members;
  EXPECT_EQ(members[0].value.text(), "N + B");
  EXPECT_EQ(members[3].value.text(), "0.5") << "one number stands for all elements";
  EXPECT_EQ(members[4].of, "x");
  EXPECT_EQ(members[5].of, "");
  EXPECT_EQ(study.arguments[1].record->members[1].value.text(), "B");
  EXPECT_TRUE(study.arguments[2].is_scalar);
  EXPECT_EQ(study.arguments[3].record->members[0].value.text(), "B");
  EXPECT_TRUE(is_table(study.arguments[4]));
  EXPECT_TRUE(study.arguments[5].is_beside);
  EXPECT_EQ(study.arguments[5].lanes, 2);
}

TEST(RecordTypes, MistakesAreReportedWhereTheyAre) {
  EXPECT_EQ(
      complaints_of(study_with_types("{A: [{n: in}, {n: int}, {m: [float, 0]}, x], float4: []}",
                                     "  - {name: a, type: B, value: 1}\n")),
      R"text(study.yaml:7:17: unknown type 'in' (known: float32, float64, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3, float8_e5m2, float2, float4, int2, int4, half2, complex64, bool and pointer)
study.yaml:7:36: a struct has 1 to 4096 numbers
study.yaml:7:49: a member is its name and its type ({width: int32})
study.yaml:7:53: 'float4' cannot be the name of a struct
study.yaml:9:21: unknown type 'B' (known: float32, float64, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3, float8_e5m2, float2, float4, int2, int4, half2, complex64, bool and A))text");
}

TEST(RecordTypes, MistakesInValuesAreReportedWhereTheyAre) {
  const std::string types = "{P: [{n: int}, {w: [float, 3]}, {p: pointer}]}";
  EXPECT_EQ(
      complaints_of(study_with_types(types,
                                     "  - {name: a, type: P, value: {m: 1, w: [1, 2], p: y}}\n"
                                     "  - {name: b, type: P, value: {n: 1, w: 0}}\n"
                                     "  - {name: c, type: P, value: 7}\n"
                                     "  - {name: d, type: float4, value: [1, 2]}\n"
                                     "  - {name: e, buffer: n, type: int}\n"
                                     "  - {name: f, pointers: [s, f]}\n"
                                     "  - {name: s, type: int, shape: [N], role: scratch}\n")),
      R"text(study.yaml:9:32: 'a' has no member 'm' (known: n, w and p)
study.yaml:9:41: 'a.w' has 3 elements, not 2
study.yaml:9:52: there is no buffer 'y' (known: f and s)
study.yaml:10:31: 'b.p' has no value (the name of a buffer, or null)
study.yaml:11:31: 'c' has members: a map says their values ({n, w and p})
study.yaml:12:36: 'd' has 4 elements, not 2
study.yaml:13:23: there is no buffer 'n' (known: f and s)
study.yaml:13:26: 'e' has 'buffer', so it cannot have 'type'
study.yaml:14:26: 's' is scratch or a workspace, which has no fixed place: a table cannot hold its address
study.yaml:14:29: there is no buffer 'f' (known: s))text");
  EXPECT_EQ(complaints_of(study_with_types(
                types, "  - {name: b, type: P, shape: [N], fill: {q: {uniform: [0, 1]}}}\n")),
            "study.yaml:9:43: 'P' has no number 'q' (known: n, w and p)");
}

// A few bytes of a file must not become any amount of memory.
TEST(RecordTypes, ProductsOfArraysAreMadeOnlyIfTheyAreSmall) {
  EXPECT_EQ(complaints_of(study_with_types(
                "{A: [{a: [float, 4096]}], B: [{a: [A, 4096]}], C: [{a: [A, 1]}, {b: int}]}",
                "  - {name: a, type: int, value: 1}\n")),
            R"text(study.yaml:7:42: a struct has 1 to 4096 numbers
study.yaml:7:76: a struct has 1 to 4096 numbers)text");
  std::string many;
  for (int i = 0; i < 20; ++i) {
    many += "  - {name: a" + std::to_string(i) + ", type: A, shape: [N], role: out}\n";
  }
  EXPECT_EQ(complaints_of(study_with_types("{A: [{a: [float, 4096]}]}", many)),
            "study.yaml:24:23: the structs of a study have at most 65536 numbers together");
}

// What a launch reaches through structs, tables and maps is not idle; what nothing reaches is.
TEST(RecordTypes, IdleBuffersAreThoseThatNothingReaches) {
  const std::string study =
      "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nproblem_sizes: [{N: 64}]\n"
      "parameters: {B: [32, 64]}\nlaunch: {block: [B], grid: [N], arguments: [s, t, m]}\n"
      "types: {P: [{p: pointer}]}\narguments:\n"
      "  - {name: s, type: P, value: {p: a}}\n  - {name: t, pointers: [b, null]}\n"
      "  - {name: m, tensor_map: {of: c, box: [8]}}\n"
      "  - {name: d, type: float, shape: [N], role: out}\n"
      "buffers:\n";
  std::string buffers;
  for (const char* name : {"a", "b", "c", "e", "f"}) {
    buffers += "  - {name: " + std::string(name) + ", type: float, shape: [N], fill: zeros}\n";
  }
  EXPECT_EQ(warnings_of(study + buffers + "verify: none\n"),
            R"text(study.yaml:11:12: no launch takes 'd'
study.yaml:16:12: nothing reaches 'e'
study.yaml:17:12: nothing reaches 'f')text");
  EXPECT_EQ(warnings_of(study + buffers +
                        "reference: {entry: r, block: [1], grid: [1], arguments: [d, e, f]}\n"),
            "");
}

// Whatever the reference's launches are given, or reach, is the same for all configurations.
TEST(RecordTypes, ReferenceTakesNothingThatVaries) {
  EXPECT_EQ(
      complaints_of("schema: 1\nkernel: {name: k, source: k.cu, entry: k}\n"
                    "problem_sizes: [{N: 64}]\nparameters: {B: [32, 64]}\n"
                    "launch: {block: [B], grid: [N]}\ntypes: {P: [{p: pointer}]}\narguments:\n"
                    "  - {name: y, type: float, shape: [N], role: out}\n"
                    "  - {name: b, type: int, value: B}\n"
                    "  - {name: s, type: P, value: {p: w}}\n"
                    "buffers: [{name: w, type: float, shape: [B], role: scratch}]\n"
                    "reference:\n  {entry: r, block: [1], grid: [1], arguments: [y],\n"
                    "   then: [{entry: q, block: [1], grid: [1]}]}\n"),
      R"text(study.yaml:12:1: the reference cannot take 'b', which differs between configurations (list the others in 'arguments' of the reference, or in 'per' the parameters that the right answer depends on, or say in 'configuration' with which values it runs)
study.yaml:12:1: the reference cannot take 'w', which differs between configurations (list the others in 'arguments' of the reference, or in 'per' the parameters that the right answer depends on, or say in 'configuration' with which values it runs))text");
}

TEST(RecordTypes, StructsAreJudgedByMembersOnly) {
  EXPECT_EQ(
      complaints_of("schema: 1\nkernel: {name: k, source: k.cu, entry: k}\n"
                    "problem_sizes: [{N: 64}]\nparameters: {B: [32, 64]}\n"
                    "launch: {block: [B], grid: [N]}\ntypes: {P: [{p: float}]}\narguments:\n"
                    "  - {name: y, type: P, shape: [N], role: out}\n"
                    "reference: {entry: r, block: [1], grid: [1]}\n"
                    "verify: {y: {rtol: 1e-5, norm: l2, equal_nan: true}}\n"),
      R"text(study.yaml:10:26: 'y' holds structs, whose members are compared one by one (rtol and atol only)
study.yaml:10:36: 'y' holds structs, whose members are compared one by one (rtol and atol only))text");
}

TEST(RecordTypes, MistakesInAddressesAreReportedWhereTheyAre) {
  const auto first_of = [](const std::string& argument) {
    const std::string said =
        complaints_of(study_with_types("{P: [{n: int}]}",
                                       "  - {name: x, type: int, shape: [N], fill: zeros}\n"
                                       "  - {name: t, " +
                                           argument + "}\n"));
    return said.substr(0, said.find('\n'));
  };
  for (const auto& [argument, message] : std::vector<std::pair<std::string, std::string>>{
           {"pointers: x", "10:25: 'pointers' must be a list, not text"},
           {"pointers: [z]", "10:26: there is no buffer 'z' (known: x)"},
           {"pointers: [x, 3]", "10:29: there is no buffer '3' (known: x)"},
           {"pointers: [x], shape: [2]", "10:30: 't' has 'pointers', so it cannot have 'shape'"},
           {"pointers: [x], offset: 2", "10:30: 't' has 'pointers', so it cannot have 'offset'"},
           {"buffer: z", "10:23: there is no buffer 'z' (known: x)"},
           {"buffer: t", "10:23: there is no buffer 't' (known: x)"},
           {"buffer: [x]", "10:23: a buffer must be text, not a list"},
           {"buffer: x, role: out", "10:26: 't' has 'buffer', so it cannot have 'role'"},
           {"buffer: x, pointers: [x]", "10:26: 't' has 'buffer', so it cannot have 'pointers'"},
           {"buffer: x, offset: M", "10:34: unknown name 'M'"},
           {"buffer: x, offset: -1", "10:34: the offset of 't' is -1, less than 0 for N=64"},
           {"buffer: x, offset: 1.5",
            "10:34: the offset of 't' is not a whole number (1.5) for N=64"},
           {"buffer: x, offsets: 1",
            "10:26: unknown key 'offsets' in an argument (did you mean 'offset'?)"},
           {"value: null, role: out", "10:28: 't' has 'value', so it cannot have 'role'"},
           {"value: null, shape: [N]", "10:28: 't' has 'value', so it cannot have 'shape'"},
           {"value: null, fill: zeros", "10:28: 't' has 'value', so it cannot have 'fill'"},
           {"value: null, zero: each", "10:28: 't' has 'value', so it cannot have 'zero'"},
           {"value: null, buffer: x", "10:28: 't' has 'value', so it cannot have 'buffer'"}}) {
    EXPECT_EQ(first_of(argument), "study.yaml:" + message) << argument;
  }
}

}  // namespace
}  // namespace tuner::testing
