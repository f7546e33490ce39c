// Makes a plugin's strategy, exporter, problem or observer look like its port.

#include "tuner/plugin/adapters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/base/error.h"
#include "tuner/plugin/space_table.h"

namespace tuner {
namespace {

// ---- strategy -----------------------------------------------------------------------------------

class PluginStrategy : public Strategy {
 public:
  PluginStrategy(PluginObject<tuner_strategy> object, const std::string& name,
                 std::unique_ptr<tuner_space> space)
      : name_(name), space_(std::move(space)), object_(std::move(object)) {}

  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<tuner_index> asked(count);
    StringSink error;
    const std::int64_t written = object_->ask(object_->self, count, asked.data(), error.sink());
    if (written < 0 || static_cast<std::uint64_t>(written) > count) fail("ask", error.text);
    std::vector<ConfigIndex> out;
    for (std::int64_t i = 0; i < written; ++i) {
      out.push_back(sdk::from_abi(asked[static_cast<std::size_t>(i)]));
      if (out.back() >= sdk::from_abi(space_->size)) {
        fail("ask", "proposed a configuration outside the space");
      }
    }
    return out;
  }

  void tell(const Observation& from) override {
    const tuner_observation observation{sizeof(tuner_observation), from.state,
                                        sdk::to_abi(from.index),   from.objectives.data(),
                                        from.objectives.size(),    from.cost_seconds,
                                        from.compile_seconds};
    call("tell", object_->tell, &observation);
  }

  void learn(const Prior& from) override {
    std::vector<tuner_prior_result> results;
    for (const PriorResult& one : from.results) {
      results.push_back({sdk::to_abi(one.index), one.loss});
    }
    const tuner_prior prior{sizeof(tuner_prior), from.likeness, results.data(), results.size()};
    call("prior", object_->prior, &prior);
  }

  void notice(const MachineState& from) override {
    std::vector<tuner_under_way> under_way;
    for (const UnderWay& one : from.under_way) {
      under_way.push_back({sdk::to_abi(one.index), static_cast<std::uint32_t>(one.stage), 0,
                           one.seconds, one.in_stage});
    }
    const tuner_machine machine{sizeof(tuner_machine),
                                static_cast<std::uint32_t>(from.compile_workers),
                                from.compilers_busy,
                                from.device_busy,
                                from.evaluations_left,
                                from.seconds_left,
                                under_way.data(),
                                under_way.size(),
                                static_cast<std::uint32_t>(from.devices),
                                0};
    call("machine", object_->machine, &machine);
  }

  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override {
    if (object_->order == nullptr) return compiled;
    std::vector<tuner_index> indices;
    for (const ConfigIndex index : compiled) indices.push_back(sdk::to_abi(index));
    call("order", object_->order, indices.data(), indices.size());
    std::ranges::transform(indices, compiled.begin(), sdk::from_abi);
    return compiled;
  }

 private:
  template <typename Function, typename... Arguments>
  void call(const char* what, Function* function, Arguments... arguments) const {
    const auto failure = failure_of(function, object_->self, arguments...);
    if (failure) fail(what, *failure);
  }

  [[noreturn]] void fail(const char* call, const std::string& message) const {
    throw FatalError("strategy '" + name_ + "', " + call + ": " +
                     (message.empty() ? "failed without a reason" : message));
  }

  std::string name_;
  std::unique_ptr<tuner_space> space_;  // which the object refers to
  PluginObject<tuner_strategy> object_;
};

// ---- exporter -----------------------------------------------------------------------------------

class PluginExporter : public Exporter {
 public:
  PluginExporter(PluginItem item, OptionList options, ResultsDocument document)
      : item_(std::move(item)), options_(std::move(options)), document_(std::move(document)) {}

  std::vector<ExportedFile> write(const Study& study, const std::vector<RankedResults>& results,
                                  const std::string& output) override {
    const std::string document = document_(study, results);
    const std::vector<tuner_pair> pairs = abi_pairs(options_);
    StringSink out;
    StringSink error;
    const auto& factory = item_.factory_as<tuner_exporter_factory>();
    if (factory.write(item_.number, pairs.data(), pairs.size(), to_abi(document), out.sink(),
                      error.sink()) != TUNER_OK) {
      throw FatalError("exporter '" + item_.name + "': " + error.text);
    }
    return {{output, std::move(out.text)}};
  }

