"""Where msjax answers otherwise than the framework it follows, on purpose: program, why, what it prints."""

# ruff: noqa: E501 - what a program prints is one string

COMPLEX = "MindSpore has no gradient of this operator for complex numbers; the value is PyTorch's."
BY_PLACE = "As in MindSpore's graph mode. Its PyNative mode tells the inputs apart by identity."
CALLABLE = "Whatever can be called can be differentiated."
LOUD = "MindSpore goes on with less than was asked for."
AUX = "What is not differentiated may be anything."
IDS = "As in MindSpore's graph mode; its PyNative mode takes the gradient for a tuple."
ONE_ERROR = (
    "MindSpore raises one type in PyNative mode and another in graph mode; here it is the former in both."
)
SENS = "MindSpore raises TypeError or ValueError or RuntimeError for one mistake, according to the shape."
CAST = "A gradient that is given in another dtype is cast."
IMPERATIVE = "msjax has PyTorch's imperative side too."
KEYWORD = "MindSpore hands the argument on to where it is no name."
TRUE = "MindSpore differentiates with the changed value, which gives a wrong gradient without a word."
VIEW = "MindSpore's CPU build copies here while it records; a view is a view, as in PyTorch."
INPUT = "MindSpore changes the input and then refuses it; here it is an ordinary change."
RESTORED = "An exception leaves Parameters as they were before."
SCAN = (
    "MindSpore 2.10 fails on a Tensor of inputs and on None, and stops early where there are too few inputs."
)
TUPLE = "A tuple of one input is one input."
MISSING = "MindSpore gets lost inside; what is missing is named here."
NORM = "The gradient of the norm at zero is zero, as in PyTorch."
SAVED = "Values that were saved are immutable here, so the gradient is right and nothing need be raised."

MINDSPORE: dict[str, tuple[str, str]] = {
    "grad/complex input complex output": (COMPLEX, "complex64[1] [(2-4j)]\n"),
    "grad/complex times constant": (COMPLEX, "complex64[1] [(3-4j)]\n"),
    "grad/real input made complex": (COMPLEX, "float32[1] [-5]\n"),
    "jit/graph mode complex": (COMPLEX, "complex64[1] [(2-4j)]\n"),
    "grad/Parameter as input and as weight": (BY_PLACE, "(float32[] 3, float32[] 3)\n"),
    "grad/of a builtin method": (CALLABLE, "float32[] 1\n"),
    "grad/of a partial": (CALLABLE, "float32[] 30\n"),
    "grad/of a primitive": (CALLABLE, "float32[] 1\n"),
    "grad/of a callable object": (CALLABLE, "float32[] 6\n"),
    "recompute/function": (
        CALLABLE,
        "float32[2] [0.14112, -0.279415]\nfloat32[2] [1, 0]\nraises TypeError\nfloat32[2] [0.14112, -0.279415]\n",
    ),
    "weights/a Tensor": (LOUD, "raises TypeError\n"),
    "weights/list of Tensors": (LOUD, "raises TypeError\n"),
    "map/lengths differ": (LOUD, "raises TypeError\nraises TypeError\n"),
    "aux/a number": (AUX, "(float32[2] [2, 4], (3,))\n"),
    "aux/a string and None": (AUX, "(float32[2] [2, 4], (s, None))\n"),
    "ids/one position": (IDS, "(1, float32[] 9)\n"),
    "ids/get_grad of one position": (
        IDS,
        "(float32[1] [18], (1, float32[1] [9]))\nfloat32[1] [9]\nraises RuntimeError\n",
    ),
    "jit/graph mode aux with one output": (ONE_ERROR, "raises ValueError\n"),
    "GradOperation/sens of another dtype": (CAST, "float32[1] [12]\n"),
    "stop/detach": (IMPERATIVE, "float32[] 3\n"),
    "imperative/what exists": (
        IMPERATIVE,
        "backward True\ngrad True\nrequires_grad True\nrequires_grad_ True\nis_leaf True\nretain_grad True\ngrad_fn True\ndetach True\nregister_hook True\nno_grad True\nenable_grad True\nset_grad_enabled True\nautograd False\n",
    ),
    "imperative/backward": (IMPERATIVE, "raises RuntimeError\n"),
    "imperative/Parameter flags": (IMPERATIVE, "True\nFalse\nraises TypeError\nTrue\n"),
    "imperative/result of a Parameter": (IMPERATIVE, "Tensor True\n"),
    "jit/called as a function": (KEYWORD, "float32[] 9\nfloat32[] 9\nfloat32[] 9\n"),
    "place/value used before it is changed": (TRUE, "(float32[2] [24, 56], float32[2] [28, 36])\n"),
    "place/base changed, view read": (
        VIEW,
        "(float32[4] [9, 36, 81, 144], float32[2,2] [[18, 36], [54, 72]])\n",
    ),
    "place/index assignment into the input": (
        INPUT,
        "(float32[3] [100, 4, 9], float32[3] [0, 4, 6])\nfloat32[3] [10, 2, 3]\n",
    ),
    "place/exception after a change": (RESTORED, "raises ValueError\nfloat32[] 2\n"),
    "loop/Scan": (
        SCAN,
        "(float32[] 7, [float32[] 1, float32[] 4, float32[] 12])\n(float32[] 7, float32[3] [1, 4, 12])\n(float32[] 7, [float32[] 1, float32[] 4, float32[] 12])\n(11, [1, 4, 12, 28])\nraises ValueError\nraises TypeError\n",
    ),
    "loop/Scan without inputs": (SCAN, "(float32[] 16, float32[4] [1, 2, 4, 8])\n"),
    "vjp/misuse": (MISSING, "raises TypeError\nraises TypeError\nraises TypeError\nraises TypeError\n"),
    "jvp/input in a tuple": (TUPLE, "(float32[] 9, float32[] 6)\n"),
    "point/norm at zero": (NORM, "float32[2] [0, 0]\n"),
}

TORCH: dict[str, tuple[str, str]] = {
    "place/value saved before it was changed": (SAVED, "None\n"),
}

# Not there yet: program, what is missing. These tests must fail until it is.
OPEN_IN_MINDSPORE: dict[str, str] = {}
OPEN_IN_TORCH: dict[str, str] = {}
