"""Reads scripts of Kernel Tuner's without running them.

Prints as JSON for each the sources that it names, the first kernel that it holds as a text, and what its calls of
tune_kernel() say as far as it is literal. A launch is said as host code in CUDA C++, which drafts read anyway.
"""

import ast
import json
import math
import operator
import sys

IN_ORDER = ["kernel_name", "kernel_source", "problem_size", "arguments", "tune_params", "grid_div_x",
            "grid_div_y", "grid_div_z", "restrictions", "answer"]
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
IN_CPP = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/"}
SAME_IN_CPP = (ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod)
OF_NUMBERS = {"prod": math.prod, "max": max, "min": min, "sum": sum}
ARRAYS = ["zeros", "ones", "empty", "full", "rand", "randn", "random"]
WITHOUT_EFFECT = ["lang", "verbose", "quiet", "simulation_mode"]
# The key of a study in place of an option that is not taken.
IN_STUDY = {"answer": "reference", "verify": "verify", "atol": "verify", "metrics": "metrics",
            "objective": "objective", "observers": "metrics", "iterations": "measure", "strategy": "search",
            "strategy_options": "search", "cmem_args": "constants", "texmem_args": "texture",
            "defines": "options", "compiler": "compiler", "cache": "--warm-start", "device": "--device"}
TAKEN_OPTIONS = ("-D", "-std=", "--std=", "-use_fast_math", "--use_fast_math")
MOST_STEPS = 8  # from a name to what it stands for
MOST_VALUES = 10000


class NotLiteral(Exception):
    pass


def or_none(read, *given):
    try:
        return read(*given)
    except NotLiteral:
        return None


def position(node):
    return node.lineno, node.col_offset


def function_of(node):
    """The last word of what is called; of all else nothing."""
    function = getattr(node, "func", None)
    return getattr(function, "attr", "") or getattr(function, "id", "")


def is_cast(node, kinds=("int", "uint")):
    return function_of(node).startswith(kinds) and len(node.args) == 1


def text_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


