"""Tables of the read models, where Django looks for them: one module in the package of each.

No projector is imported here: a command that reads one table needs no game and no account.
"""

from projections.accounts import models as accounts
from projections.alerts import models as alerts
from projections.cases import models as cases
from projections.engine import models as engine
from projections.eventlog import models as eventlog
from projections.floor import models as floor
from projections.journal import models as journal
from projections.matters import models as matters
from projections.people import models as people
from projections.progressives import models as progressives
from projections.tables import models as tables

TABLES = (accounts, alerts, cases, engine, eventlog, floor, journal, matters, people, progressives, tables)
