// Names and passes of counters, as CUPTI has them of chips that need not be there.

#include "tuner/plugins/cuda/counters.h"

#include <gtest/gtest.h>

#include "tuner/plugin/sdk.h"

namespace tuner::cuda {
namespace {

// Its library of chips is opened in a way (RTLD_DEEPBIND) that sanitizers refuse.
std::shared_ptr<const Cupti> cupti() {
#ifdef TUNER_SANITIZED
  return nullptr;
#endif
  try {
    return open_cupti();
  } catch (const sdk::Error&) {
    return nullptr;
  }
}

std::string no_plan_for(const std::string& name) {
  try {
    CounterPlan(cupti(), "GH100", {}, {"dram__bytes.sum", name});
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.status(), TUNER_INVALID);
    return error.what();
  }
  return {};
}

TEST(CounterNames, ThatAreSpeltMostAlikeComeFirst) {
  const std::vector<std::string> all{"lts__bytes", "dram__bytes", "dram__bytes_read"};
  EXPECT_EQ(most_alike("dram__bites", all, 2),
            (std::vector<std::string>{"dram__bytes", "lts__bytes"}));
}

TEST(CounterPlan, OfWhatAChipHasSaysHowManyPassesItTakes) {
  if (!cupti()) GTEST_SKIP() << "there is no CUPTI here, or there are sanitizers";
  for (const char* chip : {"GA100", "GA102", "AD102", "GH100", "GB202"}) {
    CounterPlan one(cupti(), chip, {}, {"dram__bytes.sum"});
    EXPECT_EQ(one.passes(), 1U) << chip;
    EXPECT_FALSE(one.image().empty());
  }
}

TEST(CounterPlan, OfANameThatIsNoneSaysWhatIsNearIt) {
  if (!cupti()) GTEST_SKIP() << "there is no CUPTI here, or there are sanitizers";
  EXPECT_EQ(no_plan_for("dram__bites.sum")
                .find("GH100 has no counter 'dram__bites'; near it: dram__bytes, "),
            0U);
  EXPECT_NE(no_plan_for("dram__bytes.most").find("'dram__bytes.most' is none, though"),
            std::string::npos);
  EXPECT_NE(no_plan_for("dram__bytes").find("it takes an end such as .sum"), std::string::npos);
}

}  // namespace
}  // namespace tuner::cuda
