"""The rules of the engine, each taken away in turn; a recorded schedule notices every one of them."""

from tests.simulation.mutants.failing import FAILING
from tests.simulation.mutants.folding import FOLDING
from tests.simulation.mutants.payment import PAYMENT
from tests.simulation.mutants.promotion import PROMOTION
from tests.simulation.mutants.ragged import RAGGED
from tests.simulation.mutants.rows import ROWS
from tests.simulation.mutants.sources import SOURCES
from tests.simulation.mutants.tables import TABLES

MUTANTS = (*FOLDING, *SOURCES, *ROWS, *TABLES, *PROMOTION, *FAILING, *RAGGED, *PAYMENT)
