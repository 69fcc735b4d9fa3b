"""`sonde evaluate`: measures the search with the serving pipeline."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console

from core.errors import SondeError
from core.json_types import Json
from evaluation.collection import JudgedCollection
from evaluation.collections.beir import BeirFiles, files_of, load, questions_of
from evaluation.evaluate import ComparedRun, Evaluation, KindResult, against, against_run, worst_losses
from evaluation.fitted_weights import GRID
from evaluation.live import ask_live, earlier_results, fall, keep, live_result
from evaluation.metrics import HEADLINE
from evaluation.report import EvaluationReport, ReportSetup
from evaluation.trec import read_qrels, read_run, write_run
from evaluation.variants import Variant
from search_api.search.request import ALL_PARTS, Part
from sonde import __version__
from sonde.cli.evaluate_all import EvaluateAll, evaluate_all, evaluations_of, leave_one_out
from sonde.cli.options import FILE, FOLDER, PRESENT_FILE, PRESENT_FOLDER, shown
from sonde.cli.screen import ended_by_signals, figures_table, messages, say, screen
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.evaluating import LOADERS, Bench, data_folder, judged_collection
from sonde.wiring.measuring import live_pipeline, measure_live
from sonde.wiring.models import Models

_TIMEOUT_S = 30.0
_PARTS = get_args(Part)
_PRINTED_MEASURES = (
    "nDCG@10",
    "AP",
    "RR",
    "P@10",
    "R@1",
    "R@3",
    "R@5",
    "R@8",
    "R@32",
    "R@64",
    "R@100",
    "ap_over_k@100",
)
_WORST_SHOWN = 5


def evaluate_live(queries: Path, qrels: Path, variant: Variant, history: Path | None, out: Path | None) -> float:
    """How far nDCG@10 fell below its usual value, with the stewards' rules; prints and keeps the measures."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    pipeline = live_pipeline(settings, client, Models(settings))
    earlier_measurements = earlier_results(history) if history is not None else []
    measured_at = datetime.now(UTC).isoformat(timespec="seconds")
    result = live_result(ask_live(pipeline, questions_of(queries), variant), read_qrels(qrels), measured_at)
    fall_by = fall(result, earlier_measurements)
    if history is not None:
        keep(history, result)
    if out is not None:
        write_measurement(out, {**asdict(result), "fall": fall_by})
    say(f"{result.questions} questions: nDCG@10 {result.ndcg_at_10:.4f}, R@100 {result.recall_at_100:.4f}")
    return fall_by


def has_judged_questions() -> bool:
    """Whether the settings name them, so that the workers ask them each night."""
    evaluation = load_settings().evaluation
    return evaluation.queries is not None and evaluation.qrels is not None


