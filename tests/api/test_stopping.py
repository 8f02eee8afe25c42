"""A request to end early: heard by a run that began, and by one that begins later."""

from threading import Event, current_thread

from lamina.api.stopping import Stop


def test_a_request_cancels_what_runs_from_another_thread() -> None:
    cancelled, threads = Event(), list[str]()

    def cancel() -> None:
        threads.append(current_thread().name)
        cancelled.set()

    stop = Stop()
    assert not stop.is_heard
    stop.attach(cancel)
    assert (stop.is_heard, stop.is_requested) == (True, False)
    stop.request()
    assert cancelled.wait(10)
    assert threads != [current_thread().name]


def test_a_request_before_the_run_is_kept_for_it() -> None:
    stop = Stop()
    stop.request()
    assert stop.is_requested
    assert stop.signal.is_set()
