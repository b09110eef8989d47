import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Stands where there is nothing to show: why, and what to do next. */
export function Empty({ title, icon, children }: { title: string; icon?: ReactNode; children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} px="md" py={56} ta="center">
      {icon !== undefined && (
        <Text c="dimmed" component="div" aria-hidden>
          {icon}
        </Text>
      )}
      <Title order={2} size="h5" fw={600}>
        {title}
      </Title>
      {children !== undefined && (
        <Text size="sm" c="dimmed" w="100%" maw={420} component="div">
          {children}
        </Text>
      )}
    </Stack>
  )
}
