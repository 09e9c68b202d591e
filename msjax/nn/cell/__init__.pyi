from msjax.nn.cell.buffer_hooks import (
    register_cell_buffer_registration_hook as register_cell_buffer_registration_hook,
)
from msjax.nn.cell.cell import Cell as Cell
from msjax.nn.cell.exported import GraphCell as GraphCell
