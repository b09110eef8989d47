import { createTheme, defaultVariantColorsResolver, type MantineColorsTuple } from '@mantine/core'

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

/** The greys of the dark scheme: from the letters to the darkest ground. */
const dark: MantineColorsTuple = [
  '#d7dce2',
  '#b4bbc4',
  '#8b939d',
  '#5c6570',
  '#323a44',
  '#262d36',
  '#1a2027',
  '#12161b',
  '#0d1014',
  '#08090c',
]

export const theme = createTheme({
  primaryColor: 'deck',
  primaryShade: { light: 7, dark: 5 },
  colors: { deck, dark },
  defaultRadius: 'md',
  fontFamily:
    '"Geist Variable", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace:
    '"Geist Mono Variable", ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  autoContrast: true,
  cursorType: 'pointer',
  // The header of a dialog is no landmark: the page has its own.
  components: { ModalHeader: { defaultProps: { component: 'div' } } },
  // The letters that Mantine puts on the primary colour are those of the light scheme in both.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    return input.variant === 'filled' && input.color === input.theme.primaryColor
      ? { ...colors, color: 'var(--text-filled)' }
      : colors
  },
})