class Names:
    """What the names of a script are set to, up to a place in it."""

    def __init__(self, set_to=()):
        self.set_to = dict(set_to)
        self.set_in = {}  # by dictionary: its entries that are set later
        self.sizes = {}  # by node of problem_size that is a number: its name

    def take(self, assign):
        for target in assign.targets:
            if isinstance(target, ast.Name):
                # The list of which it is the largest may be another one later.
                now = or_none(self.number, assign.value) if function_of(assign.value) in ("max", "min", "sum") else None
                self.set_to[target.id] = assign.value if now is None else ast.Constant(now)
                self.set_in.pop(target.id, None)
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                self.set_in.setdefault(target.value.id, []).append((target.slice, assign.value))

    def resolved(self, node):
        for _ in range(MOST_STEPS):
            node = self.set_to.get(node.id, node) if isinstance(node, ast.Name) else node
        return node

    def value(self, node, depth=0):
        if isinstance(node, ast.Name) and node.id in self.set_to and depth < MOST_STEPS:
            return self.value(self.set_to[node.id], depth + 1)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if is_cast(node):
            return self.value(node.args[0], depth)
        if function_of(node) in OF_NUMBERS and len(node.args) == 1 and depth < MOST_STEPS:
            numbers = self.numbers(node.args[0], depth + 1)
            if numbers:
                return OF_NUMBERS[function_of(node)](numbers)
        if isinstance(node, ast.Subscript) and depth < MOST_STEPS:
            numbers, at = self.numbers(node.value, depth + 1), self.number(node.slice, depth + 1)
            if -len(numbers) <= at < len(numbers):
                return numbers[at]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.value(node.operand, depth)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = self.value(node.left, depth), self.value(node.right, depth)
            if abs(left) < 2**53 and abs(right) < (64 if isinstance(node.op, ast.Pow) else 2**53):
                try:
                    return OPERATORS[type(node.op)](left, right)
                except ArithmeticError:
                    pass
        raise NotLiteral

    def number(self, node, depth=0):
        value = self.value(node, depth)
        if isinstance(value, complex) or abs(value) > 2**53 or value != int(value):
            raise NotLiteral
        return int(value)

    def numbers(self, node, depth=0):
        """Of a list, a tuple, range(4), [2**i for i in range(5)], one number, or an entry of a dictionary that is these."""
        node = self.resolved(node)
        if isinstance(node, ast.Subscript):
            node = self.resolved(self.entries(node.value).get(text_of(node.slice), node))
        if function_of(node) == "list" and len(node.args) == 1:
            return self.numbers(node.args[0], depth)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            loop = node.generators[0]
            if len(node.generators) > 1 or loop.ifs or not isinstance(loop.target, ast.Name):
                raise NotLiteral
            each = [{**self.set_to, loop.target.id: ast.Constant(one)} for one in self.numbers(loop.iter, depth)]
            return [Names(set_to).number(node.elt, depth) for set_to in each]
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.number(one, depth) for one in node.elts]
        if function_of(node) != "range":
            return [self.number(node, depth)]
        try:
            counted = range(*[self.number(one, depth) for one in node.args])
        except (TypeError, ValueError):
            raise NotLiteral from None
        if counted.step < 1 or counted[-1:] and (counted[-1] - counted[0]) // counted.step >= MOST_VALUES:
            raise NotLiteral
        return list(counted)

    def texts(self, node):
        """Of a text or a list of texts; None for all else."""
        node = self.resolved(node)
        texts = [text_of(one) for one in (node.elts if isinstance(node, ast.List) else [node])]
        return None if "" in texts else texts

    def entries(self, node):
        """Of a dictionary, and what is set in it later."""
        known = self.resolved(node)
        out = {one.arg: one.value for one in getattr(known, "keywords", [])}  # dict(a=..), OrderedDict()
        if isinstance(known, ast.Dict):
            out = {text_of(key): value for key, value in zip(known.keys, known.values)}
        out.update((text_of(key), value) for key, value in self.set_in.get(getattr(node, "id", ""), []))
        return {key: value for key, value in out.items() if key}

    # ---- as C++ ---------------------------------------------------------------------------------

    def said(self, node):
        """A number as C++ has it, with names as they stand."""
        if id(node) in self.sizes:
            return self.sizes[id(node)]
        if is_cast(node, "float"):
            return ast.unparse(node.args[0])
        number, known = or_none(self.number, node), self.resolved(node)
        if number is None and known is node:
            raise NotLiteral
        if number is None:
            return self.said(known)
        if isinstance(node, ast.Name):  # n = numpy.int32(size) is size
            return self.said(known.args[0]) if is_cast(known) and isinstance(known.args[0], ast.Name) else node.id
        if is_cast(node):
            return self.said(node.args[0])
        parts = self.parts(node)
        if parts:
            return parts
        is_same = all(isinstance(one, SAME_IN_CPP) and not isinstance(getattr(one, "value", 0), float)
                      for one in ast.walk(node))
        return ast.unparse(node) if is_same else str(number)

    def parts(self, node):
        """Spells "problem_size[0] + 2" and "prod(problem_size)" with the names of the sizes; empty where they have none."""
        if not any(id(self.item(one)) in self.sizes or self.is_product(one) for one in ast.walk(node)):
            return ""
        if self.is_product(node):
            return "(" + " * ".join(map(self.said, self.resolved(node.args[0]).elts)) + ")"
        if isinstance(node, ast.BinOp) and type(node.op) in IN_CPP:
            return f"({self.said(node.left)} {IN_CPP[type(node.op)]} {self.said(node.right)})"
        return self.said(self.item(node)) if isinstance(node, ast.Subscript) else ""

    def item(self, node):
        """Returns the first size for "problem_size[0]", and any other node as it is."""
        known = self.resolved(node.value) if isinstance(node, ast.Subscript) else None
        at = or_none(self.number, node.slice) if known is not None else None
        items = getattr(known, "elts", [])
        return items[at] if at is not None and -len(items) <= at < len(items) else node

    def is_product(self, node):
        items = getattr(self.resolved(node.args[0]), "elts", []) if function_of(node) == "prod" and node.args else []
        return any(id(one) in self.sizes for one in items)

    def elements(self, node, depth=0):
        """Of "numpy.zeros(n).astype(numpy.float32)", "numpy.random.randn(*size)", "numpy.zeros_like(x)"."""
        calls = [one for one in ast.walk(self.resolved(node)) if isinstance(one, ast.Call)]
        first = min(calls, key=lambda one: (one.func.end_lineno, one.func.end_col_offset), default=None)
        if first is None or not first.args or depth > MOST_STEPS:
            raise NotLiteral
        function, size = function_of(first), first.args[0]
        if function.endswith("_like") or function == "copy":
            return self.elements(size, depth + 1)
        if function not in ARRAYS:
            raise NotLiteral
        size = size.value if isinstance(size, ast.Starred) else size
        axes = self.resolved(size)
        return " * ".join(map(self.said, axes.elts if isinstance(axes, ast.Tuple) else [size]))


