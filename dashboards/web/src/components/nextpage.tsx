import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

/** Fetches the next page of a list, as long as there is one. */
export function NextPage({
  list,
  className = '',
  children,
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  className?: string | undefined
  children: ReactNode
}) {
  if (!list.hasNextPage) return null
  return (
    <Button
      className={className}
      size="xs"
      variant="default"
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {children}
    </Button>
  )
}
