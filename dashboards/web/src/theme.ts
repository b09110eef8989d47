import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The orange of a tape deck's case. */
const deck: MantineColorsTuple = [
  '#fff4ed',
  '#fde5d6',
  '#fac9ac',
  '#f7aa7e',
  '#f38f57',
  '#f17e3e',
  '#e8650f',
  '#c95108',
  '#a94305',
  '#883402',
]

export const theme = createTheme({
  primaryColor: 'deck',
  primaryShade: { light: 7, dark: 5 },
  colors: { deck },
  defaultRadius: 'md',
  fontFamily:
    'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  autoContrast: true,
  cursorType: 'pointer',
})
