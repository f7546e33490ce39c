# Asks nvMatmulHeuristics, where it is installed, for configurations of a matrix product: reads the
# question of tuner (docs/study-search.md#advice) with "fields", prints the answer.
import json
import sys

LETTERS = {"float16": "H", "bfloat16": "T", "float32": "S", "float64": "D"}
LIKE = {80: "A100_SXM_80GB", 86: "RTX_3090", 89: "L40S", 90: "H100_SXM", 100: "B200",
        103: "GB300_NVL", 120: "RTX_5090"}
COUNT = 8


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(1)


def precision_of(arguments):
    """Letters for the type of the inputs, of the sums and of the output."""
    read = [one["type"] for one in arguments.values() if one["read"]]
    written = [one["type"] for one in arguments.values() if one["written"]]
    if not read or not written or not {read[0], written[0]} <= LETTERS.keys():
        refuse("the product has types other than " + ", ".join(LETTERS))
    return LETTERS[read[0]] + ("D" if read[0] == "float64" else "S") + LETTERS[written[0]]


def gpu_of(device, known):
    """The one that shares most words of its name, else one of the same compute capability."""
    words = device["name"].upper().replace("-", " ").split()
    best = max(known, key=lambda one: (sum(word in words for word in one.name.split("_")),
                                       one.name.endswith("SXM")))
    if any(word in words for word in best.name.split("_") if any(map(str.isdigit, word))):
        return best
    alike = LIKE.get(device["compute_capability"])
    if alike is None:
        refuse("it knows nothing of a " + device["name"])
    return known[alike]


def main():
    question = json.load(sys.stdin)
    size = {name.upper(): extent for name, extent in question["size"].items()}
    if not {"M", "N", "K"} <= size.keys():
        refuse("the problem size has no M, N and K")
    try:
        import nvMatmulHeuristics as nv
    except ImportError:
        refuse("it is not installed for this python3 (pip install nvidia-matmul-heuristics)")
    precision = precision_of(question["arguments"])
    gpu = gpu_of(question["device"], nv.NvMatmulHeuristicsNvidiaGpu)
    asked = nv.NvMatmulHeuristicsInterfaceEx(
        backend=nv.NvMatmulHeuristicsTarget.CUTLASS3 if question["device"]["compute_capability"] >= 90
        else nv.NvMatmulHeuristicsTarget.CUTLASS, gpu=gpu)
    problem = asked.makeNvMatmulHeuristicsProblem(
        size["M"], size["N"], size["K"], nv.NvMatmulHeuristicsMatmulLayout.NN_ROW_MAJOR)
    answer = []
    for one in asked.get(problem, COUNT, precision):
        kernel = one["kernel"]
        answer.append({parameter: getattr(kernel, "cta_" + field if field.startswith("tile") else field)
                       for parameter, field in question["fields"].items()})
    json.dump(answer, sys.stdout)


main()
