"""Container Cells: `SequentialCell` (called in order), `CellList`, `CellDict`."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell


def _expect_cell(container: Cell, cell: Any) -> None:
    if not isinstance(cell, Cell):
        raise TypeError(
            f"`{type(container).__name__}`: each element must be a Cell. Received: {type(cell).__name__}."
        )
    if isinstance(container, CellList) and isinstance(cell, CellDict):
        raise TypeError("`CellList`: an element must be no CellDict.")


class _Container(Cell):
    """Base class of the containers: the table of child Cells is their content, its keys name their Parameters."""

    def _names_prefix(self) -> str:
        """Return the prefix of the children's Parameter names, in front of the key; "" if there are no Parameters."""
        for key, cell in self._cells.items():
            for path, parameter in cell.parameters_and_names() if cell is not None else ():
                known = f"{key}.{path}"
                if parameter.name.endswith(known):
                    return parameter.name[: -len(known)]
        return ""

    def _guessed_prefix(self) -> str:
        """Return the prefix that MindSpore guesses when a child is added; checkpoints have the names that follow from it.

        It looks for the key of the first child among the parts of the name of that child's first Parameter, and has
        nothing but the second child to tell one such part from another. With one child the last part counts, so what
        follows "0.blocks.0.weight" is called "0.blocks.1.", not "1.".
        """
        named = []
        for key, cell in self._cells.items():
            parameter = next(iter(cell.get_parameters()), None) if cell is not None else None
            if parameter is not None:
                named.append((key, parameter.name.split(".")))
        if not named:
            return ""
        key, parts = named[0]
        places = [i for i, part in enumerate(parts) if part == key]
        if len(named) > 1:
            other, others = named[1]
            sure = [i for i in places if others[i : i + 1] == [other]]
            places = sure[:1] or places
        return "".join(f"{part}." for part in parts[: places[-1]]) if places else ""

    def _put(self, key: str, cell: Cell, prefix: str) -> None:
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{key}.")
        self._cells[key] = cell

    def _children(self) -> dict[str, Any]:
        if state.frame is not None:
            self._record_use()
        return self._cells

    def __len__(self) -> int:
        return len(self._children())


class _Row(_Container):
    """Children whose keys are their places."""

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._children().values())

    def __reversed__(self) -> Iterator[Cell]:
        return iter([*self._children().values()][::-1])

    def _index(self, index: Any) -> int:
        if isinstance(index, Tensor):
            index = index.__index__()
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(
                f"`{type(self).__name__}`: an index must be an int or a slice. Received: {index!r}."
            )
        count = len(self)
        if not -count <= index < count:
            raise IndexError(
                f"`{type(self).__name__}`: the index must be in [{-count}, {count}). Received: {index}."
            )
        return index % count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._take_slice(index)
        return [*self._children().values()][self._index(index)]

    def _take_slice(self, index: slice) -> Any:
        return type(self)([*self._children().values()][index])  # type: ignore[arg-type]

    def __setitem__(self, index: int, cell: Cell) -> None:
        _expect_cell(self, cell)
        key = [*self._cells][self._index(index)]
        self._put(key, cell, self._guessed_prefix())
        self._invalidate()

    def __delitem__(self, index: Any) -> None:
        keys = [*self._cells]
        gone = keys[index] if isinstance(index, slice) else [keys[self._index(index)]]
        self._renew([cell for key, cell in self._cells.items() if key not in gone])

    def set_grad(self, flag: bool = True) -> Cell:
        """Set the attribute `requires_grad` of this container and of the Cells in it."""
        for cell in self:
            cell.set_grad(flag)
        return super().set_grad(flag)

    def append(self, cell: Cell) -> None:
        """Add a Cell at the end.

        Raises:
            TypeError: if it is not a Cell.
        """
        _expect_cell(self, cell)
        self._put(str(len(self)), cell, self._guessed_prefix())
        self._invalidate()

    def _renew(self, cells: list[Any]) -> None:
        """Replace the child Cells by these in this order, and rename their Parameters."""
        prefix = self._names_prefix()
        self._cells.clear()
        for i, cell in enumerate(cells):
            self._put(str(i), cell, prefix)
        self._invalidate()