def evaluate_as_at_night() -> float:
    """The judged questions of the settings; the history is in the index, beside the nights'."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    result = measure_live(settings, client, Models(settings))
    say(f"{result.questions} questions: nDCG@10 {result.ndcg_at_10:.4f}, R@100 {result.recall_at_100:.4f}")
    return result.fall


@click.command("evaluate")
@click.option(
    "--corpus", type=PRESENT_FILE, help="Documents: JSON lines of _id, title, text and optional bbox, start, end."
)
@click.option("--queries", type=PRESENT_FILE, help="Questions: JSON lines of _id, text.")
@click.option(
    "--qrels", type=PRESENT_FILE, help="Judgements: query-id, corpus-id, score, tab-separated; or TREC's form."
)
@click.option(
    "--folder",
    type=PRESENT_FOLDER,
    help="Instead of the three: a folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv.",
)
@click.option("--split", help="Split of --folder's qrels.  [default: test]")
@click.option("--skip-unknown", is_flag=True, help="Ignore judgements of unknown documents and questions.")
@click.option(
    "--collection",
    type=click.Choice(sorted(LOADERS)),
    help="Instead: one of the project's collections. Public files are fetched once, checked by their SHA-256.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Instead: the project's collections one after another, as one table with a mean. ncar counts half in it: a "
    "rule over boxes and periods judged it, and the ranking weighs the same boxes and periods.",
)
@click.option(
    "--leave-one-out",
    is_flag=True,
    help="With --all: fit the ranking's weights on the other collections, and show what each gains.",
)
@click.option(
    "--features",
    type=FILE,
    help="With --leave-one-out: keep the candidates with their signals in this file; a second fit takes seconds.",
)
@click.option(
    "--fit",
    "fitted",
    type=click.Choice(list(GRID)),
    multiple=True,
    help="With --leave-one-out: fit only this weight; may be repeated.  [default: all]",
)
@click.option("--half", type=click.Choice(["train", "test"]), help="Only the questions for tuning, or for testing.")
@click.option(
    "--shared",
    type=FOLDER,
    envvar="SONDE_SHARED",
    help="Folder whose data/ has the collection's files (judged/NAME, catalogues).  [default: they are fetched]",
)
@click.option("--fetch-only", is_flag=True, help="Only fetch the files of --collection, and print their folder.")
@shown("--algorithm", "hybrid", type=click.Choice(["hybrid", "bm25", "dense"]))
@click.option("--rerank/--no-rerank", default=True, help="Late interaction, and the cross-encoder if one is named.")
@shown("--spatial", "blend", type=click.Choice(["blend", "hausdorff", "off"]))
@shown("--temporal", "on", type=click.Choice(["on", "off"]))
@shown("--interpret", "all", f"all, none, or a list of {','.join(_PARTS)}.")
@shown("--diversity", "on", type=click.Choice(["on", "off"]))
@click.option("--ablate", is_flag=True, help="Also run with each stage switched off, and show what each adds.")
@click.option("--compare", type=PRESENT_FILE, help="TREC run to compare with.")
@click.option("--limit-queries", type=click.IntRange(1), help="Only the first N questions.")
@shown("--threads", 4, "Questions asked at once.", click.IntRange(1, 64))
@click.option("--json", "out", type=FILE, help="Write the measures to this file, for each question too.")
@click.option("--run", type=FILE, help="Write the answers to this file, as a TREC run.")
@click.option("--live", is_flag=True, help="Ask the index that serves; --queries and --qrels name its records by id.")
@click.option("--history", type=FILE, help="With --live: add the measures to this file (JSON lines).")
@shown(
    "--fall",
    0.02,
    "With --live: exit code 1 if nDCG@10 is further below the median of the last seven in --history.",
    click.FloatRange(0.0, 1.0),
)
@click.option("--html", type=FILE, help="Write a page with tables and plots to this file.")
def evaluate_command(**arguments: Any) -> None:
    """Measure the search on a judged collection, in a temporary index that is deleted afterwards.

    Give --corpus, --queries and --qrels (BEIR layout, plain or .gz), --folder, --collection, or --all. Runs the serving
    pipeline, with the models and the ranking of the settings. Exit code 2 for an invalid collection, with its errors.
    """
    variant = Variant(
        algorithm=arguments["algorithm"],
        rerank=arguments["rerank"],
        spatial=arguments["spatial"],
        temporal=arguments["temporal"] == "on",
        interpret=parts_of(arguments["interpret"]),
        diversity=arguments["diversity"] == "on",
    )
    if arguments["every"]:
        _evaluate_all(arguments, variant)
        return
    if arguments["leave_one_out"] or arguments["features"]:
        raise SondeError("--leave-one-out and --features are for --all.")
    if arguments["live"]:
        _evaluate_live(arguments, variant)
        return
    if arguments["fetch_only"]:
        _fetch(arguments)
        return
    collection = _collection(arguments)
    with ended_by_signals():
        _evaluate(collection, arguments, variant)


_FOR_ONE = ("corpus", "queries", "qrels", "folder", "split", "collection", "compare", "run", "html", "history")
_FOR_ONE_FLAGS = ("live", "fetch_only", "skip_unknown")


def _evaluate_all(arguments: Json, variant: Variant) -> None:
    if wrong_options := [name for name in (*_FOR_ONE, *_FOR_ONE_FLAGS) if arguments[name]]:
        raise SondeError(f"--{wrong_options[0].replace('_', '-')} is for one collection, not for --all.")
    if arguments["features"] and not arguments["leave_one_out"]:
        raise SondeError("--features is for --leave-one-out.")
    request = EvaluateAll(
        variant=variant,
        ablate=arguments["ablate"],
        half=arguments["half"],
        limit=arguments["limit_queries"],
        shared=arguments["shared"],
        json=arguments["out"],
        threads=arguments["threads"],
    )
    with ended_by_signals():
        if arguments["leave_one_out"]:
            leave_one_out(request, arguments["features"], arguments["fitted"] or tuple(GRID))
        else:
            evaluate_all(request)


def _fetch(arguments: Json) -> None:
    if arguments["collection"] is None:
        raise SondeError("--fetch-only needs --collection.")
    say(str(data_folder(arguments["collection"], arguments["shared"], load_settings(), partial(say, err=True))))


def _evaluate_live(arguments: Json, variant: Variant) -> None:
    if not (arguments["queries"] or arguments["qrels"] or arguments["corpus"]) and has_judged_questions():
        drop = evaluate_as_at_night()
    elif not (arguments["queries"] and arguments["qrels"]) or arguments["corpus"]:
        raise SondeError("--live needs --queries and --qrels, and no --corpus: it asks the index that serves.")
    else:
        drop = evaluate_live(arguments["queries"], arguments["qrels"], variant, arguments["history"], arguments["out"])
    if drop > arguments["fall"]:
        say(f"nDCG@10 fell by {drop:.4f}: look at what changed (sources, rules, models).", err=True)
        sys.exit(1)


def parts_of(text: str) -> frozenset[Part]:
    """``all``, ``none`` or a comma-separated list. Raises SondeError for an unknown part."""
    if text in ("all", "none"):
        return ALL_PARTS if text == "all" else frozenset()
    part_names = frozenset(part.strip() for part in text.split(","))
    if unknown := sorted(part_names - ALL_PARTS):
        raise SondeError(f"--interpret: {', '.join(unknown)} is not all, none or one of {', '.join(_PARTS)}.")
    return frozenset(part for part in ALL_PARTS if part in part_names)


def _collection(arguments: Json) -> JudgedCollection:
    files = _files(arguments)
    if files is not None:
        collection = load(files, skip_unknown=arguments["skip_unknown"])
    else:
        collection = judged_collection(
            arguments["collection"], arguments["shared"], arguments["half"], load_settings(), partial(say, err=True)
        )
    return collection.first_questions(arguments["limit_queries"]) if arguments["limit_queries"] else collection


def _files(arguments: Json) -> BeirFiles | None:
    """None if one of the project's own collections is requested. Raises SondeError for any other combination."""
    beir_paths = [arguments["corpus"], arguments["queries"], arguments["qrels"]]
    kinds_of_input = [arguments["collection"] is not None, arguments["folder"] is not None, any(beir_paths)]
    if sum(kinds_of_input) != 1 or (any(beir_paths) and not all(beir_paths)):
        raise SondeError("Give --corpus, --queries and --qrels together, or --folder, or --collection.")
    if arguments["half"] is not None and arguments["collection"] is None:
        raise SondeError("--half is for --collection.")
    if arguments["split"] is not None and arguments["folder"] is None:
        raise SondeError("--split is for --folder.")
    if arguments["folder"] is not None:
        return files_of(arguments["folder"], arguments["split"] or "test")
    return BeirFiles(*beir_paths) if all(beir_paths) else None


