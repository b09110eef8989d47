import { Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ProblemAlert } from '../components/problem'
import classes from '../reports/page.module.css'
import { useTitle } from '../components/title'
import { Erasures } from './erasures'
import { Expiring } from './expiring'
import { Policies } from './policies'
import { policiesQuery } from './queries'

/** How long recordings are kept, what expires, and what is being erased. */
export default function RetentionPage() {
  useTitle('Retention')
  const policies = useQuery(policiesQuery)
  return (
    <div className={classes.page} data-ready={policies.isSuccess || undefined}>
      <Title order={1} size="h3">
        Retention
      </Title>
      {policies.error !== null && (
        <ProblemAlert error={policies.error} again={() => void policies.refetch()} />
      )}
      {policies.isPending && <Skeleton height={240} radius="md" />}
      {policies.data !== undefined && (
        <>
          <Policies policies={policies.data.items} />
          <Text size="sm" c="dimmed">
            A session is as old as its last frame. Beyond a size the oldest sessions expire first. What
            expires is deleted and cannot be brought back.
          </Text>
          <Expiring />
        </>
      )}
      <Erasures />
    </div>
  )
}
