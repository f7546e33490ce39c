#!/usr/bin/env python3
"""The examples of examples/plugins are built against an installation with each compiler that is there,
export one symbol, and are used in a real run: the strategy tunes a program of the host, the exporter
writes what was found, and the problem and the observer fill, judge and observe a
kernel on the CPU, or on another --backend."""

import argparse
import csv
import io
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

OPTIONS = None
COMPILERS = ("g++", "clang++")


def call(*words, cwd=None, status=0):
    """What the command prints; its exit status must be as expected."""
    environment = {key: value for key, value in os.environ.items() if key != "TUNER_PLUGIN_PATH"}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, text=True,
                          capture_output=True)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="tuner-sdk-"))
        cls.prefix = OPTIONS.prefix
        if cls.prefix is None:
            cls.prefix = cls.folder / "prefix"
            call("cmake", "--install", OPTIONS.build, "--prefix", cls.prefix)
        cls.tuner = cls.prefix / "bin/tuner"
        cls.backend = ("--backend", OPTIONS.backend)
        backends = call(cls.tuner, "list", "backends").stdout.split("\n")
        if not any(line.split()[:2] == [OPTIONS.backend, "works,"] for line in backends):
            shutil.rmtree(cls.folder)
            raise unittest.SkipTest(f"{OPTIONS.backend} does not work here")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def built(self, compiler):
        """The folder with the examples, as this compiler makes them."""
        if shutil.which(compiler) is None:
            self.skipTest(f"no {compiler}")
        build = self.folder / compiler
        if not build.exists():
            call("cmake", "-S", OPTIONS.examples, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
            call("cmake", "--build", build)
            for name in ("transpose.yaml", "transpose.cpp", "spmv.yaml", "spmv.cu"):
                shutil.copy(Path(OPTIONS.examples) / name, build)
        return build

    def test_the_header_is_c11_and_cpp20(self):
        for language, standard in (("c", "c11"), ("c++", "c++20")):
            call("g++" if language == "c++" else "gcc", f"-std={standard}", "-Wall", "-Wextra",
                 "-Wpedantic", "-Werror", "-fsyntax-only", "-I", self.prefix / "include", "-include",
                 "tuner/plugin/abi.h", "-x", language, "/dev/null")

    def test_the_pages_that_the_program_names_are_installed(self):
        share = self.prefix / "share/tuner"
        draft = call(self.tuner, "init", share / "examples/saxpy/saxpy.cu", "-o", "-").stdout
        named = set(re.findall(r"docs/[a-z0-9-]+\.md", draft))
        self.assertIn("docs/study-file.md", named)
        for program in (self.tuner, *(self.prefix / "lib/tuner/plugins").iterdir()):
            named |= {page.decode() for page in re.findall(rb"docs/[a-z0-9-]+\.md", program.read_bytes())}
        self.assertGreater(len(named), 1, named)
        self.assertEqual([page for page in sorted(named) if not (share / page).is_file()], [])

    def test_pkg_config_knows_the_headers(self):
        if shutil.which("pkg-config") is None:
            self.skipTest("no pkg-config")
        os.environ["PKG_CONFIG_PATH"] = str(self.prefix / "lib/pkgconfig")
        self.assertEqual(call("pkg-config", "--cflags", "tuner-sdk").stdout.strip(),
                         f"-I{self.prefix}/include")

    def test_cmake_runs_the_installed_program(self):
        project = self.folder / "step"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.23)\nproject(step NONE)\nset(CMAKE_SIZEOF_VOID_P 8)\n"
            "find_package(tuner REQUIRED)\n"
            "add_custom_target(step ALL COMMAND $<TARGET_FILE:tuner::program> --version)\n")
        call("cmake", "-S", project, "-B", project / "b", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertIn("tuner ", call("cmake", "--build", project / "b").stdout)

    def test_each_example_exports_one_symbol(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                build = self.built(compiler)
                plugins = sorted(build.glob("*.so"))
                self.assertEqual([p.name for p in plugins],
                                 ["footprint.so", "hill_climber.so", "markdown.so", "sparse.so",
                                  "widest.so"])
                for plugin in plugins:
                    symbols = call("nm", "-D", "--defined-only", plugin).stdout.split("\n")
                    names = [line.split()[-1] for line in symbols if line]
                    self.assertEqual(names, ["tuner_plugin_v2"], plugin)

    def test_the_opencl_plugin_is_one_like_anyones(self):
        source = self.folder / "anywhere"
        shutil.copytree(Path(OPTIONS.examples).parent.parent / "tuner/plugins/opencl", source)
        for compiler in COMPILERS:
            with self.subTest(compiler):
                if shutil.which(compiler) is None:
                    self.skipTest(f"no {compiler}")
                build = self.folder / f"opencl-{compiler}"
                call("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
                call("cmake", "--build", build)
                symbols = call("nm", "-D", "--defined-only", build / "opencl.so").stdout.split()
                self.assertEqual(symbols[2::3], ["tuner_plugin_v2"])
                listed = call(self.tuner, "list", "opencl", "--plugin-dir", build).stdout
                self.assertIn(f"of opencl ({build}/opencl.so)", listed)

    def test_a_plugin_of_another_minor_version_is_refused(self):
        folder = self.folder / "minor"
        folder.mkdir()
        (folder / "other.cpp").write_text(
            '#include "tuner/plugin/sdk.h"\n#undef TUNER_ABI_MINOR\n#define TUNER_ABI_MINOR 7\n'
            f'#include "{Path(OPTIONS.examples).resolve()}/hill_climber.cpp"\n')
        call("g++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", "-I",
             self.prefix / "include", folder / "other.cpp", "-o", folder / "other.so")
        listed = call(self.tuner, "list", "plugins", "--plugin-dir", folder).stdout
        self.assertIn("other.so: made for plugin interface 2.7, this program has 2.3: build the plugin "
                      "again with the headers of this tuner (tuner/plugin/sdk.h)", listed)

    def test_the_strategy_tunes_a_program_and_the_exporter_tells(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                self.use(self.built(compiler))

    def use(self, build):
        plugins = ("--plugin-dir", build)
        told = call(self.tuner, "run", "transpose.yaml", *plugins, cwd=build)
        self.assertIn("advice widest: 1 configuration is measured first, of 1 proposal", told.stderr)
        self.assertIn("\nadvice widest: ", told.stdout)
        ranked = call(self.tuner, "export", "transpose.yaml", "--format", "csv", *plugins, cwd=build)
        rows = [line for line in ranked.stdout.split("\n") if ",ok," in line]
        self.assertGreaterEqual(len(rows), 3)
        table = call(self.tuner, "export", "transpose.yaml", "--format", "markdown:rows=2", *plugins,
                     cwd=build).stdout
        self.assertTrue(table.startswith("# transpose\n"), table)
        self.assertIn("## N1024 on ", table)
        self.assertIn("| rank | TILE | ORDER | time in ms |", table)
        self.assertEqual(table.count("\n| ") - 1, 2, table)

    def test_a_misspelt_option_is_reported_where_it_stands(self):
        build = self.built(COMPILERS[0])
        run = (self.tuner, "run", "transpose.yaml", "--plugin-dir", build, "--results", "other")
        wrong = call(self.tuner, "run", "spmv.yaml", "--plugin-dir", build, "--backend", "cpu:sed=3",
                     cwd=build, status=2)
        self.assertIn("--backend:1:5: unknown option 'sed'; backend 'cpu' has: ", wrong.stderr)
        self.assertIn("did you mean 'seed'?", wrong.stderr)
        wrong = call(*run, "--strategy", "hill_climber:starts=0", cwd=build, status=2)
        self.assertIn("strategy 'hill_climber': option 'starts' is '0': it must be a whole number "
                      "from 1 to 1000", wrong.stderr)

    def test_the_problem_and_the_observer_are_used_in_a_run(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                build = self.built(compiler)
                run = (self.tuner, "run", "spmv.yaml", *self.backend, "--plugin-dir", build)
                self.assertIn("18 trials: ", call(*run, cwd=build).stdout)
                ranked = call(self.tuner, "export", "spmv.yaml", "--format", "csv", cwd=build).stdout
                rows = list(csv.DictReader(io.StringIO(ranked)))
                good = [row for row in rows if row["state"] == "ok"]
                self.assertEqual({row["state"] for row in rows} - {"ok", "dropped"}, set())
                for row in good:
                    self.assertGreater(float(row["image_bytes"]), 1000)
                    self.assertLess(float(row["max_error"]), 1e-5)
                again = call(*run, cwd=build).stderr
                self.assertIn("(18 from the store)", again)

    def test_options_and_versions_of_a_problem_are_part_of_what_was_measured(self):
        build = self.built(COMPILERS[0])
        study = (build / "spmv.yaml").read_text()
        (build / "flat.yaml").write_text(study.replace("exponent: 0.9", "exponent: 0"))
        run = (self.tuner, "run", *self.backend, "--plugin-dir", build, "--results", "identity",
               "--budget", "2")
        call(*run, "spmv.yaml", cwd=build)
        self.assertNotIn("from the store", call(*run, "flat.yaml", cwd=build).stderr)

    def test_a_wrong_kernel_is_refused_in_the_problems_words(self):
        build = self.built(COMPILERS[0])
        source = (build / "spmv.cu").read_text()
        (build / "wrong.cu").write_text(source.replace("half = TUNE_LANES / 2", "half = TUNE_LANES / 4"))
        study = (build / "spmv.yaml").read_text()
        (build / "wrong.yaml").write_text(study.replace("source: spmv.cu", "source: wrong.cu"))
        tried = call(self.tuner, "try", "wrong.yaml", "BLOCK=64,LANES=4", *self.backend,
                     "--plugin-dir", build, cwd=build, status=1).stdout
        self.assertIn("  state           correctness\n", tried)
        self.assertRegex(tried, r"y: row \d+ is .*: off by .* of the magnitudes that it adds up\n")

    def test_an_export_is_verified_by_the_problem(self):
        build = self.built(COMPILERS[0])
        plugins = (*self.backend, "--plugin-dir", build)
        call(self.tuner, "run", "spmv.yaml", *plugins, "--results", "exported", "--budget", "3", cwd=build)
        call(self.tuner, "export", "spmv.yaml", "--results", "exported", "-o", "tuned.h", cwd=build)
        verified = call(self.tuner, "verify-export", "tuned.h", "spmv.yaml", *plugins, cwd=build).stdout
        self.assertIn("1 right, 0 wrong, 0 without a valid configuration", verified)

    def test_what_a_study_leaves_to_plugins_is_checked_where_it_stands(self):
        build = self.built(COMPILERS[0])
        study = (build / "spmv.yaml").read_text()
        (build / "bad.yaml").write_text(study.replace("exponent:", "exponnt:").replace("cpu_ms", "cpu_s"))
        said = call(self.tuner, "check", "bad.yaml", "--plugin-dir", build, cwd=build, status=2).stderr
        self.assertIn("bad.yaml:14:42: unknown option 'exponnt'; problem 'power_law_csr' has: ", said)
        self.assertIn("bad.yaml:26:38: observer 'footprint' gives no 'cpu_s'; it gives: image_bytes, "
                      "cpu_ms (did you mean 'cpu_ms'?)", said)
        said = call(self.tuner, "check", "spmv.yaml", cwd=build, status=2).stderr
        self.assertIn("there is no problem 'power_law_csr'; there are: python", said)

    def test_a_size_that_the_problem_refuses_ends_with_its_reason(self):
        build = self.built(COMPILERS[0])
        said = call(self.tuner, "try", "spmv.yaml", "LANES=1", *self.backend, "--plugin-dir", build,
                    "--size", "ROWS=16,NNZ=1000", cwd=build, status=1).stderr
        self.assertIn("cannot be prepared: problem 'power_law_csr': NNZ is above ROWS * ROWS", said)

    def test_list_shows_the_options_of_one_name(self):
        build = self.built(COMPILERS[0])
        shown = call(self.tuner, "list", "hill_climber", "--plugin-dir", build).stdout
        self.assertIn("strategy hill_climber: walks to better neighbours", shown)
        self.assertIn("  starts=3  integer 1..1000\n", shown)
        shown = call(self.tuner, "list", "footprint", "--plugin-dir", build).stdout
        self.assertIn("  gives image_bytes (bytes)  size of the compiled image\n", shown)
        shown = call(self.tuner, "list", "problems", "--plugin-dir", build).stdout
        self.assertIn("power_law_csr", shown)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--build", help="is installed for the test")
    where.add_argument("--prefix", type=lambda text: Path(text).resolve(), help="an installation")
    parser.add_argument("--examples", required=True)
    parser.add_argument("--backend", default="cpu", help="that runs the sparse matrix")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest], verbosity=2)
