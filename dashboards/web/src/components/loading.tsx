import { Loader, type LoaderProps } from '@mantine/core'

/** Announces that something is being loaded. */
export function Loading({ label, ...props }: Omit<LoaderProps, 'aria-label' | 'role'> & { label: string }) {
  return <Loader role="status" aria-label={label} {...props} />
}
