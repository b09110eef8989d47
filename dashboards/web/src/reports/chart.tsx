import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import classes from './chart.module.css'

/** What a chart draws over its periods. */
export interface Series {
  name: string
  /** A variable of tokens.css: var(--series-1). */
  colour: string
  /** What is drawn; null where there is nothing. */
  drawn: readonly (number | null)[]
  /** The value that the legend shows, where it differs from what is drawn. */
  value?: readonly (number | null)[]
  kind: 'bars' | 'line'
}

export interface Axis {
  /** A value in words. */
  format: (value: number) => string
  /** Up to which value it reaches at least, so that little does not look like much. */
  least?: number
}

/** px. */
export const chartHeight = 240

/**
 * A chart over periods. The series are drawn in their order, the later over the earlier. Its figures
 * must also be in a table beside it: of the picture itself, `label` is all that can be read aloud.
 */
export function Chart({
  periods,
  series,
  axis,
  label,
}: {
  periods: readonly string[]
  series: readonly Series[]
  /** Of all series: what is drawn in one chart has one unit. */
  axis: Axis
  label: string
}) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const [pointed, setPointed] = useState<number | null>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new uPlot(
      options(periods, series, axis, element, setPointed),
      [periods.map((_, i) => i), ...series.map(({ drawn }) => [...drawn])],
      element,
    )
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: chartHeight }),
    )
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
      setPointed(null)
    }
  }, [periods, series, axis, scheme])
  return (
    <figure className={classes.figure}>
      <div
        ref={place}
        role="img"
        aria-label={label}
        className={classes.plot}
        style={{ height: chartHeight }}
      />
      <figcaption className={classes.legend}>
        <span className={classes.period}>
          {periods[pointed ?? 0]}
          {pointed === null && periods.length > 1 && ` – ${periods.at(-1) ?? ''}`}
        </span>
        {series.toReversed().map(({ name, colour, drawn, value }) => (
          <span key={name} className={classes.entry}>
            <span className={classes.swatch} style={{ background: colour }} aria-hidden />
            {name}
            {pointed !== null && <b>{format((value ?? drawn)[pointed], axis)}</b>}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function format(value: number | null | undefined, axis: Axis): string {
  return value === null || value === undefined ? '–' : axis.format(value)
}

function options(
  periods: readonly string[],
  series: readonly Series[],
  axis: Axis,
  element: HTMLElement,
  point: (index: number | null) => void,
): uPlot.Options {
  const width = element.clientWidth
  const styles = getComputedStyle(element)
  const [text, grid] = [styles.getPropertyValue('--text-quiet'), styles.getPropertyValue('--line-soft')]
  const font = `11px ${styles.fontFamily}`
  const bars = uPlot.paths.bars?.({ size: [0.72, 64], radius: 0.06 })
  return {
    width,
    height: chartHeight,
    // Where periods are narrow, half of the last one's name is beyond it.
    padding: [10, width < 600 ? 32 : 10, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, range: [-0.6, periods.length - 0.4] },
      y: { range: (_plot: uPlot, _low: number, high: number) => reach(high, axis.least ?? 0) },
    },
    axes: [
      {
        stroke: text,
        font,
        grid: { show: false },
        ticks: { show: false },
        space: 90,
        size: 26,
        incrs: [1, 2, 3, 6, 7, 12, 14, 24, 28, 48, 96, 168, 336, 672],
        values: (_plot, at) => at.map((i) => periods[i] ?? ''),
      },
      {
        scale: 'y',
        stroke: text,
        font,
        size: 64,
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        // 6k for 6.00k: marks are at round values.
        values: (_plot, at) => at.map((value) => axis.format(value).replace(/\.0+(?!\d)/, '')),
      },
    ],
    series: [
      {},
      ...series.map(({ name, colour, kind }): uPlot.Series => {
        const drawn = styles.getPropertyValue(colour.replace(/^var\((.*)\)$/, '$1'))
        return {
          label: name,
          scale: 'y',
          stroke: drawn,
          width: kind === 'line' ? 2 : 0,
          ...(kind === 'bars' && { fill: drawn }),
          ...(kind === 'bars' && bars !== undefined && { paths: bars }),
          // Where points are many, only those without a neighbour are drawn, which uPlot does by itself.
          points: { ...(periods.length < 60 && { show: kind === 'line' }), size: 6, fill: drawn },
          // Over periods without a value there is no line; a value between two such periods is a point.
          spanGaps: false,
        }
      }),
    ],
    hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
  }
}

/** From zero to some way over the highest, so that nothing touches the edge. */
function reach(high: number, least: number): [number, number] {
  return [0, Math.max(high * 1.15, least) || 1]
}
