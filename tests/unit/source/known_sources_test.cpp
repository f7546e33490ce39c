// Of which files a result is made: names of artifacts, and files that are still what they were.

#include "tuner/source/known_sources.h"

#include <functional>

#include "scratch.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

const OpenedFiles kNothing(std::in_place);

class Sources : public Scratch {
 protected:
  CompileRequest request(const std::string& source) const {
    CompileRequest out;
    out.source = source;
    out.source_name = (root / "k.cu").string();
    out.include_dirs = {root.string(), (root / "inc").string()};
    return out;
  }
  KnownSources known(const std::string& source,
                     const std::vector<std::string>& options = {}) const {
    CompileRequest asked = request(source);
    asked.options = options;
    KnownSources out;
    add_sources(out, asked, bundle_of(asked));
    return out;
  }
  FileState state(const std::string& name) const {
    const std::string path = fs::canonical(root / name).string();
    return {path, FileDigests().text_of(path)};
  }
  Artifact opened(const std::vector<FileState>& files) const {
    Artifact out;
    out.opened = files;
    return out;
  }
  FileDigests digests;
};

TEST_F(Sources, WhatTheDigestCoversIsNotNamedOnceMore) {
  write("a.h", "int a;");
  const auto found = provenance_of({{state("a.h")}}, known("#include \"a.h\"\n"));
  EXPECT_TRUE(found.known);
  EXPECT_TRUE(found.further.empty());
}

TEST_F(Sources, FurtherFilesCountWithTheNamesThatWouldComeBeforeThem) {
  write("inc/a.h", "int a;");
  const auto found = provenance_of({{state("inc/a.h")}}, known("#include NAME\n"));
  EXPECT_TRUE(found.known);
  ASSERT_FALSE(found.further.empty());
  EXPECT_EQ(found.further.front(), state("inc/a.h"));
  EXPECT_EQ(first_changed(found.further, digests), "");
  write("a.h", "in front of the other");
  EXPECT_EQ(first_changed(found.further, digests), fs::canonical(root / "a.h").string());
  fs::remove(root / "a.h");
  write("inc/a.h", "int b;");
  EXPECT_EQ(first_changed(found.further, digests), fs::canonical(root / "inc/a.h").string());
}

TEST_F(Sources, AFileThatWasReadAnewAfterAnEditIsAFurtherOne) {
  write("a.h", "int a;");
  const KnownSources before = known("#include \"a.h\"\n");
  write("a.h", "int b;");
  EXPECT_EQ(provenance_of({{state("a.h")}}, before).further.front(), state("a.h"));
}

TEST_F(Sources, WithoutTheCompilersWordOnlyACompleteScanIsTrusted) {
  EXPECT_TRUE(provenance_of(std::nullopt, known("#include <a.h>\n")).known);
  EXPECT_FALSE(provenance_of(std::nullopt, known("#include NAME\n")).known);
  EXPECT_FALSE(provenance_of(std::nullopt, known("", {"-include", "a.h"})).known);
  EXPECT_TRUE(provenance_of(kNothing, known("", {"-include", "a.h"})).known);
  EXPECT_FALSE(provenance_of(std::nullopt, known("", {"-Iinc{N}"})).known);
  EXPECT_FALSE(provenance_of(kNothing, known("", {"--sysroot=/x"})).known);
  EXPECT_EQ(known("#include NAME\n").gap, "k.cu names an #include through a macro");
}

TEST_F(Sources, AnArtifactIsCurrentAsLongAsWhatItWasMadeFromIs) {
  write("inc/a.h", "int a;");
  const KnownSources by_macro = known("#include NAME\n");
  const Artifact artifact = opened({state("inc/a.h")});
  EXPECT_TRUE(is_current(artifact, by_macro, digests));
  write("a.h", "in front of the other");
  EXPECT_FALSE(is_current(artifact, by_macro, digests));
  fs::remove(root / "a.h");
  write("inc/a.h", "int b;");
  EXPECT_FALSE(is_current(artifact, by_macro, digests));
  EXPECT_FALSE(is_current(Artifact{}, by_macro, digests));
  EXPECT_TRUE(is_current(Artifact{}, known(""), digests));
}

// ---- names of artifacts -------------------------------------------------------------------------

CompileRequest request() {
  CompileRequest out;
  out.source = "__global__ void k() { int x = TUNE_BM + HELPER; }";
  out.source_name = "/nowhere/k.cu";
  out.entry = "k<TUNE_T>";
  out.arch = "sm_90";
  out.options = {"-O3", "-DEXTRA=TUNE_OPT"};
  out.symbols = {"table"};
  out.defines = {{"TUNE_BM", "64"},      {"TUNE_UNUSED", "1"}, {"HELPER", "TUNE_INDIRECT"},
                 {"TUNE_INDIRECT", "2"}, {"TUNE_T", "float"},  {"TUNE_OPT", "3"}};
  return out;
}

std::string key(const CompileRequest& of, const std::string& identity = "nvrtc 13.0") {
  return artifact_key(of, bundle_of(of), identity);
}

bool changes(const std::function<void(CompileRequest&)>& change) {
  CompileRequest other = request();
  change(other);
  return key(other) != key(request());
}