 private:
  PluginItem item_;
  OptionList options_;
  ResultsDocument document_;
};

// ---- problem ------------------------------------------------------------------------------------

using Data = std::vector<std::byte>;

std::uint64_t bytes_of(const ProblemArray& array) { return array.elements * size_of(array.type); }

// A view of `array`.
tuner_array abi_array(const ProblemArray& array) {
  return {to_abi(array.name),
          static_cast<std::uint32_t>(array.type),
          static_cast<std::uint32_t>(array.extents.size()),
          array.extents.data(),
          array.elements,
          array.data.empty() ? nullptr : array.data.data()};
}

class PluginProblem : public Problem {
 public:
  PluginProblem(PluginObject<tuner_problem> object, std::string who)
      : object_(std::move(object)), who_(std::move(who)) {}

  Expected<Data, std::string> fill(std::uint32_t set, const ProblemArray& input) override {
    const tuner_array array = abi_array(input);
    Data data(bytes_of(input));
    const auto failure = failure_of(object_->fill, object_->self, set, &array, data.data());
    if (failure) return Unexpected{who_ + ", fill: " + *failure};
    return data;
  }

  Expected<Data, std::string> answer(std::uint32_t set, const std::vector<ProblemArray>& inputs,
                                     const ProblemArray& output) override {
    std::vector<tuner_array> arrays;
    for (const ProblemArray& one : inputs) arrays.push_back(abi_array(one));
    const tuner_array array = abi_array(output);
    Data data(bytes_of(output));
    const auto failure = failure_of(object_->answer, object_->self, set, arrays.data(),
                                    arrays.size(), &array, data.data());
    if (failure) return Unexpected{who_ + ", answer: " + *failure};
    return data;
  }

  Expected<Judgement, std::string> judge(std::uint32_t set, const ProblemArray& actual,
                                         const ProblemArray& expected) override {
    const tuner_array left = abi_array(actual);
    const tuner_array right = abi_array(expected);
    tuner_judgement judgement{sizeof(tuner_judgement), 0, 0};
    StringSink why;
    const auto failure =
        failure_of(object_->judge, object_->self, set, &left, &right, &judgement, why.sink());
    if (failure) return Unexpected{who_ + ", judge: " + *failure};
    const bool is_number = !std::isnan(judgement.error);
    return Judgement{judgement.right != 0,
                     is_number ? judgement.error : std::numeric_limits<double>::infinity(),
                     std::move(why.text)};
  }

 private:
  PluginObject<tuner_problem> object_;
  std::string who_;
};

// ---- observer -----------------------------------------------------------------------------------

class PluginObserver : public Observer {
 public:
  PluginObserver(PluginObject<tuner_observer> object, std::string who, std::size_t value_count,
                 ObservedMetrics metrics)
      : object_(std::move(object)),
        who_(std::move(who)),
        value_count_(value_count),
        metrics_(std::move(metrics)) {}

  std::uint32_t launches() const override { return object_->launches; }

  std::optional<std::string> begin(const Observed& variant) override {
    const tuner_observed seen = abi_observed(variant);
    const auto failure = failure_of(object_->begin, object_->self, &seen);
    if (failure) return who_ + ", begin: " + *failure;
    return std::nullopt;
  }

  Expected<Metrics, std::string> end(const Observed& variant) override {
    const tuner_observed seen = abi_observed(variant);
    std::vector<double> values(value_count_, std::numeric_limits<double>::quiet_NaN());
    const auto failure =
        failure_of(object_->end, object_->self, &seen, values.data(), values.size());
    if (failure) return Unexpected{who_ + ", end: " + *failure};
    Metrics out;
    for (const auto& [metric, place] : metrics_) {
      if (std::isfinite(values.at(place))) out.emplace_back(metric, values[place]);
    }
    return out;
  }

 private:
  tuner_observed abi_observed(const Observed& from) const {
    const Resources& used = from.resources;
    const LaunchGeometry& shape = from.geometry;
    return {sizeof(tuner_observed),
            object_->launches,
            to_abi(from.device.backend),
            to_abi(from.device.name),
            to_abi(from.device.arch),
            to_abi(from.artifact.image),
            to_abi(from.artifact.entry),
            {used.registers, used.static_shared_bytes, used.constant_bytes, used.local_bytes,
             used.spill_bytes, used.max_threads},
            {shape.grid[0], shape.grid[1], shape.grid[2]},
            {shape.block[0], shape.block[1], shape.block[2]},
            shape.dynamic_shared_bytes,
            from.milliseconds.data(),
            from.milliseconds.size()};
  }