def _evaluate(collection: JudgedCollection, arguments: Json, variant: Variant) -> None:
    console, run_file = messages(), arguments["compare"]
    # Read first: an invalid file is refused before an hour of work, not after it.
    run_to_compare = read_run(run_file) if run_file else None
    options = (variant, arguments["ablate"], arguments["threads"])
    with temporary_node(load_settings(), console.print) as settings:
        (evaluation, *other_evaluations), evaluation_bench = evaluations_of(collection, *options, settings, console)
    comparisons = [against(evaluation, ablation) for ablation in other_evaluations]
    if run_to_compare is not None:
        comparisons.insert(0, against_run(evaluation, str(run_file), run_to_compare, collection))
    report = EvaluationReport(collection, evaluation, comparisons, _setup_of(evaluation_bench))
    _show(screen(), report)
    _write(arguments, report)


def _setup_of(evaluation_bench: Bench) -> ReportSetup:
    evaluated_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ")
    return ReportSetup(
        evaluation_bench.embedder,
        evaluation_bench.cross_encoder,
        json.loads(evaluation_bench.config.to_json()),
        __version__,
        evaluated_at,
    )


def _write(arguments: Json, report: EvaluationReport) -> None:
    if arguments["run"] is not None:
        write_run(arguments["run"], report.evaluation.run, f"sonde-{report.evaluation.variant.algorithm}")
    if arguments["out"] is not None:
        write_measurement(arguments["out"], report.as_dict())
    if arguments["html"] is not None:
        arguments["html"].write_text(report.to_html(), encoding="utf-8")


