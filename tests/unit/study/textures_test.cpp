// Textures over buffers: what is read, and what is wrong.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/study/study_folder.h"
#include "tuner/resolve/resolve.h"

namespace tuner::testing {
namespace {

std::string study_with_texture(const std::string& texture, const std::string& more = "") {
  return "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nproblem_sizes: [{N: 64}]\n"
         "parameters: {B: [32, 64]}\nlaunch: {block: [B], grid: [N], arguments: [t]}\nverify: "
         "none\narguments:\n"
         "  - {name: x, type: float, shape: [N], fill: zeros}\n"
         "  - {name: m, type: uchar4, shape: [N, 8], fill: zeros}\n"
         "  - {name: i, type: short, shape: [N, 16], role: out}\n" +
         more + "  - {name: t, " + texture + "}\n";
}

TEST(Textures, BecomeObjectsOverTheirBuffers) {
  const Study study = accepted(study_with_texture(
      "texture: {of: m, filter: linear, address: wrap, normalized: true, read: normalized_float}"));
  const auto plan = size_plan(study, study.sizes.front(), nominal_facts("sm_90"), {});
  ASSERT_TRUE(plan.has_value()) << plan.error();
  const ArgumentPlan& argument = plan->arguments.back();
  EXPECT_EQ(argument.scalar.size(), 8U);
  ASSERT_EQ(argument.addresses.size(), 1U);
  EXPECT_EQ(argument.addresses.front().of, 1U);
  const TextureView& view = *argument.addresses.front().texture;
  EXPECT_EQ(view.type, DataType::kUInt8);
  EXPECT_EQ(view.lanes, 4U);
  EXPECT_EQ(view.width, 8U);
  EXPECT_EQ(view.height, 64U);
  EXPECT_EQ(view.filter, TextureView::Filter::kLinear);
  EXPECT_EQ(view.outside, TextureView::Outside::kWrap);
  EXPECT_TRUE(view.normalized && view.as_floats);
}

TEST(Textures, EveryMistakeHasItsPlace) {
  struct Wrong {
    std::string texture, message, more;
  };
  const std::vector<Wrong> all{
      {"texture: {of: y}", "11:29: there is no buffer 'y' (known: x, m and i)", ""},
      {"texture: {filter: point}", "11:15: missing key 'of' in 'texture'", ""},
      {"texture: {of: m, filter: cubic}", "11:40: 'filter' must be point or linear, not 'cubic'",
       ""},
      {"texture: {of: m, address: clip}",
       "11:41: 'address' must be clamp, wrap, mirror or border, not 'clip'", ""},
      {"texture: {of: m, normalized: 1}", "11:44: 'normalized' must be true or false, not 1", ""},
      {"texture: {of: m, read: float}", "11:38: 'read' must be element or normalized_float", ""},
      {"texture: {of: m, addres: clamp}",
       "11:32: unknown key 'addres' in 'texture' (did you mean 'address'?)", ""},
      {"texture: {of: x}, type: float", "11:33: 't' is a texture, so it cannot have 'type'", ""},
      {"texture: {of: m, address: wrap}",
       "11:29: 'wrap' and 'mirror' are of normalized coordinates (normalized: true)", ""},
      {"texture: {of: m, filter: linear}",
       "11:29: 'linear' takes means of elements, and those of 'm' are integers (read: "
       "normalized_float)",
       ""},
      {"texture: {of: x, read: normalized_float}",
       "11:29: only integers of 8 or 16 bits are read as normalized floats, and 'x' is float "
       "(read: "
       "element)",
       ""},
      {"texture: {of: x, filter: linear}",
       "11:29: a texture over a vector is read by tex1Dfetch, which knows no filter, address or "
       "normalized coordinate (a matrix of one row, for tex2D)",
       ""},
      {"texture: {of: d}",
       "12:29: a texture cannot have elements of double (float32, float16 and integers of 8 to 32 "
       "bits; vectors of 2 or 4 of them)",
       "  - {name: d, type: double, shape: [N], fill: zeros}\n"},
      {"texture: {of: v}",
       "12:29: 'v' has 3 extents: a texture over memory has one or two (array: true)",
       "  - {name: v, type: float, shape: [N, 2, 2], fill: zeros}\n"},
      {"texture: {of: s}", "12:29: 's' is scratch or a workspace, which has no fixed extents",
       "  - {name: s, type: float, shape: [B], role: scratch}\n"},
      {"texture: {of: r}",
       "12:29: 'r': rows of a texture are multiples of 32 bytes, and these have 20 for N=64 "
       "(array: true)",
       "  - {name: r, type: float, shape: [N, 5], fill: zeros}\n"},
      {"texture: {of: m, array: 1}", "11:39: 'array' must be true or false, not 1", ""},
      {"surface: {of: y}", "11:29: there is no buffer 'y' (known: x, m and i)", ""},
      {"surface: m", "11:24: 'surface' must be a map (key: value), not text", ""},
      {"surface: {}", "11:15: missing key 'of' in 'surface'", ""},
      {"surface: {of: x, address: clamp}", "11:32: unknown key 'address' in 'surface' (known: of)",
       ""},
      {"surface: {of: x}, texture: {of: x}", "11:33: 't' is a surface, so it cannot have 'texture'",
       ""},
      {"surface: {of: x}, type: float", "11:33: 't' is a surface, so it cannot have 'type'", ""},
      {"surface: {of: d}",
       "12:29: a surface cannot have elements of double (float32, float16 and integers of 8 to 32 "
       "bits; vectors of 2 or 4 of them)",
       "  - {name: d, type: double, shape: [N], fill: zeros}\n"},
      {"surface: {of: v}", "12:29: 'v' has 4 extents: there are no arrays of more than 3",
       "  - {name: v, type: float, shape: [N, 2, 2, 2], fill: zeros}\n"},
      {"surface: {of: s}", "12:29: 's' is scratch or a workspace, which has no fixed extents",
       "  - {name: s, type: float, shape: [B], role: scratch}\n"},
      {"surface: {of: w}",
       "12:29: 'w': a surface has 65536 elements in x, and an array of its extents at most 32768 "
       "for N=64",
       "  - {name: w, type: float, shape: [1024 * N], fill: zeros}\n"}};
  for (const Wrong& one : all) {
    const std::string wanted = "study.yaml:" + one.message;
    const std::string said = complaints_of(study_with_texture(one.texture, one.more));
    EXPECT_EQ(said.substr(0, wanted.size()), wanted) << one.texture << "\n" << said;
  }
}

TEST(Textures, OverArraysAndSurfacesHaveUpToThreeExtents) {
  const auto view_over = [](const std::string& argument, const std::string& shape) {
    std::string yaml = study_with_texture(argument) +
                       "buffers: [{name: v, type: short2, shape: " + shape + ", fill: zeros}]\n";
    const Study study = accepted(yaml);
    const auto plan = size_plan(study, study.sizes.front(), nominal_facts("sm_90"), {});
    EXPECT_TRUE(plan.has_value()) << plan.error();
    return *plan->arguments[3].addresses.front().texture;
  };
  const TextureView volume = view_over("surface: {of: v}", "[2, 3, N]");
  EXPECT_EQ(volume.kind, TextureView::Kind::kSurface);
  EXPECT_EQ(volume.lanes, 2U);
  EXPECT_EQ(volume.width, 64U);
  EXPECT_EQ(volume.height, 3U);
  EXPECT_EQ(volume.depth, 2U);
  const TextureView rows = view_over("texture: {of: v, array: true}", "[3, 5]");
  EXPECT_EQ(rows.kind, TextureView::Kind::kOverArray);
  EXPECT_EQ(rows.height, 3U) << "rows of 20 bytes";
  EXPECT_EQ(view_over("texture: {of: v, array: true, address: border}", "[5]").height, 0U);
}

// What is written to an array is nowhere else until all launches have ended.
TEST(Textures, AnArrayIsNotPassedBesideItsMemory) {
  const auto said = [](const std::string& first, const std::string& then) {
    return complaints_of(
        "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nproblem_sizes: [{N: 64}]\n"
        "parameters: {B: [32, 64]}\nverify: none\ntypes: {P: [{p: pointer}]}\n"
        "launch: {block: [B], grid: [N], arguments: " +
        first + ", then: [{entry: l, block: [B], grid: [N], arguments: " + then +
        "}]}\narguments:\n"
        "  - {name: surface, surface: {of: x}}\n"
        "  - {name: view, texture: {of: x, array: true}}\n"
        "  - {name: memory_view, texture: {of: x}}\n"
        "  - {name: part, buffer: x, offset: 1}\n"
        "  - {name: in_struct, type: P, value: {p: x}}\n"
        "  - {name: other, type: float, shape: [N], role: out}\n"
        "buffers: [{name: x, type: float, shape: [N], role: inout, fill: zeros}]\n");
  };
  EXPECT_EQ(said("[surface, other]", "[view]"), "");
  for (const char* memory : {"[memory_view]", "[part]", "[in_struct]"}) {
    EXPECT_TRUE(said("[surface, other]", memory)
                    .starts_with("study.yaml:9:35: these launches take the memory of 'x', too"))
        << memory;
  }
  EXPECT_EQ(said("[memory_view, other]", "[part]"), "");
}

}  // namespace
}  // namespace tuner::testing
