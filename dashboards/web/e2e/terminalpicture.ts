import type { Run, Screen } from './screens'

const cell = { width: 8.4, height: 19 }
const margin = { x: 16, y: 14 }
const font = 14
const baseline = 15

/** How long the last screen is shown before all begins again, in milliseconds. */
const lastShown = 3_000

const palette = [
  '#6e7681',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#c9d1d9',
  '#8b949e',
  '#ffa198',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#f0f6fc',
]

/**
 * Returns an animated SVG of screens. They are side by side, and a CSS animation moves the one to be seen into the
 * picture. Rows that occur in several screens are stored once. Without animations the last screen is shown.
 */
export function terminalPicture(
  screens: readonly Screen[],
  columns: number,
  rows: number,
  title: string,
): string {
  const width = Math.ceil(columns * cell.width + 2 * margin.x)
  const height = rows * cell.height + 2 * margin.y
  const total = (screens.at(-1)?.at ?? 0) + lastShown
  const ids = new Map<string, string>()
  const strip = screens.map((screen, i) => {
    const uses = screen.rows.map((runs, row) => {
      if (runs.length === 0) return ''
      const drawn = runs.map(drawnRun).join('')
      const id = ids.get(drawn) ?? `r${ids.size.toString(36)}`
      ids.set(drawn, id)
      return `<use href="#${id}" y="${row * cell.height + baseline}"/>`
    })
    if (screen.cursor !== undefined)
      uses.push(
        `<use href="#c" x="${rounded(screen.cursor.column * cell.width)}" y="${screen.cursor.row * cell.height}"/>`,
      )
    return `<g transform="translate(${i * width})">${uses.join('')}</g>`
  })
  const keyframes = screens.map(
    ({ at }, i) => `${rounded((at / total) * 100, 3)}%{transform:translateX(${-i * width}px)}`,
  )
  const rest = -(screens.length - 1) * width
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<style>',
    `text{font:${font}px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#d0d7de}`,
    '.b{font-weight:700;fill:#f0f6fc}.d{fill:#9198a1}',
    ...palette.map((colour, i) => `.f${i}{fill:${colour}}`),
    `#screens{transform:translateX(${rest}px);animation:play ${rounded(total / 1000)}s steps(1,end) infinite}`,
    `@keyframes play{${keyframes.join('')}100%{transform:translateX(${rest}px)}}`,
    '@media(prefers-reduced-motion:reduce){#screens{animation:none}}',
    '</style>',
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="#161b22" stroke="#3d444d"/>`,
    '<defs>',
    `<rect id="c" y="2" width="${cell.width}" height="${cell.height - 3}" fill="#d0d7de" opacity=".8"/>`,
    ...[...ids].map(([drawn, id]) => `<g id="${id}">${drawn}</g>`),
    '</defs>',
    `<g transform="translate(${margin.x} ${margin.y})"><g id="screens">`,
    ...strip,
    '</g></g>',
    '</svg>',
    '',
  ].join('\n')
}

/** A run of text that is as wide as its cells, whichever font there is. */
function drawnRun(run: Run): string {
  const classes = [
    ...(run.bold ? ['b'] : []),
    ...(run.dim ? ['d'] : []),
    ...(run.colour === undefined ? [] : [`f${run.colour}`]),
  ]
  const attributes = [
    `x="${rounded(run.column * cell.width)}"`,
    ...(run.width === 1 ? [] : [`textLength="${rounded(run.width * cell.width)}"`]),
    ...(run.symbols ? ['lengthAdjust="spacingAndGlyphs"'] : []), // so that lines have no gaps
    ...(classes.length === 0 ? [] : [`class="${classes.join(' ')}"`]),
  ]
  // U+25B6 is shown as an emoji by some systems, unless it is followed by U+FE0E.
  return `<text ${attributes.join(' ')}>${escaped(run.text).replaceAll('\u25b6', '\u25b6\ufe0e')}</text>`
}

function rounded(value: number, digits = 1): string {
  return String(Number(value.toFixed(digits)))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
