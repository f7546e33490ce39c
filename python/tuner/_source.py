"""A function so that another process can have it, and all that makes it what it is.

What can be imported is imported there. What cannot (a function of the main program, of a notebook, one within another)
goes as its source text, with the functions that it names and the values that it uses."""

import __future__
import ast
import dis
import hashlib
import importlib
import importlib.metadata
import inspect
import io
import linecache
import pickle
import sys
import sysconfig
import textwrap
import types
from pathlib import Path

from tuner._library import Error

_PLAIN = (types.FunctionType, type)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def innermost(value):
    """The function behind decorators: functools.wraps, Triton's jit, autotune and heuristics."""
    for _ in range(32):
        inner = getattr(value, "__wrapped__", None) or getattr(value, "fn", None)
        if isinstance(value, _PLAIN) and getattr(value, "__wrapped__", None) is None or inner is None:
            return value
        value = inner
    return value


def _is_importable(value, plain):
    module = sys.modules.get(plain.__module__)
    if plain.__module__ == "__main__" or module is None or "<" in plain.__qualname__:
        return False
    found = module
    for part in plain.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is not None and (found is value or innermost(found) is plain)


def _is_of_library(module):
    file = getattr(module, "__file__", None)
    return file is None or file.startswith(_LIBRARIES) or "site-packages" in file or "dist-packages" in file


class _Pickler(pickle.Pickler):
    """Refuses what the main program alone has: another process would not find it."""

    def reducer_override(self, value):
        if isinstance(value, _PLAIN) and value.__module__ == "__main__":
            raise pickle.PicklingError(f"'{value.__qualname__}' is of the main program")
        return NotImplemented


def _pickled(value):
    out = io.BytesIO()
    _Pickler(out, protocol=4).dump(value)
    return out.getvalue()


def _code_names(code):
    """Names that are looked up outside of the function, by it and what is defined within."""
    names = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _code_names(constant)
    return names


