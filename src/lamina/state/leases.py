"""The lease rows: who may write in an environment of a project. Tokens only grow, also over releases."""

from datetime import datetime, timedelta

from lamina.state.dialect import StateTransaction
from lamina.state.errors import LeaseHeld, LeaseLost
from lamina.state.port import Lease
from lamina.state.scope import OURS, Scope
from lamina.values.names import RunId

_ROW = f"{OURS} AND name = ?"


def current(transaction: StateTransaction, scope: Scope, name: str = "") -> Lease | None:
    """Return the lease of a name that is held, whether it expired or not."""
    row = transaction.execute(
        f"SELECT holder, token, expires_at, process FROM lamina_lease WHERE {_ROW} AND holder IS NOT NULL",
        (*scope.key, name),
    ).fetchone()
    if row is None:
        return None
    holder, token, expires_at, process = row
    return Lease(scope, RunId(holder), token, datetime.fromisoformat(expires_at), process, name)


def take(transaction: StateTransaction, wanted: Lease, *, now: datetime) -> Lease:
    """Take a lease that is free or expired, with a token above the last one, the wanted one's and the clock's.

    The clock keeps tokens growing over a state that was lost or put back: stages of unknown runs have lower ones.
    """
    held = current(transaction, wanted.scope, wanted.name)
    if held is not None and held.expires_at > now:
        raise LeaseHeld(wanted.environment, held.holder, since=_taken_at(transaction, wanted))
    # Above the tokens of every lease of the environment: marks do not say which of them they were made under.
    last = transaction.execute(f"SELECT coalesce(max(token), 0) FROM lamina_lease WHERE {OURS}", wanted.scope.key)
    lease = wanted.replace(token=max(wanted.token + 1, last.fetchone()[0] + 1, int(now.timestamp() * 1000)))
    transaction.put(
        "lamina_lease",
        {**lease.scope.columns, "name": lease.name},
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
        f"UPDATE lamina_lease SET expires_at = ? WHERE {_ROW}",
        (renewed.expires_at.isoformat(), *lease.scope.key, lease.name),
    )
    return renewed


def release(transaction: StateTransaction, lease: Lease) -> None:
    """Leave the row without a holder, for its token; a lease that changed hands is left alone."""
    transaction.execute(
        "UPDATE lamina_lease SET holder = NULL, expires_at = NULL, process = ''"
        f" WHERE {_ROW} AND holder = ? AND token = ?",
        (*lease.scope.key, lease.name, lease.holder, lease.token),
    )


def check(transaction: StateTransaction, lease: Lease) -> None:
    """Raise unless the lease is still ours: this is the fence of every write."""
    held = current(transaction, lease.scope, lease.name)
    if held is None or (held.holder, held.token) != (lease.holder, lease.token):
        raise LeaseLost(lease.environment, lease.holder, token=lease.token)


def held_tokens(transaction: StateTransaction, scope: Scope, *, now: datetime) -> frozenset[int]:
    """Return the tokens of the leases of an environment that are held: what carries one of them is under way."""
    rows = transaction.execute(
        f"SELECT token, expires_at FROM lamina_lease WHERE {OURS} AND holder IS NOT NULL", scope.key
    )
    return frozenset(token for token, expires_at in rows if datetime.fromisoformat(expires_at) > now)


def _taken_at(transaction: StateTransaction, lease: Lease) -> datetime:
    statement = f"SELECT taken_at FROM lamina_lease WHERE {_ROW}"
    row = transaction.execute(statement, (*lease.scope.key, lease.name)).fetchone()
    return datetime.fromisoformat(row[0])
