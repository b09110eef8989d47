import xterm, { type IBufferCell, type Terminal } from '@xterm/headless'

/** A piece of a row whose characters look the same. */
export interface Run {
  column: number
  /** How many cells it has. */
  width: number
  text: string
  /** Of the terminal's 16 colours; undefined is the default. */
  colour?: number
  bold: boolean
  dim: boolean
  /** No letters, but lines, arrows, ticks and the like. */
  symbols: boolean
}

export interface Screen {
  /** Milliseconds from the beginning. */
  at: number
  rows: Run[][]
  /** Where the cursor is, if it is shown. */
  cursor?: { column: number; row: number }
}

/** What was written to a terminal, and when. */
export interface Output {
  at: number
  text: string
}

/** The shortest time, in milliseconds, for which a screen is shown: what changes within it is one change. */
const shortest = 90

/** Returns the screens that a terminal shows for its output, each until the next one. */
export async function screensOf(output: readonly Output[], columns: number, rows: number): Promise<Screen[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const state = followModes(terminal)
  const screens: Screen[] = []
  for (const { at, text } of output) {
    await new Promise<void>((done) => terminal.write(text, done))
    if (state.drawing) continue
    const screen = snapshot(terminal, state.cursor)
    const last = screens.at(-1)
    if (last !== undefined && at - last.at < shortest)
      screens[screens.length - 1] = { ...screen, at: last.at }
    else screens.push({ ...screen, at })
  }
  terminal.dispose()
  return screens
}

/** Follows two modes of a terminal: whether its cursor is shown, and whether an update of the screen is under way. */
function followModes(terminal: Terminal): { cursor: boolean; drawing: boolean } {
  const state = { cursor: true, drawing: false }
  for (const [final, set] of [
    ['h', true],
    ['l', false],
  ] as const)
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(25)) state.cursor = set
      if (modes.includes(2026)) state.drawing = set
      return false // the terminal handles them as well
    })
  return state
}

function snapshot(terminal: Terminal, cursor: boolean): Omit<Screen, 'at'> {
  const buffer = terminal.buffer.active
  const rows: Run[][] = []
  for (let row = 0; row < terminal.rows; row++) {
    const line = buffer.getLine(buffer.baseY + row)
    const cells: IBufferCell[] = []
    for (let column = 0; column < terminal.cols; column++) {
      const cell = line?.getCell(column)
      if (cell !== undefined) cells.push(cell)
    }
    rows.push(runsOf(cells))
  }
  return cursor ? { rows, cursor: { column: buffer.cursorX, row: buffer.cursorY } } : { rows }
}

/**
 * Divides a row where the look changes, at two spaces and more, and between letters and symbols: a font may lack the
 * symbols, and their substitutes may be wider.
 */
function runsOf(cells: readonly IBufferCell[]): Run[] {
  const runs: Run[] = []
  let last = ''
  for (const [column, cell] of cells.entries()) {
    const text = cell.getChars()
    if (text === '' || text === ' ') continue
    const look: Omit<Run, 'column' | 'width' | 'text'> = {
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      symbols: text > '\u2030',
      ...(cell.isFgDefault() ? {} : { colour: paletteColour(cell) }),
    }
    if (!cell.isBgDefault() || cell.isInverse() !== 0 || cell.getWidth() !== 1)
      throw new Error(`a cell that is not supported: ${text}`)
    const kind = JSON.stringify(look)
    const run = runs.at(-1)
    const gap = run === undefined ? 0 : column - run.column - run.width
    if (run !== undefined && kind === last && gap <= 1) {
      run.text += ' '.repeat(gap) + text
      run.width += gap + 1
    } else runs.push({ column, width: 1, text, ...look })
    last = kind
  }
  return runs
}

function paletteColour(cell: IBufferCell): number {
  if (!cell.isFgPalette() || cell.getFgColor() > 15)
    throw new Error(`a colour that is not supported: ${cell.getFgColor()}`)
  return cell.getFgColor()
}