  PluginObject<tuner_observer> object_;
  std::string who_;
  std::size_t value_count_;
  ObservedMetrics metrics_;
};

}  // namespace

Expected<std::unique_ptr<Strategy>, std::string> make_plugin_strategy(
    const PluginItem& item, const tuner_space& space, std::uint64_t seed, const Budget& budget,
    const OptionList& options, std::size_t objectives) {
  auto own_space = std::make_unique<tuner_space>(space);
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  const tuner_strategy_setup setup{sizeof(tuner_strategy_setup),
                                   static_cast<std::uint32_t>(objectives),
                                   own_space.get(),
                                   seed,
                                   static_cast<double>(budget.evaluations.value_or(0)),
                                   budget.seconds.value_or(0),
                                   pairs.data(),
                                   pairs.size()};
  auto made = made_by<tuner_strategy>([&](tuner_strategy* out, tuner_sink error) {
    return item.factory_as<tuner_strategy_factory>().create(item.number, &setup, out, error);
  });
  if (!made) return Unexpected{made.error()};
  if (!is_whole(**made, (*made)->destroy, (*made)->ask, (*made)->tell, (*made)->prior,
                (*made)->machine)) {
    return Unexpected{std::string("its table is too short for this program")};
  }
  return std::unique_ptr<Strategy>(
      std::make_unique<PluginStrategy>(std::move(*made), item.name, std::move(own_space)));
}

std::unique_ptr<Exporter> make_plugin_exporter(const PluginItem& item, OptionList options,
                                               ResultsDocument document) {
  return std::make_unique<PluginExporter>(item, std::move(options), std::move(document));
}

Expected<std::string, std::string> ask_plugin_advisor(const PluginItem& item,
                                                      const OptionList& options,
                                                      const std::string& question) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  StringSink out;
  StringSink error;
  const auto& factory = item.factory_as<tuner_advisor_factory>();
  const int status = factory.propose(item.number, pairs.data(), pairs.size(), to_abi(question),
                                     out.sink(), error.sink());
  if (status != TUNER_OK) return Unexpected{error.text};
  return std::move(out.text);
}

Expected<std::unique_ptr<Problem>, std::string> make_plugin_problem(
    const PluginItem& item, const OptionList& options,
    const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  std::vector<tuner_extent> sizes;
  for (const auto& [dimension, extent] : extents) sizes.push_back({to_abi(dimension), extent});
  const tuner_problem_setup setup{sizeof(tuner_problem_setup), pairs.data(), pairs.size(),
                                  sizes.data(), sizes.size()};
  const std::string who = "problem '" + item.name + "'";
  auto made = made_by<tuner_problem>([&](tuner_problem* out, tuner_sink error) {
    return item.factory_as<tuner_problem_factory>().create(item.number, &setup, out, error);
  });
  if (!made) return Unexpected{who + ": " + made.error()};
  if (!is_whole(**made, (*made)->destroy, (*made)->fill, (*made)->answer, (*made)->judge)) {
    return Unexpected{who + ": its table is not whole"};
  }
  return std::unique_ptr<Problem>(std::make_unique<PluginProblem>(std::move(*made), who));
}

Expected<std::unique_ptr<Observer>, std::string> make_plugin_observer(const PluginItem& item,
                                                                      const OptionList& options,
                                                                      ObservedMetrics metrics) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  const std::string who = "observer '" + item.name + "'";
  auto made = made_by<tuner_observer>([&](tuner_observer* out, tuner_sink error) {
    return item.factory_as<tuner_observer_factory>().create(item.number, pairs.data(), pairs.size(),
                                                            out, error);
  });
  if (!made) return Unexpected{who + ": " + made.error()};
  if (!is_whole(**made, (*made)->destroy, (*made)->begin, (*made)->end)) {
    return Unexpected{who + ": its table is not whole"};
  }
  return std::unique_ptr<Observer>(std::make_unique<PluginObserver>(
      std::move(*made), who, item.values.size(), std::move(metrics)));
}

}  // namespace tuner