class Launch:
    """What a call of tune_kernel() says."""

    def __init__(self, names, call):
        self.names = names
        self.given = dict(zip(IN_ORDER, call.args)) | {one.arg: one.value for one in call.keywords}
        self.given = {key: one for key, one in self.given.items() if getattr(one, "value", "") is not None}

    def texts(self, key):
        return self.names.texts(self.given.get(key))

    def described(self, line):
        values = {name: or_none(self.names.numbers, one)
                  for name, one in self.names.entries(self.given.get("tune_params")).items()}
        unknown = [name for name, numbers in values.items() if not numbers]
        left_out = ["the values of " + name for name in unknown]
        if "restrictions" in self.given and self.texts("restrictions") is None:
            left_out.append("restrictions")
        taken = set(IN_ORDER) - {"answer"} | {"block_size_names", *WITHOUT_EFFECT}
        options = self.texts("compiler_options") or []
        if options and all(one.startswith(TAKEN_OPTIONS) for one in options):
            taken.add("compiler_options")
        else:
            options = []
        if self.shared():
            taken.add("smem_args")
        not_taken = [f"{name} ({IN_STUDY[name]})" if name in IN_STUDY else name
                     for name in self.given if name not in taken]
        parameters = [[name, numbers] for name, numbers in values.items() if numbers]
        kernel = (self.texts("kernel_name") or [""])[0].split("<")[0]
        return {"kernel": kernel, "line": line, "parameters": parameters, "unknown": unknown,
                "restrictions": self.texts("restrictions") or [], "left_out": left_out,
                "not_taken": not_taken, "options": options,
                "host": or_none(self.host_code, kernel, dict(parameters)) or ""}

    def shared(self):
        """The bytes of smem_args={"size": ..}; empty where it is not given, or no text or number."""
        size = self.names.entries(self.given.get("smem_args")).get("size")
        return text_of(self.names.resolved(size)) or or_none(self.names.said, size) if size is not None else ""

    def host_code(self, kernel, parameters):
        """The launch, behind what its names are set to."""
        names = (self.texts("block_size_names") or [])[:3]
        names += ["block_size_" + axis for axis in "xyz"[len(names):]]
        known = self.names.resolved(self.given.get("problem_size"))
        sizes = known.elts if isinstance(known, (ast.Tuple, ast.List)) else [self.given.get("problem_size")]
        code = ""
        for size, axis in zip(sizes, "xyz"):
            if isinstance(size, ast.Constant) and isinstance(size.value, int) and size.value > 1:
                code += f" const int problem_size_{axis} = {size.value};"
                self.names.sizes[id(size)] = "problem_size_" + axis
        grid = [self.extent(*of_axis) for of_axis in zip(sizes, "xyz", (parameters.get(one) and one for one in names))]
        block = names[:[*map(parameters.__contains__, names), False].index(False)] or ["256"]
        for name, node in sorted(self.names.set_to.items()):
            if or_none(self.names.number, node) is not None:
                code += f" const int {name} = {self.names.said(node)};"
        passed = []
        given = self.names.resolved(self.given.get("arguments"))
        for n, one in enumerate(given.elts if isinstance(given, ast.List) else []):
            elements = or_none(self.names.elements, one)
            name = getattr(one, "id", f"argument{n}")
            code += f" float* {name} = new float[{elements}];" if elements else ""
            passed.append(name if elements else or_none(self.names.said, one) or "?")
        return (f"void tune_{kernel}() {{{code} dim3 grid({', '.join(grid)}); dim3 block({', '.join(block)}); "
                f"{kernel}<<<{', '.join(filter(None, ['grid', 'block', self.shared()]))}>>>({', '.join(passed)}); }}")

    def extent(self, size, axis, block):
        whole = text_of(self.names.resolved(size)) or self.names.said(size)
        divisors = [block] if block else []
        if "grid_div_" + axis in self.given:
            divisors = self.texts("grid_div_" + axis)
        if divisors is None:  # a function
            raise NotLiteral
        share = " * ".join(f"({one})" if set(one) & set("+-/") else one for one in divisors)
        return f"ceil_div({whole}, {share})" if share else whole


def read(text):
    nodes = list(ast.walk(ast.parse(text)))
    parts = {part for one in nodes if isinstance(one, ast.JoinedStr) for part in one.values}
    texts = [one.value for one in sorted(filter(text_of, set(nodes) - parts), key=position)]
    names, calls = Names(), []
    for one in sorted((one for one in nodes if isinstance(one, (ast.Assign, ast.Call))), key=position):
        if isinstance(one, ast.Assign):
            names.take(one)
        elif function_of(one) == "tune_kernel":
            calls.append(Launch(names, one).described(one.func.end_lineno))
    return {"sources": [one for one in texts if "\n" not in one and one.endswith((".cu", ".cl"))],
            "kernel": next((one.lstrip("\n") for one in texts if "__global__" in one), ""), "calls": calls}


def read_file(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as script:
            return read(script.read())
    except (SyntaxError, ValueError, RecursionError) as error:
        return {"problem": f"is not read as Python: {error}".replace("<unknown>, ", "")}


if __name__ == "__main__":
    json.dump([read_file(path) for path in sys.argv[1:]], sys.stdout)
