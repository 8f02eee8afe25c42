"""The lease rows: who may write in an environment. Tokens only grow, also over releases."""

from datetime import datetime, timedelta

from lamina.state.dialect import StateTransaction
from lamina.state.errors import LeaseHeld, LeaseLost
from lamina.state.port import Lease
from lamina.values.names import EnvironmentName, RunId


def current(transaction: StateTransaction, environment: EnvironmentName) -> Lease | None:
    """Return the lease that is held, whether it expired or not."""
    row = transaction.execute(
        "SELECT holder, token, expires_at, process FROM lamina_lease WHERE environment = ? AND holder IS NOT NULL",
        (environment,),
    ).fetchone()
    if row is None:
        return None
    holder, token, expires_at, process = row
    return Lease(environment, RunId(holder), token, datetime.fromisoformat(expires_at), process)


def take(transaction: StateTransaction, wanted: Lease, *, now: datetime) -> Lease:
    """Take a lease that is free or expired, with a token above the last one, the wanted one's and the clock's.

    The clock keeps tokens growing over a state that was lost or put back: stages of unknown runs have lower ones.
    """
    held = current(transaction, wanted.environment)
    if held is not None and held.expires_at > now:
        raise LeaseHeld(wanted.environment, held.holder, since=_taken_at(transaction, wanted.environment))
    row = transaction.execute("SELECT token FROM lamina_lease WHERE environment = ?", (wanted.environment,)).fetchone()
    last = 0 if row is None else row[0]
    lease = wanted.replace(token=max(wanted.token + 1, last + 1, int(now.timestamp() * 1000)))
    transaction.put(
        "lamina_lease",
        {"environment": lease.environment},
        token=lease.token,
        holder=lease.holder,
        process=lease.process,
        taken_at=now.isoformat(),
        expires_at=lease.expires_at.isoformat(),
    )
    return lease


def renew(transaction: StateTransaction, lease: Lease, *, now: datetime, ttl: timedelta) -> Lease:
    """Extend a lease that is still ours."""
    check(transaction, lease)
    renewed = lease.replace(expires_at=now + ttl)
    transaction.execute(
        "UPDATE lamina_lease SET expires_at = ? WHERE environment = ?",
        (renewed.expires_at.isoformat(), lease.environment),
    )
    return renewed


def release(transaction: StateTransaction, lease: Lease) -> None:
    """Leave the row without a holder, for its token; a lease that changed hands is left alone."""
    transaction.execute(
        "UPDATE lamina_lease SET holder = NULL, expires_at = NULL, process = ''"
        " WHERE environment = ? AND holder = ? AND token = ?",
        (lease.environment, lease.holder, lease.token),
    )


def check(transaction: StateTransaction, lease: Lease) -> None:
    """Raise unless the lease is still ours: this is the fence of every write."""
    held = current(transaction, lease.environment)
    if held is None or (held.holder, held.token) != (lease.holder, lease.token):
        raise LeaseLost(lease.environment, lease.holder, token=lease.token)


def _taken_at(transaction: StateTransaction, environment: EnvironmentName) -> datetime:
    row = transaction.execute("SELECT taken_at FROM lamina_lease WHERE environment = ?", (environment,)).fetchone()
    return datetime.fromisoformat(row[0])
