#include "tuner/plugin/catalogue.h"

#include <gtest/gtest.h>

#include <functional>

#include "test_plugins.h"
#include "tuner/plugin/space_table.h"

namespace tuner {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::vector<std::string> problems_with(const Catalogue& catalogue, const std::string& file) {
  std::vector<std::string> out;
  for (const LoadProblem& problem : catalogue.problems()) {
    if (problem.path.filename() == file) out.push_back(problem.reason);
  }
  return out;
}

TEST(Catalogue, ListsItemsWithTheirOptions) {
  const Catalogue catalogue = load_test_plugins({"good"});
  EXPECT_TRUE(catalogue.problems().empty());
  ASSERT_EQ(catalogue.plugins().size(), 2U);
  EXPECT_EQ(catalogue.plugins()[1].version, "1.2.3");
  const PluginItem* item = catalogue.find(PluginKind::kStrategy, "sequence");
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(item->summary, "configurations in order");
  EXPECT_EQ(item->plugin, "toy");
  ASSERT_EQ(item->options.size(), 5U);
  EXPECT_EQ(item->options[1].name, "step");
  EXPECT_EQ(item->options[1].default_value, "1");
  EXPECT_EQ(item->options[1].help, "distance");
  EXPECT_NE(catalogue.find(PluginKind::kExporter, "echo"), nullptr);
  EXPECT_EQ(catalogue.find(PluginKind::kBackend, "toy")->language(), "cuda");  // it names none
  EXPECT_EQ(catalogue.find(PluginKind::kExporter, "sequence"), nullptr);
}

TEST(Catalogue, FactoriesSayWhatBackendsAndCompilersAre) {
  const Catalogue catalogue = load_test_plugins({"good"});
  const PluginItem& backend = *catalogue.find(PluginKind::kBackend, "toy");
  EXPECT_EQ(backend.backend.runs_on_host, 1U);
  EXPECT_EQ(backend.backend.is_sanitized, 0U);
  const PluginItem* second = catalogue.second_compiler("other");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->name, "toy");
  EXPECT_EQ(second->compiler.options, TUNER_OPTIONS_OWN);
  EXPECT_EQ(catalogue.second_compiler("toy"), nullptr);
}

TEST(Catalogue, RecordsMisfitsAndGoesOn) {
  const Catalogue catalogue = load_test_plugins({"bad", "good"});
  EXPECT_EQ(problems_with(catalogue, "wrong_magic.so").size(), 1U);
  EXPECT_EQ(problems_with(catalogue, "missing_symbol.so").size(), 1U);
  EXPECT_EQ(problems_with(catalogue, "short_table.so"),
            std::vector<std::string>{"its table for tuner.strategy/2 has 16 bytes, it needs 24"});
  EXPECT_NE(catalogue.find(PluginKind::kStrategy, "sequence"), nullptr);
}

TEST(Catalogue, OffersNothingWhoseOptionsCannotBeGiven) {
  const Catalogue catalogue = load_test_plugins({"bad"});
  EXPECT_EQ(problems_with(catalogue, "odd_options.so"),
            (std::vector<std::string>{
                "strategy 'twice': it has option 'step' twice",
                "strategy 'riddle': what its option 'step' allows is not understood: "
                "'integer 1 to 10'",
                "strategy 'bad-default': the default of its option 'step' is '0': it must be a "
                "whole number from 1 to 10"}));
  EXPECT_EQ(catalogue.find(PluginKind::kStrategy, "twice"), nullptr);
}

TEST(Catalogue, KeepsTheFirstOfTwoItemsWithOneName) {
  const Catalogue catalogue = load_test_plugins({"good", "bad"});
  EXPECT_EQ(catalogue.find(PluginKind::kStrategy, "sequence")->plugin, "toy");
  EXPECT_NE(catalogue.find(PluginKind::kStrategy, "own"), nullptr);
  const auto reasons = problems_with(catalogue, "duplicate.so");
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0], "strategy 'sequence' is already offered by " +
                            (test_plugin_directory("good") / "toy.so").string());
  EXPECT_EQ(load_test_plugins({"bad", "good"}).find(PluginKind::kStrategy, "sequence")->plugin,
            "duplicate");
}

TEST(Catalogue, UnknownNamesListWhatThereIs) {
  const Catalogue catalogue = load_test_plugins({"good"});
  const SearchSpace space = test_space();
  EXPECT_EQ(message_of([&] { catalogue.make_strategy("sequense", space_table(space), 1, {}, {}); }),
            "there is no strategy 'sequense'; there are: backwards, sequence "
            "(did you mean 'sequence'?)");
  EXPECT_EQ(message_of([&] { catalogue.make_exporter("x", {}); }),
            "there is no exporter 'x'; there are: echo");
  EXPECT_THROW(catalogue.make_exporter("x", {}), InputError);
  EXPECT_THROW(catalogue.make_compiler("cuda"), UnavailableError);
}

