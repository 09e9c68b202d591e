"""The classes of MindSpore's generated operators, made when they are asked for."""