def _chain(node):
    """("a", "b", "c") of a.b.c; of anything else what no module has as a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else "", *reversed(names))


def _imported_within(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name.split(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def is_tuned(function):
    """Whether @tuner.tuned() stands in front of it: others get it without."""
    return getattr(function, "_is_tuned", False)


def untuned(function):
    """The function behind @tuner.tuned(...); of another, itself."""
    inner = getattr(function, "__wrapped__", None)
    return inner if is_tuned(inner) else function


def _undecorated(text, tree):
    """Without @tuner.tuned(...)."""
    lines = text.splitlines(True)
    for one in reversed(tree.body[0].decorator_list):
        called = one.func if isinstance(one, ast.Call) else one
        if getattr(called, "attr", getattr(called, "id", None)) == "tuned":
            del lines[one.lineno - 1:one.end_lineno]
    return "".join(lines), ast.parse("".join(lines))


class Portable:
    """`identity`: text that changes whenever the function may have become another. `packages`: names and versions."""

    def __init__(self, function, what="function"):
        plain = innermost(function)
        if not isinstance(plain, types.FunctionType):
            raise Error(f"the {what} is {function!r}: a Python function is needed, made with 'def'")
        self.name = plain.__name__
        self.called = f"the {what} '{plain.__name__}'"
        self._parts, self._values, self._seen, self._packages = [], {}, {}, set()
        self._texts, self._future, self._chains = {}, False, set()
        self._seen[plain.__name__] = function
        self._imports = _is_importable(function, plain)
        self._add(function, plain, plain.__name__)
        # The files whose change is another result; the order does not matter.
        self.identity = "\n".join(self._texts[key] for key in sorted(self._texts))
        self.packages = {name: _version_of(name) for name in sorted(self._packages)}
        self.packages = {name: version for name, version in self.packages.items() if version}
        if self._imports:
            self.sent = ("import", plain.__module__, plain.__qualname__)
        else:
            head = "from __future__ import annotations\n" if self._future else ""
            self.sent = ("source", plain.__name__, head + "".join(self._submodules() + self._parts), self._values)

    def _submodules(self):
        """Of a.b.c those of b and c that are modules, which 'import a' does not bring."""
        found = set()
        for first, *rest in self._chains:
            module = self._seen.get(first)
            if isinstance(module, types.ModuleType):
                found |= {".".join([module.__name__, *rest[:count]]) for count in range(1, len(rest) + 1)}
        return [f"__import__({name!r})\n" for name in sorted(found) if name in sys.modules]

    def _source(self, plain):
        try:
            text = textwrap.dedent(inspect.getsource(plain))
            tree = ast.parse(text)
        except (OSError, TypeError, SyntaxError, IndentationError):
            text = None
        if text is None:
            raise Error(f"{self.called} needs the source of '{plain.__qualname__}', which cannot be found: write it in a "
                        "file or in a notebook")
        return text, tree

    def _add(self, value, plain, name):
        """What the name stands for and, before it, what that needs."""
        text, tree = self._source(plain)
        if is_tuned(plain):
            text, tree = _undecorated(text, tree)
        definition = tree.body[0]
        if plain.__name__ == "<lambda>":
            is_named = (isinstance(definition, ast.Assign) and isinstance(definition.value, ast.Lambda) and
                        [getattr(one, "id", None) for one in definition.targets] == [name])
            if not is_named:
                raise Error(f"{self.called} is or uses a lambda: give it a name with 'def', so that its source can be sent")
        self._texts[f"{plain.__module__}.{plain.__qualname__}"] = text
        self._chains |= {_chain(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        self._packages.update(_imported_within(tree))
        for used in sorted(self._names_of(plain, definition)):
            self._use(plain, used)
        if isinstance(plain, types.FunctionType):
            self._future |= bool(plain.__code__.co_flags & __future__.annotations.compiler_flag)  # annotations stay texts
        self._parts.append(text if text.endswith("\n") else text + "\n")
        if name not in (plain.__name__, "<lambda>") and plain.__name__ != "<lambda>":
            self._parts.append(f"{name} = {plain.__name__}\n")

    @staticmethod
    def _names_of(plain, definition):
        every = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}
        if isinstance(plain, type):
            return every
        body = {node.id for part in getattr(definition, "body", []) if isinstance(definition, ast.FunctionDef)
                for node in ast.walk(part) if isinstance(node, ast.Name)}
        around = every - body if isinstance(definition, ast.FunctionDef) else set()
        for part in getattr(definition, "decorator_list", []):
            around |= {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
        return around | _code_names(plain.__code__) | set(plain.__code__.co_freevars)

    def _use(self, plain, name):
        scope = dict(getattr(plain, "__globals__", None) or vars(sys.modules.get(plain.__module__, types)))
        for free, cell in zip(getattr(plain, "__code__", None) and plain.__code__.co_freevars or (),
                              getattr(plain, "__closure__", None) or ()):
            try:
                scope[free] = cell.cell_contents
            except ValueError:  # a function within that calls itself, and is not there yet
                scope.pop(free, None)
        if name not in scope or scope[name] is plain or name == "__name__":
            return
        value = scope[name]
        if name in self._seen:
            if self._seen[name] is not value and not self._imports:
                raise Error(f"{self.called} uses two different things that are called '{name}'")
            return
        self._seen[name] = value
        self._bring(name, value)

    def _bring(self, name, value):
        if isinstance(value, types.ModuleType):
            self._packages.add(value.__name__.split(".")[0])
            if not _is_of_library(value) and value.__name__ != "tuner":
                self._texts["module " + value.__name__] = Path(value.__file__).read_text(encoding="utf-8")
            self._parts.append(f"import {value.__name__} as {name}\n" if "." in value.__name__ or name != value.__name__
                               else f"import {name}\n")
            return
        inner = innermost(value)
        if isinstance(inner, _PLAIN):
            module = sys.modules.get(inner.__module__)
            if module is not None and inner.__module__ != "__main__" and _is_of_library(module):
                self._packages.add(inner.__module__.split(".")[0])
                if _is_importable(value, inner) and "." not in inner.__qualname__:
                    self._parts.append(f"from {inner.__module__} import {inner.__name__} as {name}\n")
                    return
            elif _is_importable(value, inner) and "." not in inner.__qualname__:
                before, self._parts = self._parts, []
                self._add(value, inner, name)  # for its text alone
                self._parts = before + [f"from {inner.__module__} import {inner.__name__} as {name}\n"]
                return
            else:
                self._add(value, inner, name)
                return
        self._keep(name, value)

    def _keep(self, name, value):
        try:
            data = _pickled(value)
        except Exception as error:
            if self._imports:  # it is there when the module is imported; it counts by its name alone
                return
            raise Error(f"{self.called} uses '{name}', a {type(value).__name__}, which cannot be sent to another process: "
                        f"{error}") from None
        self._texts["value " + name] = f"{name} = {hashlib.sha256(data).hexdigest()}"
        self._values[name] = data


def _version_of(name):
    if name in getattr(sys, "stdlib_module_names", ()):
        return None
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return getattr(sys.modules.get(name), "__version__", None)


def load(sent):
    """The function, in the other process."""
    if sent[0] == "import":
        found = importlib.import_module(sent[1])
        for part in sent[2].split("."):
            found = getattr(found, part)
        return untuned(found)
    _, name, text, values = sent
    module = types.ModuleType("tuner_sent_" + hashlib.sha256(text.encode()).hexdigest()[:12])
    file = f"<sent {name}>"
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)  # tracebacks and Triton want the source
    sys.modules[module.__name__] = module
    for key, data in values.items():
        setattr(module, key, pickle.loads(data))
    exec(compile(text, file, "exec"), module.__dict__)
    return getattr(module, name)
