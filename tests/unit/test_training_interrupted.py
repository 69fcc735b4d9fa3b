"""What the command line says when a training is interrupted."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from sonde.cli.train_options import saying_what_is_kept
from training.loop import Checkpoints


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_kept_checkpoint_is_named_with_the_way_on(
    sent: signal.Signals, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model"
    kept = Checkpoints.of_output(out).folder / "checkpoint-2"
    kept.mkdir(parents=True)
    (kept / "trainer_state.json").write_text("{}")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background ignores it
    try:
        with pytest.raises(SystemExit) as ended, saying_what_is_kept(out):
            signal.raise_signal(sent)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == code
    said = capsys.readouterr().err
    assert "--resume" in said
    assert str(kept) in said


def test_before_the_first_checkpoint_nothing_is_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), saying_what_is_kept(tmp_path / "model"):
        raise KeyboardInterrupt
    assert "no checkpoint" in capsys.readouterr().err
