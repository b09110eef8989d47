/**
 * A report's CSV without its range: that of the last 24 hours is stated to the second, and two requests for it
 * are made one after the other.
 */
export function withoutRange(csv: string): string {
  return csv.replaceAll(/,[^,\r\n]*,[^,\r\n]*,([^,\r\n]*)\r\n/g, ',$1\r\n')
}
