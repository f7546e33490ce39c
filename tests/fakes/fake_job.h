#pragma once
// The ranks of a job as threads of the test: what one sends lies in the other's inbox.

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/remote/link.h"

namespace tuner {

class FakeJob {
 public:
  explicit FakeJob(unsigned count) : count_(count) {}

  std::unique_ptr<RankLink> link(unsigned rank) { return std::make_unique<Link>(*this, rank); }
  // From now on nobody hears of this rank, and it hears of nobody.
  void cut_off(unsigned rank) {
    const std::scoped_lock lock(mutex_);
    cut_off_.insert(rank);
  }
  void connect(unsigned rank) {
    const std::scoped_lock lock(mutex_);
    cut_off_.erase(rank);
  }
  // How many have left in order.
  std::size_t left() {
    const std::scoped_lock lock(mutex_);
    return left_;
  }

 private:
  class Link final : public RankLink {
   public:
    Link(FakeJob& job, unsigned rank) : job_(job), rank_(rank) {}
    unsigned rank() const override { return rank_; }
    unsigned count() const override { return job_.count_; }
    std::string node() const override { return "node" + std::to_string(rank_); }
    bool send(unsigned rank, const std::string& bytes) override {
      const std::scoped_lock lock(job_.mutex_);
      if (job_.cut_off_.contains(rank_) || job_.cut_off_.contains(rank)) return true;
      job_.inboxes_[rank].push_back({rank_, bytes});
      return true;
    }
    std::optional<Message> receive() override {
      const std::scoped_lock lock(job_.mutex_);
      auto& inbox = job_.inboxes_[rank_];
      if (inbox.empty()) return std::nullopt;
      Message message = std::move(inbox.front());
      inbox.pop_front();
      return message;
    }
    bool is_sending() const override { return false; }
    void finish() override {
      const std::scoped_lock lock(job_.mutex_);
      ++job_.left_;
    }

   private:
    FakeJob& job_;
    unsigned rank_;
  };

  std::mutex mutex_;
  unsigned count_;
  std::map<unsigned, std::deque<RankLink::Message>> inboxes_;
  std::set<unsigned> cut_off_;
  std::size_t left_ = 0;
};

}  // namespace tuner
