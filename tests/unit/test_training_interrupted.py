"""What the command line says when a training is interrupted."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from sonde.cli.train_shown import kept_when_interrupted
from training.checkpoints import Checkpoints, beside


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_kept_checkpoint_is_named_with_the_way_on(
    sent: signal.Signals, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model"
    Checkpoints(beside(out), {}, resume=False).save({"step": 1}, best=True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background ignores it
    try:
        with pytest.raises(SystemExit) as ended, kept_when_interrupted(out):
            signal.raise_signal(sent)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == code
    assert "--resume goes on" in capsys.readouterr().err


def test_before_the_first_look_nothing_is_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), kept_when_interrupted(tmp_path / "model"):
        raise KeyboardInterrupt
    assert "It had not looked yet" in capsys.readouterr().err
