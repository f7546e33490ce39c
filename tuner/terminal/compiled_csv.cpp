// Writes what compiling each variant came to, a line each.

#include "tuner/terminal/compiled_csv.h"

#include <fmt/format.h>

#include "tuner/exporters/csv.h"

namespace tuner {
namespace {

std::string number(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

}  // namespace

std::string compiled_header(const std::vector<Parameter>& parameters) {
  return "arch," + csv_header(parameters) +
         ",state,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,"
         "compile_ms,message\n";
}

std::string compiled_line(const std::string& arch, const CheckedVariant& one) {
  return fmt::format("{},{},{},{},{},{},{},{},{:.1f},{}\n", arch, csv_row(one.configuration),
                     one.state, number(one.resources.registers),
                     number(one.resources.static_shared_bytes), one.geometry.dynamic_shared_bytes,
                     number(one.resources.spill_bytes),
                     one.occupancy < 0 ? "" : fmt::format("{:.3f}", one.occupancy),
                     one.milliseconds, csv_field(one.message));
}

}  // namespace tuner
