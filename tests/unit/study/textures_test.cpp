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
         "parameters: {B: [32, 64]}\nlaunch: {block: [B], grid: [N]}\nverify: none\narguments:\n"
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
      {"texture: {of: m, filter: cubic}",
       "11:40: 'filter' cannot be 'cubic' (known: point and linear)", ""},
      {"texture: {of: m, address: clip}", "11:41: 'address' cannot be 'clip' (known: clamp, wrap, ",
       ""},
      {"texture: {of: m, normalized: 1}", "11:44: 'normalized' must be true or false, not 1", ""},
      {"texture: {of: m, read: float}", "11:38: 'read' cannot be 'float'", ""},
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
       "12:29: 'v' has 3 extents: a texture is over memory that kernels write, too, and that is a "
       "vector or a matrix (one or two extents)",
       "  - {name: v, type: float, shape: [N, 2, 2], fill: zeros}\n"},
      {"texture: {of: s}", "12:29: 's' is scratch or a workspace, which has no fixed extents",
       "  - {name: s, type: float, shape: [B], role: scratch}\n"},
      {"texture: {of: r}",
       "12:29: 'r': rows of a texture are multiples of 32 bytes, and these have 20 for N=64",
       "  - {name: r, type: float, shape: [N, 5], fill: zeros}\n"},
      {"surface: {of: x}",
       "11:15: a surface is over an array of the driver's own, which no other kernel can read "
       "(texture: {of: BUFFER}, for what is only read)",
       ""}};
  for (const Wrong& one : all) {
    const std::string wanted = "study.yaml:" + one.message;
    const std::string said = complaints_of(study_with_texture(one.texture, one.more));
    EXPECT_EQ(said.substr(0, wanted.size()), wanted) << one.texture << "\n" << said;
  }
}

}  // namespace
}  // namespace tuner::testing