class SequentialCell(_Row):
    """Cells that are called one after the other, each with what the one before returned.

    Args:
        args: Cells; or one list of Cells; or one OrderedDict of names and Cells.

    Inputs:
        - **x** - whatever the first Cell takes.

    Outputs:
        What the last Cell returns.

    Raises:
        TypeError: if an argument is none of these.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.ReLU(), ms.nn.Dense(4, 2))
        >>> net(ms.ops.ones((5, 3))).shape
        (5, 2)
        >>> [p.name for p in net.get_parameters()]
        ['0.weight', '0.bias', '2.weight', '2.bias']
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named: Iterable[tuple[str, Any]] = ((str(i), cell) for i, cell in enumerate(args))
        if len(args) == 1 and isinstance(args[0], list):
            named = ((str(i), cell) for i, cell in enumerate(args[0]))
        elif len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        elif len(args) == 1 and not isinstance(args[0], Cell):
            raise TypeError(
                "`SequentialCell`: a single argument must be a Cell, a list of Cells or an OrderedDict of Cells. "
                f"Received: {type(args[0]).__name__}."
            )
        for key, cell in named:
            _expect_cell(self, cell)
            self._check_new("SequentialCell", "name", key, self._cells)
            self._put(key, cell, "")

    def _insert(self, index: int, cell: Cell) -> None:
        """Add a Cell before the one at an index; MindSpore's name for it, which generated code has."""
        _expect_cell(self, cell)
        cells = [*self._cells.values()]
        self._renew([*cells[:index], cell, *cells[index:]])

    def _take_slice(self, index: slice) -> "SequentialCell":
        return type(self)(OrderedDict([*self._children().items()][index]))

    def __getattr__(self, name: str) -> Any:
        """`cell_list`, the Cells that are called, for as long as no other list of them was assigned."""
        if name == "cell_list" and "_cells" in self.__dict__:
            return list(self._cells.values())
        return super().__getattr__(name)

    def construct(self, input_data: Any) -> Any:
        """Call the Cells in order."""
        for cell in self.__dict__.get("cell_list", self._cells.values()):
            input_data = cell(input_data)
        return input_data


