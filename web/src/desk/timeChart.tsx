// Questions over time as bars, with those that found nothing; the same as a table for those who do not see them.

import { useLocale } from "../words/index.ts";
import type { Moment } from "./questions.ts";
import { useDesk } from "./words/index.ts";

const WIDTH = 720;
const HEIGHT = 120;
const LABELS = 18;
const WIDEST = 40;

export function TimeChart({ moments }: { moments: readonly Moment[] }) {
  const words = useDesk();
  const locale = useLocale();
  const asked = moments.reduce((sum, one) => sum + one.asked, 0);
  if (asked === 0) return null;
  const most = Math.max(...moments.map((one) => one.asked));
  const step = WIDTH / moments.length;
  const wide = Math.min(step * 0.8, WIDEST);
  const day = (moment: Moment) => new Date(moment.from).toLocaleDateString(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const ends = [moments[0], moments.length > 1 ? moments.at(-1) : undefined].filter((one): one is Moment => one !== undefined);
  return (
    <section aria-labelledby="over-time">
      <h3 id="over-time">{words.overTime}</h3>
      <svg class="time-chart" preserveAspectRatio="xMinYMid meet" role="img" aria-label={words.chartOf({ asked, notFound: moments.reduce((sum, one) => sum + one.not_found, 0) })} viewBox={`0 0 ${WIDTH} ${HEIGHT + LABELS}`}>
        {moments.map((one, at) => (
          <g key={one.from}>
            <title>{`${day(one)}: ${one.asked}`}</title>
            <rect class="asked" x={at * step} width={wide} y={HEIGHT - (one.asked / most) * HEIGHT} height={(one.asked / most) * HEIGHT} />
            <rect class="not-found" x={at * step} width={wide} y={HEIGHT - (one.not_found / most) * HEIGHT} height={(one.not_found / most) * HEIGHT} />
          </g>
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {ends.map((one, at) => (
          <text key={one.from} x={at === 0 ? 0 : (moments.length - 1) * step + wide} y={HEIGHT + LABELS - 4} text-anchor={at === 0 ? "start" : "end"}>
            {day(one)}
          </text>
        ))}
      </svg>
      <p class="facts legend" aria-hidden="true">
        <span class="asked">{words.questionsWord}</span>
        <span class="not-found">{words.notFoundWord}</span>
      </p>
      <details>
        <summary>{words.asTable}</summary>
        <div class="scrolls" tabIndex={0} role="region" aria-label={words.overTime}>
          <table>
            <thead>
              <tr>
                {[words.when, words.questionsWord, words.notFoundWord, words.openedWord].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {moments.filter((one) => one.asked > 0).map((one) => (
                <tr key={one.from}>
                  <th scope="row">{day(one)}</th>
                  <td>{one.asked}</td>
                  <td>{one.not_found}</td>
                  <td>{one.opened}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
