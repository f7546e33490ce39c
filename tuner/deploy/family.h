#pragma once
// One function over the launchers of several kernels that compute the same: it chooses the kernel,
// and the kernel's launcher the configuration (docs/export-launcher.md).

#include <string>
#include <vector>

#include "tuner/deploy/launcher.h"

namespace tuner {

struct FamilyMember {
  const Study* study = nullptr;
  std::string stem;       // of its launcher's files, which lie beside the family's header
  TunedTable table;       // that this launcher was made of
  bool is_sized = false;  // its kernel is compiled for each size that was tuned
};

struct FamilyOptions {
  std::string stem;                 // the header is <stem>.hpp, the function is called so
  std::string generator = "tuner";  // name and version, for the first line
};

struct Family {
  std::string header;
  std::string notes;  // lines for the user: where the choice is not a measured one
};

// Throws InputError, with the place in the study, for members that are not one function: other
// arguments, other extents of them, another objective; and for two kernels of one name. Dimensions
// are matched by their names, or by the order in which the functions take them where the names
// differ. Of the tables the first entries count, and of the stems nothing.
void check_family(const std::vector<FamilyMember>& members);

// Throws InputError as check_family() does.
Family export_family(const std::vector<FamilyMember>& members, const FamilyOptions& options);

}  // namespace tuner