def _show(console: Console, report: EvaluationReport) -> None:
    evaluation, collection = report.evaluation, report.collection
    console.print(
        f"{collection.name}: {len(collection.records)} documents, {len(collection.questions)} questions",
        highlight=False,
    )
    for name, count in evaluation.degraded.items():
        console.print(f"{count} questions were ranked without {name}", style="yellow", highlight=False)
    _show_measures(console, evaluation)
    if kinds := report.kinds():
        _show_kinds(console, kinds)
    if report.comparisons:
        _show_others(console, report.comparisons, evaluation)
    else:
        texts = {question.id: question.text for question in collection.questions}
        for question, value, _ in worst_losses(evaluation.measures, None, _WORST_SHOWN):
            console.print(f"  {value:.3f}  {question}: {texts[question]}", style="dim", highlight=False)


def _show_measures(console: Console, evaluation: Evaluation) -> None:
    for name in _PRINTED_MEASURES:
        console.print(f"{name:>16} {evaluation.measures.means[name]:.4f}", highlight=False)
    for name, value in asdict(evaluation.beyond).items():
        if value:
            console.print(
                f"{name:>28} {value:.3f}" if isinstance(value, float) else f"{name:>28} {value}", highlight=False
            )
    p50, p95 = evaluation.took_ms["total"]
    console.print(f"{'ms a question':>16} {p50:.0f} (95 %: {p95:.0f})", highlight=False)


def _show_kinds(console: Console, kinds: Sequence[KindResult]) -> None:
    table = figures_table("kind", "questions", "success@10", "first", HEADLINE, "empty")
    for row in kinds:
        shares = (f"{share:.3f}" for share in (row.success_at_10, row.first, row.ndcg_at_10))
        table.add_row(row.kind, str(row.questions), *shares, str(row.empty))
    console.print(table)


def _show_others(console: Console, comparisons: Sequence[ComparedRun], evaluation: Evaluation) -> None:
    table = figures_table("run", HEADLINE, "AP", "R@8", "R@100", "hausdorff", "gain", "p", "better", "worse")
    table.add_row(
        evaluation.variant.name, *_columns(evaluation.measures.means, evaluation.beyond.hausdorff_deg), "", "", "", ""
    )
    for compared_run in comparisons:
        comparison = compared_run.comparison
        distance = compared_run.beyond.hausdorff_deg if compared_run.beyond is not None else None
        counts = (f"{comparison.difference:+.4f}", f"{comparison.p:.4f}", str(comparison.better), str(comparison.worse))
        table.add_row(compared_run.name, *_columns(compared_run.measures.means, distance), *counts)
    console.print(table)


def _columns(means: Mapping[str, float], distance: float | None) -> list[str]:
    measures = [f"{means[name]:.4f}" for name in (HEADLINE, "AP", "R@8", "R@100")]
    return [*measures, "" if distance is None else f"{distance:.1f}"]


COMMANDS = (evaluate_command,)
