declare module 'subset-font' {
  /** Leaves the characters of a text, and the range of an axis, of a typeface. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { targetFormat: 'woff2'; variationAxes: Record<string, { min: number; max: number }> },
  ): Promise<Buffer>
}
