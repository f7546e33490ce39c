// The options themselves. What writes a file, reads more options from one, loads a library or runs
// a program is in no table.

#include "tuner/resolve/option_table.h"

namespace tuner {
namespace {

using enum OptionTakes;
using enum MeansTo;

constexpr OptionRow kStudyRows[] = {
    // Preprocessor and language
    {"-D* --define-macro", kText, kAll},
    {"-U* --undefine-macro", kText, kAll},
    {"-I* --include-path --include-directory", kText, kAll},
    {"-isystem* -iquote* -idirafter* --system-include", kText, kCuda},
    {"-include --pre-include", kText, kCuda},
    {"-std --std", kWord, kCuda},
    {"-no-source-include --no-source-include", kNothing, kNvrtc},
    {"-restrict --restrict", kNothing, kDevice},
    {"-default-device --device-as-default-execution-space", kNothing, kNvrtc},
    {"-device-int128 --device-int128 -device-float128 --device-float128", kNothing, kNvrtc},
    {"-builtin-move-forward --builtin-move-forward", kSwitch, kNvrtc},
    {"-builtin-initializer-list --builtin-initializer-list", kSwitch, kNvrtc},
    {"-minimal --minimal", kNothing, kNvrtc},
    // Arithmetic
    {"-use_fast_math --use_fast_math", kNothing, kCuda},
    {"-fmad --fmad", kSwitch, kCuda},
    {"-ftz --ftz -prec-div --prec-div -prec-sqrt --prec-sqrt", kSwitch, kDevice},
    // Code of the device
    {"-arch --gpu-architecture", kWord, kDevice},
    {"-maxrregcount --maxrregcount", kNumber, kDevice},
    {"-extra-device-vectorization --extra-device-vectorization", kNothing, kDevice},
    {"-lineinfo --generate-line-info -G --device-debug", kNothing, kDevice},
    {"-dopt --dopt -Ofc --Ofast-compile", kWord, kDevice},
    {"-rdc --relocatable-device-code", kSwitch, kDevice},
    {"-dc --device-c -dw --device-w -ewp --extensible-whole-program", kNothing, kDevice},
    {"-modify-stack-limit --modify-stack-limit", kSwitch, kNvrtc},
    {"-device-stack-protector --device-stack-protector", kSwitch, kDevice},
    {"-jtd --jump-table-density -split-compile --split-compile", kNumber, kDevice},
    {"-no-cache --no-cache", kNothing, kNvrtc},
    {"-frandom-seed --frandom-seed", kWord, kDevice},
    {"-dQ --version-ident", kSwitch, kNvrtc},
    {"-Xptxas --ptxas-options", kPtxas, kDevice},
    {"-Xcudafe", kFrontEnd, kDevice},
    {"-Xnvvm", kOptimizer, kNvrtc},
    // Messages
    {"-w --disable-warnings", kNothing, kAll},
    {"-diag-suppress --diag-suppress -diag-warn --diag-warn", kWord, kDevice},
    {"-diag-error --diag-error", kWord, kDevice},
    {"-err-no --display-error-number -no-err-no --no-display-error-number", kNothing, kDevice},
    {"-brief-diag --brief-diagnostics", kSwitch, kDevice},
    {"-opt-info --optimization-info", kWord, kDevice},
    {"-Werror --Werror", kMaybeWord, kNobody},
    {"-W* --W*", kWarning, kNobody},
    // OpenCL's compilers
    {"-cl-std", kWord, kOpenCl},
    {"-cl-single-precision-constant -cl-denorms-are-zero -cl-opt-disable -cl-mad-enable", kNothing,
     kOpenCl},
    {"-cl-fp32-correctly-rounded-divide-sqrt -cl-no-signed-zeros", kNothing, kOpenCl},
    {"-cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math", kNothing, kOpenCl},
    {"-cl-uniform-work-group-size -cl-no-subgroup-ifp", kNothing, kOpenCl},
    {"-cl-nv-maxrregcount -cl-nv-opt-level", kNumber, kOpenCl},
    // The host's compiler
    {"-O0 -O1 -O2 -O3", kNothing, kHostCode},
    {"-march -mtune", kWord, kHostCompiler},
    {"-ffast-math -fno-fast-math -fno-finite-math-only", kNothing, kHostCompiler},
    {"-ffp-contract", kWord, kHostCompiler},
    {"-O", kMaybeWord, kNobody},
    {"-Os -Og -Ofast -g -g3 --debug -pthread -fopenmp -pipe", kNothing, kNobody},
    {"-mavx -mavx2 -mavx512f -mfma -msse4.1 -msse4.2 -m64 -pedantic -ansi", kNothing, kNobody},
    {"-fPIC -fpic -fPIE -fpie -fexceptions -fno-exceptions -frtti -fno-rtti -fpermissive", kNothing,
     kNobody},
    {"-fstrict-aliasing -fno-strict-aliasing -fno-math-errno -fno-trapping-math -fwrapv", kNothing,
     kNobody},
    {"-ffinite-math-only -fassociative-math -freciprocal-math -funsafe-math-optimizations",
     kNothing, kNobody},
    {"-fno-signed-zeros -fomit-frame-pointer -fno-omit-frame-pointer -finline-functions", kNothing,
     kNobody},
    {"-fno-inline -funroll-loops -fno-unroll-loops -ftree-vectorize -fno-tree-vectorize", kNothing,
     kNobody},
    {"-ftemplate-depth --ftemplate-depth", kNumber, kNvcc},
    {"-ftemplate-backtrace-limit --ftemplate-backtrace-limit", kNumber, kNvcc},
    {"-Xcompiler --compiler-options", kHost, kLauncher},
    // nvcc's own: NVRTC does it anyway, or it is about linking, host code and other devices
    {"-gencode --generate-code -code --gpu-code", kList, kNobody},
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr", kNothing, kNvcc},
    {"-extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda", kNothing,
     kNvcc},
    {"-x --x", kWord, kNobody},
    {"-m --machine -t --threads --optimize", kNumber, kNobody},
    {"-cudart --cudart -cudadevrt --cudadevrt -default-stream --default-stream", kWord, kNobody},
    {"-compress-mode --compress-mode", kWord, kNobody},
    {"-no-compress --no-compress -noeh --no-exceptions -res-usage --resource-usage", kNothing,
     kNobody},
    {"-src-in-ptx --source-in-ptx -keep-device-functions --keep-device-functions", kNothing,
     kNobody},
    {"-allow-unsupported-compiler --allow-unsupported-compiler -v --verbose", kNothing, kNobody},
    {"-l* --library", kWord, kLauncher},
    {"-L* --library-path", kText, kLauncher},
};

constexpr OptionRow kPtxasRows[] = {
    {"-v --verbose -w --disable-warnings -warn-spills --warn-on-spills", kNothing, kDevice},
    {"-warn-lmem-usage --warn-on-local-memory-usage", kNothing, kDevice},
    {"-warn-double-usage --warn-on-double-precision-use", kNothing, kDevice},
    {"-Werror --warning-as-error", kMaybeWord, kDevice},
    {"-O* --opt-level", kNumber, kDevice},
    {"-dlcm --def-load-cache -dscm --def-store-cache", kWord, kDevice},
    {"-flcm --force-load-cache -fscm --force-store-cache", kWord, kDevice},
    {"-allow-expensive-optimizations --allow-expensive-optimizations", kSwitch, kDevice},
    {"-fmad --fmad -pic --position-independent-code", kSwitch, kDevice},
    {"-device-stack-protector --device-stack-protector", kSwitch, kDevice},
    {"-maxrregcount --maxrregcount", kWord, kDevice},
    {"-func-maxrregcount --device-function-maxrregcount", kWord, kDevice},
    {"-regUsageLevel --register-usage-level -minnctapersm --minnctapersm", kNumber, kDevice},
    {"-maxntid --maxntid -split-compile --split-compile -m --machine", kNumber, kDevice},
    {"-arch --gpu-name -e --entry -Ofc --Ofast-compile", kWord, kDevice},
    {"-c --compile-only -g --device-debug -lineinfo --generate-line-info", kNothing, kDevice},
    {"-disable-optimizer-consts --disable-optimizer-constants -no-bb-merge", kNothing, kDevice},
    {"--dont-merge-basicblocks -ret-end --return-at-end -ewp --extensible-whole-program", kNothing,
     kDevice},
    {"-opt-fp-atomics --optimize-float-atomics -preserve-relocs --preserve-relocs", kNothing,
     kDevice},
    {"-sp-bounds-check --sp-bounds-check -suppress-debug-info --suppress-debug-info", kNothing,
     kDevice},
    {"-override-directive-values --override-directive-values", kNothing, kDevice},
    {"-suppress-stack-size-warning --suppress-stack-size-warning", kNothing, kDevice},
    {"-suppress-double-demote-warning --suppress-double-demote-warning", kNothing, kDevice},
    {"-make-errors-visible-at-exit --make-errors-visible-at-exit", kNothing, kDevice},
    {"-legacy-bar-warp-wide-behavior --legacy-bar-warp-wide-behavior", kNothing, kDevice},
};

constexpr OptionRow kFrontEndRows[] = {
    {"--diag_suppress --diag_warning --diag_error --diag_remark --diag_default", kWord, kDevice},
    {"--display_error_number --no_display_error_number", kNothing, kDevice},
};

constexpr OptionRow kOptimizerRows[] = {
    {"-opt -ftz -prec-div -prec-sqrt -fma", kNumber, kDevice},
};

bool is_end(std::string_view text, std::size_t at) {
  return at == text.size() || text[at] == ' ' || text[at] == '=';
}

}  // namespace

const std::span<const OptionRow> kStudyOptions{kStudyRows};

std::span<const OptionRow> passed_on_options(OptionTakes to) {
  if (to == kPtxas) return kPtxasRows;
  if (to == kFrontEnd) return kFrontEndRows;
  if (to == kOptimizer) return kOptimizerRows;
  return kStudyRows;
}

FoundOption find_option(std::span<const OptionRow> rows, std::string_view text) {
  FoundOption found;
  for (const OptionRow& row : rows) {
    std::string_view rest = row.names;
    while (!rest.empty()) {
      std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : name.size());
      const bool joins = name.back() == '*';
      if (joins) name.remove_suffix(1);
      if (name.size() <= found.length || !text.starts_with(name)) continue;
      if (joins || is_end(text, name.size())) found = {&row, name.size(), joins};
    }
  }
  return found;
}

}  // namespace tuner
