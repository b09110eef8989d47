/** Colours of a chart's layers, to be told apart on light and on dark, and by those who see few colours. */
export const palette: readonly string[] = [
  '#e8650f',
  '#2f7fd6',
  '#17a589',
  '#a065d6',
  '#d9a400',
  '#5c6bc0',
  '#d6527f',
  '#8a8f98',
]
