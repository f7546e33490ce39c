#include "tuner/apply/module_variables.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tuner {
namespace {

// An ELF file with one section of bytes and one variable in it.
std::string image_with(const std::string& section, const std::string& variable,
                       const std::string& bytes) {
  std::string names = std::string("\0.shstrtab\0.strtab\0.symtab\0", 27) + section + '\0';
  const std::string strings = '\0' + variable + '\0';
  Elf64_Sym symbol{};
  symbol.st_name = 1;
  symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
  symbol.st_shndx = 4;
  symbol.st_size = bytes.size();
  std::string out(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> table(5);
  const auto add = [&](std::size_t i, unsigned type, std::size_t name,
                       const std::string& contents) {
    table[i].sh_type = type;
    table[i].sh_name = static_cast<Elf64_Word>(name);
    table[i].sh_offset = out.size();
    table[i].sh_size = contents.size();
    out += contents;
  };
  add(1, SHT_STRTAB, 1, names);
  add(2, SHT_STRTAB, 11, strings);
  add(3, SHT_SYMTAB, 19, std::string(reinterpret_cast<const char*>(&symbol), sizeof symbol));
  table[3].sh_link = 2;
  add(4, section == ".nv.global" ? SHT_NOBITS : SHT_PROGBITS, 27, bytes);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_shoff = out.size();
  head.e_shnum = 5;
  head.e_shstrndx = 1;
  std::memcpy(out.data(), &head, sizeof head);
  out.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Elf64_Shdr));
  return out;
}

TEST(ModuleVariables, ThatBeginWithZerosAreTheProgramsToSet) {
  const std::string zeros(8, '\0'), ones(8, '\1');
  EXPECT_EQ(unset_variable(image_with(".nv.constant3", "scale", zeros)), "scale");
  // Variables of libraries.
  for (const char* name : {"_ZN4cuda3std3__45__cpo5beginE", "_ZN4cuda3__420memory_order_relaxedE",
                           "_ZNSt14numeric_limitsIbE9is_signedE"}) {
    EXPECT_EQ(unset_variable(image_with(".nv.global", name, zeros)), "") << name;
  }
  EXPECT_EQ(unset_variable(image_with(".nv.global", "calls", zeros)), "calls");
  EXPECT_EQ(unset_variable(image_with(".nv.constant3", "table", ones)), "");
  EXPECT_EQ(unset_variable(image_with(".nv.global.init", "begun", ones)), "");
  EXPECT_EQ(unset_variable(image_with(".nv.constant4", "made", zeros)), "");
  EXPECT_EQ(unset_variable(image_with(".nv.constant3", "$made", zeros)), "");
}

TEST(ModuleVariables, OfWhatIsNoWholeImageAreNone) {
  const std::string whole = image_with(".nv.constant3", "scale", std::string(8, '\0'));
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7) {
    unset_variable(whole.substr(0, bytes));
  }
  EXPECT_EQ(unset_variable("no ELF file"), "");
  EXPECT_EQ(unset_variable(""), "");
}

}  // namespace
}  // namespace tuner
