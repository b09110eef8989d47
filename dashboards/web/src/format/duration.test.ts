import { expect, test } from 'vitest'
import { clock, duration } from './duration'

test.each([
  [0, '0 s'],
  [0.0003, '< 1 µs'],
  [0.25, '250 µs'],
  [0.9996, '1.0 ms'],
  [4.25, '4.3 ms'],
  [950.2, '950 ms'],
  [999.7, '1.00 s'],
  [9_999, '10.0 s'],
  [59_990, '1 m 00 s'],
  [185_000, '3 m 05 s'],
  [3_599_800, '1 h 00 m'],
  [47 * 3_600_000, '47 h 00 m'],
  [430_000_000, '4 d 23 h'],
  [-12, '−12 ms'],
])('%d ms is %s', (ms, want) => expect(duration(ms)).toBe(want))

test.each([
  [0, '0:00.000'],
  [4_250.9, '0:04.250'],
  [723_000, '12:03.000'],
  [3_723_004, '1:02:03.004'],
])('%d ms on the clock is %s', (ms, want) => expect(clock(ms)).toBe(want))
