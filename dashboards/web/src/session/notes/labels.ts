/** The labels of a text that has them with commas. */
export function labelsOf(text: string): string[] {
  return text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
}
