// Which ranks may work together, and what each has of its node.

#include "tuner/remote/handshake.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

RankFacts rank_0() {
  return {"1.0", "abcdefghij", "node0", 8, "0,1", {{"cuda", "1"}, {"cpu", "1"}, {"physics", "3"}},
          ""};
}

std::string why(const RankFacts& other) {
  const NeededPlugins plugins{{"physics"}, {"physics", "cuda", "cpu"}};
  return refusal(rank_0(), other, plugins).value_or("takes part");
}

TEST(Handshake, LetsInWhoIsLikeRankZero) {
  RankFacts other = rank_0();
  other.node = "node1";
  other.cores = 1;
  EXPECT_EQ(why(other), "takes part");
  other.plugins.erase("cuda");
  other.plugins["more"] = "7";
  EXPECT_EQ(why(other), "takes part") << "the study does not need them";
}

TEST(Handshake, SaysWhatIsWrongWithARank) {
  RankFacts other = rank_0();
  other.build = "zyxwvutsrq";
  EXPECT_EQ(why(other),
            "it runs tuner 1.0 (build zyxwvuts), rank 0 1.0 (build abcdefgh): start the same "
            "program on all ranks");
  other = rank_0();
  other.plugins.erase("physics");
  EXPECT_EQ(why(other), "it has no plugin 'physics', which the study needs");
  other = rank_0();
  other.plugins["cuda"] = "2";
  EXPECT_EQ(why(other), "its plugin 'cuda' is of version 2, that of rank 0 of 1");
}

TEST(Handshake, ARankThatSeesOtherFilesIsLeftOut) {
  const ScratchFolder folder;
  const std::string header = (folder.path() / "tile.cuh").string();
  std::ofstream(header) << "int tile;";
  const SharedFiles files = shared_files({header, (folder.path() / "missing").string()});
  EXPECT_EQ(files.folder, std::filesystem::current_path().string());
  EXPECT_EQ(files.states.size(), 1U) << "what rank 0 does not see need not be there";
  EXPECT_EQ(enter(nlohmann::json(files).get<SharedFiles>()), "");
  std::ofstream(header) << "int two;";
  EXPECT_EQ(enter(files), header);
  RankFacts other = rank_0();
  other.unseen = header;
  EXPECT_EQ(why(other), "it does not see " + header +
                            " as rank 0 does: ranks need a file system that they share");
}

TEST(Handshake, ARankWorksInTheFolderOfRankZero) {
  const std::filesystem::path before = std::filesystem::current_path();
  const ScratchFolder folder;
  std::ofstream(folder.path() / "x.bin") << "x";
  std::filesystem::current_path(folder.path());
  const SharedFiles files = shared_files({"x.bin"});
  std::filesystem::current_path(before);
  EXPECT_EQ(enter(files), "");
  EXPECT_TRUE(std::filesystem::equivalent(std::filesystem::current_path(), folder.path()));
  std::filesystem::current_path(before);
  EXPECT_EQ(enter({(folder.path() / "missing").string(), {}}),
            (folder.path() / "missing").string());
}

TEST(Handshake, RanksThatMayUseTheSameCoresDivideThem) {
  RankFacts bound = rank_0();
  bound.affinity = "2,3";
  RankFacts away = rank_0();
  away.node = "node1";
  const std::vector<RankFacts> all{rank_0(), rank_0(), rank_0(), bound, away};
  EXPECT_EQ(own_cores(all, 0), 2U);
  EXPECT_EQ(own_cores(all, 3), 8U);
  EXPECT_EQ(own_cores(all, 4), 8U);
  EXPECT_EQ(own_cores(std::vector<RankFacts>(9, rank_0()), 8), 1U);
}

TEST(Handshake, FactsArriveAsTheyWereSent) {
  const nlohmann::json sent = rank_0();
  const Envelope envelope = unsealed(sealed({Topic::kFacts, 0x01020304, body_of(sent)}));
  EXPECT_EQ(envelope.topic, Topic::kFacts);
  EXPECT_EQ(envelope.worker, 0x01020304U);
  EXPECT_EQ(document_of(envelope), sent);
  EXPECT_EQ(nlohmann::json(document_of(envelope).get<RankFacts>()), sent);
}

TEST(Handshake, NonsenseIsRefused) {
  EXPECT_THROW(unsealed("abc"), ProtocolError);
  EXPECT_THROW(unsealed(std::string("\xFF\0\0\0\0", 5)), ProtocolError);
  EXPECT_THROW(document_of({Topic::kFacts, 0, "TNRF"}), ProtocolError);
}

}  // namespace
}  // namespace tuner
