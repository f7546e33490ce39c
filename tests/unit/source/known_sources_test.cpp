#include "tuner/source/known_sources.h"

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

}  // namespace
}  // namespace tuner
