import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type Children, html } from '../html.ts';
import { clockTime, rupees, wait } from '../state/format.ts';
import { theme } from './theme.ts';

/** A line, or points, of a chart: its name, its colour of colours.css, and whether it is a line. */
export interface Line {
  name: string;
  colour: 'accent' | 'up' | 'down' | 'soft' | 'warn';
  as?: 'line' | 'steps' | 'points' | 'bought' | 'sold';
  dashed?: boolean;
  filled?: boolean;
}

interface ChartProps {
  /** What a screen reader says of it: the whole in a sentence. */
  label: string;
  lines: readonly Line[];
  /** Seconds since 1970, then a row for each line; null where it has none. */
  data: uPlot.AlignedData;
  unit: 'rupees' | 'ms';
  /** The same figures as a table. */
  table: Children;
}

const HEIGHT = 260;
const LEAST_S = 300;
const units = { rupees, ms: wait } as const;

/** A chart over the time of the day, IST, with its figures as a table beneath for whoever does not see it. */
export function Chart({ label, lines, data, unit, table }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const newest = useRef(data);
  newest.current = data;
  const shape = JSON.stringify([lines, unit]);
  useEffect(() => {
    const at = place.current;
    if (!at) return;
    const draw = () => {
      drawn.current?.destroy();
      drawn.current = new uPlot(optionsOf(at, lines, unit), newest.current, at);
    };
    // Colours are painted, so another scheme is another picture.
    const ends = effect(() => {
      void theme.value;
      draw();
    });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const size = new ResizeObserver(() => drawn.current?.setSize({ width: at.clientWidth, height: HEIGHT }));
    size.observe(at);
    return () => {
      ends();
      scheme.removeEventListener('change', draw);
      size.disconnect();
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [shape]);
  useEffect(() => drawn.current?.setData(data), [data]);
  return html`<figure class="chart">
    <div role="img" aria-label=${label} ref=${place}></div>
    <details><summary>The figures as a table</summary>${table}</details>
  </figure>`;
}

function optionsOf(at: HTMLElement, lines: readonly Line[], unit: 'rupees' | 'ms'): uPlot.Options {
  const colour = coloursOf(at);
  const grid = { stroke: colour('line'), width: 1 };
  const font = `12px ${getComputedStyle(at).fontFamily}`;
  const say = (value: number) => units[unit](value);
  const axis = { stroke: colour('soft'), grid, ticks: grid, font };
  return {
    width: at.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Asia/Kolkata'),
    scales: {
      x: { range: (_, from, to) => roomy(from, to) },
      y: {
        range: (_, from, to) =>
          upright(
            from,
            to,
            lines.some(({ filled }) => filled),
          ),
      },
    },
    cursor: { drag: { x: true, y: false } },
    axes: [
      { ...axis, space: 64, values: (_, splits) => splits.map((seconds) => shortOf(seconds, splits)) },
      { ...axis, size: 84, values: (_, splits) => splits.map(say) },
    ],
    series: [
      { label: 'Time', value: (plot, seconds, _, index) => timeOf(index === null ? newestOf(plot, 0) : seconds) },
      ...lines.map((line) => seriesOf(line, colour, (value: number | null) => (value === null ? '' : say(value)))),
    ],
  };
}

/** Where nobody points at a moment, the legend says the newest figures. */
function newestOf(plot: uPlot, series: number): number | null {
  const values = plot.data[series] as (number | null | undefined)[] | undefined;
  return values?.findLast((value) => value !== null && value !== undefined) ?? null;
}

function timeOf(seconds: number | null): string {
  return seconds === null ? '' : clockTime(new Date(seconds * 1000).toISOString());
}

/** A day that has just begun is not drawn as if its seconds were hours. */
function roomy(from: number | null, to: number | null): [number, number] {
  const [first, last] = [from ?? 0, to ?? 0];
  return [first, Math.max(last, first + LEAST_S)];
}

/** The figures with a little room, and zero where an area stands on it. */
function upright(from: number | null, to: number | null, zero: boolean): uPlot.Range.MinMax {
  const [low, high] = [from ?? 0, to ?? 0];
  return zero ? uPlot.rangeNum(Math.min(low, 0), Math.max(high, 0), 0.1, true) : uPlot.rangeNum(low, high, 0.1, false);
}

/** 09:15, and the second where the marks stand closer than a minute. */
function shortOf(seconds: number, splits: readonly number[]): string {
  const text = clockTime(new Date(seconds * 1000).toISOString());
  const [first = 0, second = 60] = splits;
  return second - first < 60 ? text : text.slice(0, 5);
}

function seriesOf(line: Line, colour: (name: string) => string, say: (value: number | null) => string): uPlot.Series {
  const stroke = colour(line.colour);
  const { as = 'line' } = line;
  const value: uPlot.Series.Value = (plot, raw, series, index) => say(index === null ? newestOf(plot, series) : raw);
  const base = { label: line.name, stroke, width: 2, spanGaps: true, value };
  if (as === 'points') return { ...base, paths: () => null, points: { show: true, size: 7, fill: stroke, stroke } };
  if (as === 'bought' || as === 'sold') return { ...base, paths: triangles(as, stroke), points: { show: false } };
  const steps = uPlot.paths.stepped?.({ align: 1 });
  return {
    ...base,
    points: { show: false },
    ...(line.dashed && { dash: [5, 4], width: 1.5 }),
    ...(line.filled && { fill: `color-mix(in srgb, ${stroke} 12%, transparent)` }),
    ...(as === 'steps' && steps && { paths: steps }),
  };
}

/** A fill points up where it bought, beneath its price, and down where it sold, above it: told apart without colour. */
function triangles(as: 'bought' | 'sold', fill: string): uPlot.Series.PathBuilder {
  return (plot, series, from, to) => {
    const { ctx } = plot;
    const size = 7 * devicePixelRatio;
    const way = as === 'bought' ? 1 : -1;
    ctx.save();
    ctx.fillStyle = fill;
    for (let index = from; index <= to; index += 1) {
      const value = plot.data[series]?.[index];
      const seconds = plot.data[0][index];
      if (value === null || value === undefined || seconds === undefined) continue;
      const x = plot.valToPos(seconds, 'x', true);
      const y = plot.valToPos(value, 'y', true) + way * 2 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(x - size, y + way * 1.7 * size);
      ctx.lineTo(x + size, y + way * 1.7 * size);
      ctx.fill();
    }
    ctx.restore();
    return null;
  };
}

/** Colours of colours.css as the canvas takes them: a custom property keeps both schemes until an element wears it. */
function coloursOf(at: HTMLElement): (name: string) => string {
  const probe = document.createElement('span');
  at.append(probe);
  const found = new Map(
    ['accent', 'up', 'down', 'soft', 'warn', 'line'].map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return (name) => found.get(name) ?? 'currentcolor';
}
