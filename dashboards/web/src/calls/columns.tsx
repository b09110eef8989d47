import { duration } from '../format/duration'
import { percent } from '../format/numbers'
import { figureColumn } from '../reports/figurecolumn'
import { groupColumns } from '../reports/groupcolumns'
import type { ReportParams } from '../reports/params'
import type { Column } from '../reports/column'
import type { CallFigures, CallRow } from './queries'

/** Tokens per second. */
export const rate = (value: number): string => value.toFixed(value < 10 ? 1 : 0)

export function callColumns(report: ReportParams, totals: CallFigures): Column<CallRow>[] {
  const figure = figureColumn<CallRow, CallFigures>(report, totals, { of: 'calls' })
  return [
    ...groupColumns<CallRow>(report),
    figure('calls', 'All calls, those that never ended with them.', ({ calls }) => calls),
    figure('errors', 'Calls that failed, of all calls.', ({ error_rate }) => error_rate, percent),
    figure('truncated', 'A limit of tokens cut the answer short.', ({ truncated }) => truncated),
    figure('refused', 'The model or a filter withheld the answer.', ({ refused }) => refused),
    figure('retries', 'Calls within a minute after one that failed.', ({ retries }) => retries),
    figure(
      'first token',
      'Half of the calls had a first token within this.',
      (row) => row.first_token_p50_ms,
      duration,
    ),
    figure('p95', 'Of 20 calls 19 had a first token within this.', (row) => row.first_token_p95_ms, duration),
    figure(
      'tokens/s',
      'The median rate from the first chunk to the last.',
      (row) => row.tokens_per_second_p50,
      rate,
    ),
    figure('gap p99', 'Of 100 gaps between chunks 99 were shorter.', (row) => row.gap_p99_ms, duration),
    figure('longest', 'The longest gap between two chunks.', (row) => row.gap_max_ms, duration),
    figure('stalls', 'Gaps that count as stalls.', ({ stalls }) => stalls),
    figure('took p95', 'Of 20 calls 19 ended within this.', (row) => row.duration_p95_ms, duration),
  ]
}
