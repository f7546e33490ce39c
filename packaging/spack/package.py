# A package for Spack: packages/tuner/package.py of a repository of packages. To publish, add `url` and the sha256 of
# the release. Tried: compiled as Python; not built, since Spack was out of reach.
import os

from spack.package import *


class Tuner(CMakePackage):
    """Autotuner of CUDA kernels: compiles every variant of a kernel that a YAML study describes, checks its answer,
    measures it, and exports the fastest for each problem size."""

    git = os.environ.get("TUNER_URL", "")

    license("MIT")

    version("main", branch="main")

    variant("cuda", default=True, description="Tune on NVIDIA's GPUs")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.8:", type=("build", "run"))
    depends_on("boost@1.74:+program_options+context")
    depends_on("cuda@11.8:", when="+cuda")
    depends_on("eigen")
    depends_on("fmt@8:")
    depends_on("nlohmann-json@3.9:")
    depends_on("sqlite")
    depends_on("yaml-cpp")
    depends_on("zlib-api")

    conflicts("%gcc@:11", msg="C++20 of g++ 12 or clang 14")

    generator("ninja")

    def cmake_args(self):
        args = [self.define("TUNER_TESTS", False), self.define("CMAKE_UNITY_BUILD", True)]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("TUNER_CUDA_INCLUDE", self.spec["cuda"].prefix.include))
        return args
