"""Record MindSpore's answers to graph_cases.py in graph.json. Run with MindSpore 2.10.0 on CPU."""

from record_autodiff import HERE, PRELUDE, reset
from snippets import record

if __name__ == "__main__":
    record(HERE / "graph_cases.py", HERE / "graph.json", PRELUDE, reset)
