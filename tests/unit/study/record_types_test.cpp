// Structs, vectors, addresses: their layout, what they hold, and what is wrong with them.
#include <gtest/gtest.h>

#include <array>
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
    types: {A: [{n: in}, {n: int}, {m: [float, 0]}, x], float4: []}
                    ^
study.yaml:7:36: a struct has 1 to 4096 numbers
    types: {A: [{n: in}, {n: int}, {m: [float, 0]}, x], float4: []}
                                       ^
study.yaml:7:49: a member is its name and its type ({width: int32})
    types: {A: [{n: in}, {n: int}, {m: [float, 0]}, x], float4: []}
                                                    ^
study.yaml:7:53: 'float4' cannot be the name of a struct
    types: {A: [{n: in}, {n: int}, {m: [float, 0]}, x], float4: []}
                                                        ^
study.yaml:9:21: unknown type 'B' (known: float32, float64, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3, float8_e5m2, float2, float4, int2, int4, half2, complex64, bool and A)
      - {name: a, type: B, value: 1}
                        ^)text");
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
      - {name: a, type: P, value: {m: 1, w: [1, 2], p: y}}
                                   ^
study.yaml:9:41: 'a.w' has 3 elements, not 2
      - {name: a, type: P, value: {m: 1, w: [1, 2], p: y}}
                                            ^
study.yaml:9:52: there is no buffer 'y' (known: f and s)
      - {name: a, type: P, value: {m: 1, w: [1, 2], p: y}}
                                                       ^
study.yaml:11:31: 'c' has members: a map says their values ({n, w and p})
      - {name: c, type: P, value: 7}
                                  ^
study.yaml:12:36: 'd' has 4 elements, not 2
      - {name: d, type: float4, value: [1, 2]}
                                       ^
study.yaml:13:23: there is no buffer 'n' (known: f and s)
      - {name: e, buffer: n, type: int}
                          ^
study.yaml:13:26: 'e' has 'buffer', so it cannot have 'type'
      - {name: e, buffer: n, type: int}
                             ^
study.yaml:14:26: 's' is scratch or a workspace, which has no fixed place: a table cannot hold its address
      - {name: f, pointers: [s, f]}
                             ^
study.yaml:14:29: there is no buffer 'f' (known: s)
      - {name: f, pointers: [s, f]}
                                ^)text");
  EXPECT_EQ(complaints_of(study_with_types(types, "  - {name: b, type: P, value: {n: 1, w: 0}}\n")),
            R"text(study.yaml:9:31: 'b.p' has no value (the name of a buffer, or null)
      - {name: b, type: P, value: {n: 1, w: 0}}
                                  ^)text");
  EXPECT_EQ(complaints_of(study_with_types(
                types, "  - {name: b, type: P, shape: [N], fill: {q: {uniform: [0, 1]}}}\n")),
            R"text(study.yaml:9:43: 'P' has no number 'q' (known: n, w and p)
      - {name: b, type: P, shape: [N], fill: {q: {uniform: [0, 1]}}}
                                              ^)text");
}

}  // namespace
}  // namespace tuner::testing
