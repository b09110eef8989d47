import { Anchor, SegmentedControl, Title } from '@mantine/core'
import { IconTag } from '@tabler/icons-react'
import { Link, useLocation, useSearch } from 'wouter'
import { Empty } from '../components/empty'
import { useTitle } from '../components/title'
import { everything, type Filter, formatFilter } from '../filters/filter'
import classes from '../reports/page.module.css'
import { formatReport, parseReport } from '../reports/params'
import { Budgets } from './budgets'
import { Figures } from './figures'
import { LatestSessions } from './latest'
import { Spending } from './spending'

const ranges = [
  { value: 'now-7d', label: '7 days' },
  { value: 'now-30d', label: '30 days' },
  { value: 'now-90d', label: '90 days' },
]

/** What there is of one value of a tag, such as a user or a customer: `/tag?tag=customer:acme&from=now-30d`. */
export default function TagPage() {
  const search = useSearch()
  const [, go] = useLocation()
  const params = new URLSearchParams(search)
  const tag = params.get('tag') ?? ''
  const from = ranges.find(({ value }) => value === params.get('from'))?.value ?? 'now-30d'
  const [name = '', ...rest] = tag.split(':')
  const value = rest.join(':')
  const known = name !== '' && value !== ''
  useTitle(known ? `${name}: ${value}` : 'Tag')
  if (!known)
    return (
      <Empty title="No tag is named" icon={<IconTag size={36} stroke={1.25} />}>
        The address of this page names a tag and its value, as in <code>/tag?tag=customer:acme</code>. Usage
        that is grouped by a tag leads here from each value.
      </Empty>
    )
  const filter: Filter = { ...everything, tag: [tag], from }
  const report = parseReport(`?${new URLSearchParams({ from, tag }).toString()}`, ['model'])
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <Title order={1} size="h3">
          {name}: {value}
        </Title>
        <Anchor component={Link} href={`/${formatFilter(filter)}`} size="sm">
          Sessions
        </Anchor>
        <Anchor component={Link} href={`/usage${formatReport(report, ['model'])}`} size="sm">
          Usage
        </Anchor>
        <SegmentedControl
          size="xs"
          aria-label="Range"
          ml="auto"
          value={from}
          data={ranges}
          onChange={(next) =>
            go(`/tag?${new URLSearchParams({ tag, from: next }).toString()}`, { replace: true })
          }
        />
      </div>
      <Figures filter={filter} />
      <Budgets name={name} value={value} from={from} />
      <Spending report={report} />
      <LatestSessions filter={filter} />
    </div>
  )
}
