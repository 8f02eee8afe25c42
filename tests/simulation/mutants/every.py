"""The rules of the engine, each taken away in turn; a recorded schedule notices every one of them."""

from tests.simulation.mutants.code import CODE
from tests.simulation.mutants.detecting import DETECTING
from tests.simulation.mutants.failing import FAILING
from tests.simulation.mutants.folding import FOLDING
from tests.simulation.mutants.grids import GRIDS
from tests.simulation.mutants.histories import HISTORIES
from tests.simulation.mutants.naming import NAMING
from tests.simulation.mutants.payment import PAYMENT
from tests.simulation.mutants.promotion import PROMOTION
from tests.simulation.mutants.quarantine import QUARANTINE
from tests.simulation.mutants.ragged import RAGGED
from tests.simulation.mutants.redoing import REDOING
from tests.simulation.mutants.rows import ROWS
from tests.simulation.mutants.sources import SOURCES
from tests.simulation.mutants.tables import TABLES
from tests.simulation.mutants.times import TIMES

MUTANTS = (
    *(*FOLDING, *SOURCES, *ROWS, *TABLES, *PROMOTION, *FAILING, *RAGGED, *PAYMENT),
    *(*CODE, *REDOING, *GRIDS, *QUARANTINE, *DETECTING, *NAMING, *TIMES, *HISTORIES),
)
