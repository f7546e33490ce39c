#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tuner/check/checked_study.h"
#include "tuner/check/size_check.h"
#include "tuner/study/extents.h"

namespace tuner::testing {
namespace {

const std::string kStudy = usual_study(R"yaml(problem_sizes: [{M: 64, N: 64}]
arguments:
  - {name: Y, type: float, shape: [M - 8, N / 2], role: out}
  - {name: M, type: int8, value: M}
)yaml");

std::string message_for(const std::string& option, const std::string& yaml = kStudy) {
  const StudyFolder folder(yaml);
  const Study study = read_study(folder.file());
  try {
    parse_size_option(option, study);
  } catch (const InputError& error) {
    return folder.said(error.what());
  }
  return {};
}

TEST(SizeOption, GivesEveryDimensionInTheStudysOrder) {
  const ProblemSize size = parse_size_option("N=32,M=16", accepted(kStudy));
  EXPECT_EQ(size, (ProblemSize{{{"M", 16}, {"N", 32}}}));
}

TEST(SizeOption, TakesExtentsAsPeopleWriteThem) {
  const ProblemSize size = parse_size_option("N=2**15,M=1_00", accepted(kStudy));
  EXPECT_EQ(size, (ProblemSize{{{"M", 100}, {"N", 32768}}}));
}

TEST(SizeOption, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(message_for("M=16"), "--size M=16: 'N' is missing");
  EXPECT_EQ(message_for("M=16,N"), "--size M=16,N: 'N' is not NAME=EXTENT");
  EXPECT_EQ(message_for("16"), "--size 16: '16' is not NAME=EXTENT (--size M=16)");
  EXPECT_EQ(message_for("M=0,N=1x,N=2"),
            "--size M=0,N=1x,N=2: '0' is not a positive whole number\n"
            "--size M=0,N=1x,N=2: '1x' is not a positive whole number\n"
            "--size M=0,N=1x,N=2: 'N' is given twice");
  EXPECT_EQ(message_for("m=16,Q=2"),
            "--size m=16,Q=2: the study has no dimension 'm' (did you mean 'M'?)\n"
            "--size m=16,Q=2: the study has no dimension 'Q' (known: M and N)");
  EXPECT_EQ(message_for(""), "--size : '' is not NAME=EXTENT");
  EXPECT_EQ(message_for("M=99999999999999999999,N=2"),
            "--size M=99999999999999999999,N=2: '99999999999999999999' is not a positive whole "
            "number");
  EXPECT_EQ(message_for("M=1", "schema: 1\nparameters: {B: [1]}\n"),
            "--size M=1: the study has no problem sizes to choose from");
}

TEST(SizeOption, MustMakeSenseInTheStudy) {
  EXPECT_EQ(message_for("M=4,N=31"),
            R"text(study.yaml:7:36: the shape of 'Y' is -4, less than 1 for M=4, N=31
study.yaml:7:43: the shape of 'Y' is not a whole number (15.5) for M=4, N=31)text");
  EXPECT_EQ(message_for("M=128,N=2"),
            "study.yaml:8:34: the value of 'M', 128, does not fit in int8 for M=128, N=2");
}

TEST(WholeNumber, TakesWhatStandsForACount) {
  EXPECT_EQ(*whole_number(std::int64_t{7}), 7);
  EXPECT_EQ(*whole_number(8.0), 8);
  EXPECT_EQ(*whole_number(true), 1);
  EXPECT_EQ(whole_number(7.5).error(), "'7.5' is not a whole number");
  EXPECT_FALSE(whole_number(1e30));
  EXPECT_FALSE(whole_number(std::string("7")));
}

}  // namespace
}  // namespace tuner::testing