TEST(ArtifactKey, FollowsEverythingThatCanChangeTheImage) {
  EXPECT_EQ(key(request()), key(request()));
  EXPECT_NE(key(request(), "nvrtc 13.1"), key(request()));
  EXPECT_TRUE(changes([](auto& r) { r.source += "\n"; }));
  EXPECT_TRUE(changes([](auto& r) { r.source_name = "/there/k.cu"; }));
  EXPECT_TRUE(changes([](auto& r) { r.entry = "k<int>"; }));
  EXPECT_TRUE(changes([](auto& r) { r.arch = "sm_80"; }));
  EXPECT_TRUE(changes([](auto& r) { r.options.pop_back(); }));
  EXPECT_TRUE(changes([](auto& r) { std::swap(r.options[0], r.options[1]); }));
  EXPECT_TRUE(changes([](auto& r) { r.symbols.clear(); }));
  EXPECT_TRUE(changes([](auto& r) { r.then = {"finish"}; }));
  EXPECT_TRUE(changes([](auto& r) { r.defines[0].second = "32"; }));
}

TEST(ArtifactKey, LeavesOutDefinitionsThatNothingMentions) {
  EXPECT_FALSE(changes([](auto& r) { r.defines[1].second = "2"; }));
  EXPECT_FALSE(changes([](auto& r) { r.defines.erase(r.defines.begin() + 1); }));
  EXPECT_FALSE(changes([](auto& r) { r.defines.emplace_back("TUNE_MORE", "TUNE_BM"); }));
}

TEST(ArtifactKey, FollowsDefinitionsMentionedByEntryOptionsAndOtherDefinitions) {
  EXPECT_TRUE(changes([](auto& r) { r.defines[3].second = "5"; }));    // through HELPER
  EXPECT_TRUE(changes([](auto& r) { r.defines[4].second = "int"; }));  // in the entry
  EXPECT_TRUE(changes([](auto& r) { r.defines[5].second = "4"; }));    // in an option
}

// What they mention is not known here: the compiler says what it has read.
TEST(ArtifactKey, WithFurtherSourcesTakesAllDefinitionsAndWhatTheCompilerSays) {
  EXPECT_TRUE(changes([](auto& r) { r.units = {"/there/more.cu"}; }));
  CompileRequest linked = request();
  linked.units = {"/there/more.cu"};
  const std::string before = key(linked);
  EXPECT_EQ(cache_name(before, false), "");
  EXPECT_EQ(cache_name(before, true), before.substr(1));
  linked.defines[1].second = "2";
  EXPECT_NE(key(linked), before);
}

TEST(ArtifactKey, TakesAllDefinitionsWhereWordsArePasted) {
  CompileRequest pasting = request();
  pasting.source += "\n#define GLUE(a, b) a##b\n";
  CompileRequest other = pasting;
  other.defines[1].second = "2";
  EXPECT_NE(key(pasting), key(other));
}

TEST(ArtifactKey, FollowsMacrosWithArgumentsAndRepeatedDefinitions) {
  EXPECT_TRUE(changes([](auto& r) { r.defines.emplace_back("TUNE_BM(x)", "x"); }));
  EXPECT_TRUE(changes([](auto& r) { r.defines.emplace_back("TUNE_BM", "128"); }));
}

Reach reach(const std::string& source, const std::vector<std::string>& options = {}) {
  CompileRequest of = request();
  of.source += source;
  of.options = options;
  return reach_of(of, bundle_of(of));
}

TEST(ArtifactKey, SaysHowFarTheFilesReadAreKnown) {
  EXPECT_EQ(reach(""), Reach::kScanned);
  EXPECT_EQ(reach("\n#include TUNE_HEADER\n"), Reach::kReported);
  EXPECT_EQ(reach("\nasm(\".incbin 'x'\");\n"), Reach::kUnknown);
  EXPECT_EQ(reach("\nasm(\".in\" \"cbin 'x'\");\n"), Reach::kUnknown);
  EXPECT_EQ(reach("\nasm(\".IN\"\n  \"CBIN 'x'\");\n"), Reach::kUnknown);
  for (const char* forced : {"--pre-include=x.h", "-include", "-imacros", "@file"}) {
    EXPECT_EQ(reach("", {forced, "x.h"}), Reach::kReported) << forced;
  }
  for (const char* moved : {"--sysroot=/x", "-B/x", "-fplugin=x.so", "-specs=x", "-iwithprefix"}) {
    EXPECT_EQ(reach("", {"-O2", moved}), Reach::kUnknown) << moved;
  }
}

TEST(ArtifactKey, IncludeOptionsInTwoWordsBecomeOne) {
  EXPECT_EQ(joined_include_options({"-I", "a", "-O2", "--include-path", "b", "-Ic",
                                    "--include-path=d", "-isystem", "e", "-I"}),
            (std::vector<std::string>{"-Ia", "-O2", "--include-path=b", "-Ic", "--include-path=d",
                                      "-isysteme", "-I"}));
}

class KeyWithFiles : public Scratch {};

TEST_F(KeyWithFiles, FollowsHeadersFoundThroughOptions) {
  write("inc/a.h", "int a = 1;");
  CompileRequest r = request();
  r.source += "\n#include <a.h>\n";
  for (const auto& options : {std::vector<std::string>{"-I" + (root / "inc").string()},
                              {"-I", (root / "inc").string()},
                              {"--include-path=" + (root / "inc").string()},
                              {"--include-path", (root / "inc").string()},
                              {"-isystem", (root / "inc").string()},
                              {"-iquote" + (root / "inc").string()},
                              {"-idirafter", (root / "inc").string()}}) {
    r.options = options;
    write("inc/a.h", "int a = 1;");
    const std::string before = key(r);
    write("inc/a.h", "int a = 2;");
    EXPECT_NE(key(r), before) << options[0];
  }
}

}  // namespace
}  // namespace tuner
