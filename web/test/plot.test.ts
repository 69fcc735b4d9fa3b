import assert from "node:assert/strict";
import test from "node:test";
import { axesOf, stretchesOf, timeOf } from "../src/rows/plot.ts";

test("times are drawn along, numbers can be chosen, names are neither", () => {
  const rows = [["b", "2020-02", "2"], ["a", "2020-01-01", ""], ["c", "2020-03-01 12:00", "1e3"]];
  const axes = axesOf(rows, 3);
  assert.deepEqual(axes, { numbers: [2], along: 1, isTime: true });
  assert.deepEqual(stretchesOf(rows, axes, 2).flat().map(({ y }) => y), [2, 1000]);
});

test("without times the first column of numbers is drawn along, and points are ordered", () => {
  const rows = [["3", "1"], ["1", "2"], ["x", "5"], ["2", "3"], ["5", "0"], ["4", "1"]];
  const axes = axesOf(rows, 2);
  assert.deepEqual([axes.along, axes.numbers, axes.isTime], [0, [1], false]);
  assert.deepEqual(stretchesOf(rows, axes, 1).flat().map(({ x }) => x), [1, 2, 3, 4, 5]);
});

test("a bare number is no year, and a time without a zone is UTC", () => {
  assert.ok(Number.isNaN(timeOf("2020")));
  assert.equal(timeOf("2020-01-01 06:00"), Date.UTC(2020, 0, 1, 6));
  assert.deepEqual(axesOf([["a"], ["b"]], 1), { numbers: [], along: null, isTime: false });
});

test("a gap in a series ends the line", () => {
  const rows = [["1", "5"], ["2", ""], ["3", "6"], ["4", "7"], ["5", "x"]];
  assert.deepEqual(stretchesOf(rows, axesOf(rows, 2), 1).map((stretch) => stretch.map(({ x }) => x)), [[1], [3, 4]]);
});