TEST(Catalogue, UnknownOptionsListThoseThatThereAre) {
  const Catalogue catalogue = load_test_plugins({"good"});
  const SearchSpace space = test_space();
  const Position where{"study.yaml", 7, 3};
  EXPECT_EQ(
      message_of([&] {
        catalogue.make_strategy("sequence", space_table(space), 1, {}, {{"stp", "1"}}, where);
      }),
      "study.yaml:7:3: unknown option 'stp'; strategy 'sequence' has: start=0, step=1, scale=0.5, "
      "order=up, eager=false (did you mean 'step'?)");
  EXPECT_EQ(message_of([&] {
              catalogue.make_strategy("backwards", space_table(space), 1, {}, {{"a", "1"}});
            }),
            "unknown option 'a'; strategy 'backwards' has no options");
  EXPECT_EQ(
      message_of([&] {
        static_cast<void>(catalogue.open_backend("toy", 0, {{"ordr", "fixed"}}));
      }),
      "unknown option 'ordr'; backend 'toy' has: order=fixed, level=1 (did you mean 'order'?)");
}

TEST(Catalogue, OptionsOfABackendGoToItsCompilerToo) {
  const Catalogue catalogue = load_test_plugins({"good"});
  const OptionList both{{"level", "3"}, {"order", "random"}};
  const auto compiler = catalogue.make_compiler("toy", both);
  EXPECT_EQ(compiler->identity(), "toy 1 level=3");
  CompileRequest request;
  request.source = "x";
  EXPECT_EQ(compiler->compile(request)->image, "x||level 3");
  EXPECT_TRUE(catalogue.open_backend("toy", 0, both));
}

TEST(Catalogue, AllThatIsWrongWithOptionsIsSaidWhereItStands) {
  const Catalogue catalogue = load_test_plugins({"good"});
  const OptionList wrong{{"levl", "3", {"s.yaml", 2, 3}}, {"level", "4", {"s.yaml", 3, 3}}};
  EXPECT_EQ(message_of([&] { catalogue.check_options(PluginKind::kBackend, "toy", wrong); }),
            "s.yaml:2:3: unknown option 'levl'; backend 'toy' has: order=fixed, level=1 (did you "
            "mean 'level'?)\ns.yaml:3:3: backend 'toy': option 'level' is '4': it must be a whole "
            "number from 0 to 3");
}

TEST(Catalogue, MalformedOptionValuesSayWhatIsAllowed) {
  const Catalogue catalogue = load_test_plugins({"good"});
  const SearchSpace space = test_space();
  const auto message = [&](const char* name, const char* value) {
    return message_of([&] {
      catalogue.make_strategy("sequence", space_table(space), 1, {}, {{name, value}});
    });
  };
  const std::string head = "strategy 'sequence': option ";
  EXPECT_EQ(message("step", "0"), head + "'step' is '0': it must be a whole number from 1 to 10");
  EXPECT_EQ(message("step", "2x"), head + "'step' is '2x': it must be a whole number from 1 to 10");
  EXPECT_EQ(message("step", ""), head + "'step' is '': it must be a whole number from 1 to 10");
  EXPECT_EQ(message("scale", "nan"), head + "'scale' is 'nan': it must be a number from 0 to 1");
  EXPECT_EQ(message("order", "left"), head + "'order' is 'left': it must be one of: up, down");
  EXPECT_EQ(message("eager", "maybe"), head + "'eager' is 'maybe': it must be true or false");
  EXPECT_EQ(message("eager", "yes"), "nothing was thrown");
}

TEST(Catalogue, ThrowingPluginsBecomeMessages) {
  const Catalogue catalogue = load_test_plugins({"bad"});
  const SearchSpace space = test_space();
  EXPECT_EQ(
      message_of([&] { catalogue.make_strategy("throwing-maker", space_table(space), 1, {}, {}); }),
      "strategy 'throwing-maker': not today");
  const auto asker = catalogue.make_strategy("throwing-asker", space_table(space), 1, {}, {});
  EXPECT_EQ(message_of([&] { asker->ask(1); }),
            "strategy 'throwing-asker', ask: the plugin threw something that is no std::exception");
  EXPECT_EQ(message_of([&] { asker->tell({}); }),
            "strategy 'throwing-asker', tell: out of host memory");
  EXPECT_EQ(message_of([&] { catalogue.make_compiler("absent"); }),
            "absent: libabsent.so.1 not found");
}

TEST(Catalogue, ExportersReadTheDocumentOfTheResults) {
  const auto document = [](const Study& study, const std::vector<RankedResults>& results) {
    return study.kernel.name + " has " + std::to_string(results.size());
  };
  const auto exporter = load_test_plugins({"good"}).make_exporter("echo", document);
  Study study;
  study.kernel.name = "matmul";
  const auto files = exporter->write(study, {RankedResults{}}, "out.txt");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "out.txt");
  EXPECT_EQ(files[0].text, "matmul has 1");
  const auto twice = load_test_plugins({"good"}).make_exporter("echo", document, {{"times", "2"}});
  EXPECT_EQ(twice->write(study, {}, "-")[0].text, "matmul has 0matmul has 0");
  study.kernel.name = "forbidden";
  EXPECT_EQ(message_of([&] { exporter->write(study, {}, "-"); }), "exporter 'echo': no");
}

}  // namespace
}  // namespace tuner