class CellList(_Row):
    """A list of Cells, for iterating over.

    Args:
        args: one list of Cells, or nothing.
        auto_prefix: put the index before the names of Parameters.

    Raises:
        TypeError: if the argument is not a list, or an element not a Cell.

    Examples:
        >>> import msjax as ms
        >>> layers = ms.nn.CellList([ms.nn.Dense(2, 2) for _ in range(3)])
        >>> x = ms.ops.ones((1, 2))
        >>> for layer in layers:
        ...     x = layer(x)
        >>> x.shape, len(layers)
        ((1, 2), 3)
    """

    _one_per_lane = True  # under `vmap`

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        if len(args) > 1:
            raise TypeError(f"`CellList`: takes one list of Cells. Received: {len(args)} arguments.")
        if args:
            self.extend(args[0])

    def extend(self, cells: list[Cell]) -> "CellList":
        """Add the Cells of a list at the end.

        Raises:
            TypeError: if the argument is not a list, or an element not a Cell.
        """
        if not isinstance(cells, list):
            raise TypeError(f"`CellList`: the Cells must be in a list. Received: {type(cells).__name__}.")
        for cell in cells:
            _expect_cell(self, cell)
        prefix = self._guessed_prefix()
        for cell in cells:
            self._put(str(len(self)), cell, prefix)
        self._invalidate()
        return self

    def __iadd__(self, cells: list[Cell]) -> Self:
        self.extend(cells)
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Add a Cell before the one at an index.

        Raises:
            IndexError: if the index is beyond the end.
            TypeError: if it is not an int, or `cell` is not a Cell.
        """
        _expect_cell(self, cell)
        count = len(self)
        place = count if index == count and not isinstance(index, bool) else self._index(index)
        cells = [*self._cells.values()]
        self._renew([*cells[:place], cell, *cells[place:]])

    def construct(self, *inputs: Any) -> Any:
        """A list is not called: its Cells are."""
        raise NotImplementedError("`CellList` cannot be called: call its Cells.")


class CellDict(_Container):
    """A dict of Cells.

    Args:
        args: a mapping of names to Cells, or pairs of them.
        auto_prefix: put the key before the names of Parameters.

    Raises:
        TypeError: if the argument is neither, a key not a str, or a value not a Cell or a container of Cells.
        KeyError: if a key is empty, has a dot or is the name of an attribute of Cells.

    Examples:
        >>> import msjax as ms
        >>> heads = ms.nn.CellDict({"cls": ms.nn.Dense(2, 3), "box": ms.nn.Dense(2, 4)})
        >>> heads["box"](ms.ops.ones((1, 2))).shape, list(heads.keys())
        ((1, 4), ['cls', 'box'])
    """

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        if len(args) > 1:
            raise TypeError(f"`CellDict`: takes one mapping. Received: {len(args)} arguments.")
        if args:
            self.update(args[0])

    def __getitem__(self, key: str) -> Any:
        return self._children()[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str):
            raise TypeError(f"`CellDict`: a key must be a str. Received: {key!r} ({type(key).__name__}).")
        _expect_cell(self, cell)
        if isinstance(cell, CellDict | CellList | SequentialCell):
            raise TypeError(
                f"`CellDict`: an element must be no CellDict, CellList or SequentialCell. Received: {type(cell).__name__}."
            )
        if not key or "." in key or (key not in self._cells and hasattr(self, key)):
            raise KeyError(
                f"`CellDict`: a key must not be empty, contain '.' or be an attribute of Cells. Received: {key!r}."
            )
        self._put(key, cell, self._names_prefix())
        self._invalidate()

    def __delitem__(self, key: str) -> None:
        del self._cells[key]
        self._invalidate()

    def __iter__(self) -> Iterator[str]:
        return iter(self._children())

    def __contains__(self, key: object) -> bool:
        return key in self._children()

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._children().keys()

    def values(self) -> Iterable[Any]:
        """Return the Cells."""
        return self._children().values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of names and Cells."""
        return self._children().items()

    def pop(self, key: str) -> Any:
        """Remove a Cell and return it.

        Raises:
            KeyError: if there is none of that name.
        """
        cell = self._cells.pop(key)
        self._invalidate()
        return cell

    def clear(self) -> None:
        """Remove all Cells."""
        self._cells.clear()
        self._invalidate()

    def update(self, cells: Any) -> None:
        """Add the Cells of a mapping, or of pairs of names and Cells.

        Raises:
            TypeError: if the argument is neither.
            ValueError: if an element is no pair.
        """
        if not isinstance(cells, Iterable):
            raise TypeError(f"`CellDict.update`: needs a mapping or pairs. Received: {type(cells).__name__}.")
        pairs: Iterable[Any] = cells.items() if isinstance(cells, Mapping | CellDict) else cells
        for i, pair in enumerate(pairs):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"`CellDict.update`: element {i} must be a pair. Received: {type(pair).__name__}."
                )
            listed = list(pair)
            if len(listed) != 2:
                raise ValueError(
                    f"`CellDict.update`: element {i} must be a pair. Received: {len(listed)} values."
                )
            self[listed[0]] = listed[1]

    def construct(self, *inputs: Any) -> Any:
        """A dict is not called: its Cells are."""
        raise NotImplementedError("`CellDict` cannot be called: call its Cells.")
