"""Of the project in CMakeLists.txt."""

__version__ = "0.1.0"
