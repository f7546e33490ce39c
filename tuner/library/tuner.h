#pragma once
// Tuning from within a program: the interface of libtuner. It prints nothing, handles no signals,
// and keeps no state but in these objects: several may be at work in one process. Functions throw
// Error, whose text names the fault and what is allowed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#define TUNER_LIBRARY __attribute__((visibility("default")))

namespace libtuner {

class TUNER_LIBRARY Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Value = std::variant<bool, std::int64_t, double, std::string>;
using Configuration = std::vector<std::pair<std::string, Value>>;  // parameter, value
using Options = std::vector<std::pair<std::string, std::string>>;  // name, value

// One configuration that was measured, or why it could not be.
struct Trial {
  Configuration configuration;
  std::string state;      // "ok", "compile", ...: docs/contract.md
  double time_ms = 0;     // median; 0 when it failed
  double objective = 0;   // in seconds for "time", else in the metric's own unit
  std::string message{};  // why it failed
};

// Folders of the plugins and of the program itself; by default those of the installation that this
// library is a part of.
struct Installation {
  std::string prefix{};                    // empty: the folder above this library's
  std::vector<std::string> plugin_dirs{};  // looked through first
};

struct RunSettings {
  std::string backend = "auto";  // auto: the study's, else the first that works
  Options backend_options{};
  std::string strategy{};  // empty: the study's, else the program's choice
  Options strategy_options{};
  std::uint64_t seed = 1;
  std::uint64_t evaluations = 0;  // for each size; with seconds 0, too: the study's budget
  double seconds = 0;
  std::string results = "results";  // the folder of the store, which an earlier run may have filled
  unsigned jobs = 1;                // compile workers
  Installation installation{};
};

// Functions that are called during a run; each may be empty. The thread that called run() calls
// them.
struct Listener {
  std::function<void(const std::string& text)> note{};
  std::function<void(const Trial& trial, double seconds)> trial{};
  std::function<bool()>
      stop{};  // asked after each trial: true ends the run, which keeps what it has
};

// The results of one device and problem size, best first; failures follow.
struct Ranking {
  std::string device, size;
  std::vector<Trial> trials;
};

class Study;

// Tunes every size of the study, as `tuner run` does: children of the installed program compile and
// measure. Returns what came of each size, the best first.
TUNER_LIBRARY std::vector<Ranking> run(const Study& study, const RunSettings& settings = {},
                                       const Listener& listener = {});

// Returns the results that are stored in a folder, as `tuner export` writes them in a format that
// is a single file: json, csv, header, ...
TUNER_LIBRARY std::string exported(const Study& study, const std::string& folder,
                                   const std::string& format);

// A study file, read and checked: YAML, or a T1 benchmark.
class TUNER_LIBRARY Study {
 public:
  static Study load(const std::string& path);
  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  std::vector<std::string> sizes() const;     // "M=1024,N=1024", as search and run take them
  std::vector<std::string> warnings() const;  // what is allowed and probably not meant

 private:
  friend class Search;
  friend class Tuning;
  friend std::vector<Ranking> run(const Study&, const RunSettings&, const Listener&);
  friend std::string exported(const Study&, const std::string&, const std::string&);
  Study();
  struct State;
  std::unique_ptr<State> state_;
};

struct SearchSettings {
  std::string size{};      // of the study's; empty: its first
  std::string strategy{};  // empty: the study's, else the program's choice
  Options options{};       // of the strategy, when it is named here
  std::uint64_t seed = 1;
  std::uint64_t evaluations = 0;  // what the strategy may count on; 0: not limited
  Installation installation{};
};

// A search whose caller measures: it proposes configurations and takes their values. Not for
// several threads at once.
class TUNER_LIBRARY Search {
 public:
  explicit Search(const Study& study, const SearchSettings& settings = {});
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;

  struct Question {
    std::uint64_t number = 0;  // names it in tell() and fail()
    Configuration configuration;
  };
  // Returns how many configurations there are.
  std::uint64_t size() const;
  // Returns up to `count` configurations. None while answers are outstanding: call tell() first;
  // none otherwise: the search is done.
  std::vector<Question> ask(std::size_t count = 1);
  // Takes the value, to be minimised; if it is no finite number, the configuration failed.
  // `seconds`: what it took to find out, if that counts.
  void tell(std::uint64_t question, double value, double seconds = 0);
  void fail(std::uint64_t question);

  struct Answer {
    Configuration configuration;
    double value = 0;
  };
  std::optional<Answer> best() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A piece of the application's memory, for one of the study's arguments.
struct Buffer {
  std::string argument;
  void* data = nullptr;  // as a kernel is given it: device memory, of the device's primary context
  std::size_t bytes = 0;
  bool on_host = false;  // instead: memory of the host, which add() reads
};
using Buffers = std::vector<Buffer>;

struct TuningSettings {
  std::string backend = "auto";  // as in RunSettings
  Options backend_options{};
  unsigned device = 0;
  std::string strategy{};  // as in RunSettings
  Options strategy_options{};
  std::uint64_t seed = 1;
  std::uint64_t evaluations = 0;    // for each size; 0: the study's budget, else 200
  std::string results = "results";  // as in RunSettings
  unsigned jobs = 1;                // compile workers
  Installation installation{};
  // When given, the application itself launches a configuration, once, waits for its end, and
  // returns the milliseconds that it took; nothing: the library measures by its own clock.
  // Exceptions mark the configuration as failed, wrong answers among the reasons, and their text is
  // the reason. The study's kernel and its backend then have no part in it, and nothing is stored.
  std::function<std::optional<double>(const std::string& size, const Configuration&)> launch{};
};

// How far a tuning has come.
struct Progress {
  bool done = false;         // all sizes are tuned
  bool waiting = false;      // for a compiler, or for bookkeeping: there was nothing to do now
  std::uint64_t trials = 0;  // of all sizes
};

// Tunes in the idle time of a program, in its own process: sizes are added as they occur, step()
// goes on with the first that is not tuned yet, and what is best so far is there all the while.
// Compilers, the strategy and the store work in the background, on processes and a thread of their
// own; what uses the device, and what the application is called for, happens within step() alone.
// best() may be called by several threads at once and while another function is at work, the others
// by one thread at a time.
class TUNER_LIBRARY Tuning {
 public:
  explicit Tuning(const Study& study, const TuningSettings& settings = {});
  ~Tuning();
  Tuning(Tuning&&) noexcept;
  Tuning& operator=(Tuning&&) noexcept;

  // A size to be tuned, such as "M=512,N=64"; one that is there already stays as it is. Arguments
  // that kernels read begin with what `data` holds now, which is copied, and else with what the
  // study fills them with. Data for what is only written are passed over.
  void add(const std::string& size, const Buffers& data = {});
  // Works for as long as that, and as much longer as one launch, or one loading of a kernel, takes;
  // returns earlier when there is nothing to do now. Throws what has gone wrong in the background,
  // once for each size.
  Progress step(double milliseconds);

  struct Choice {
    Configuration configuration;
    double time_ms = 0;
    bool tuned = false;  // the size's search has ended
  };
  // The best known right configuration of a size; nothing until there is one.
  std::optional<Choice> best(const std::string& size) const;
  // Launches it on the application's memory, which must hold every argument that is a buffer, save
  // scratch and workspaces, and waits for its end. False, and nothing done, until there is one that
  // is ready.
  bool launch(const std::string& size, const Buffers& buffers);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace libtuner
