import { ActionIcon, Menu } from '@mantine/core'
import {
  IconDots,
  IconDownload,
  IconGitCompare,
  IconPlayerPlay,
  IconRefresh,
  IconServer,
  IconShare,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import {
  type ComponentType,
  lazy,
  type LazyExoticComponent,
  Suspense,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Link, useLocation } from 'wouter'
import { isShared, type Schemas } from '../../api/client'
import { hasScope, loginQuery } from '../../login/queries'
import { useOfferedActions } from '../../palette/actions'
import type { DialogProps } from './props'

type Session = Schemas['SessionDetail']

interface Entry {
  name: string
  icon: ComponentType<{ size: number }>
  scope: 'read:raw' | 'admin'
  danger?: boolean
  dialog: LazyExoticComponent<ComponentType<DialogProps>>
}

const entries: readonly Entry[] = [
  {
    name: 'Export…',
    icon: IconDownload,
    scope: 'read:raw',
    dialog: lazy(() => import('./export')),
  },
  {
    name: 'Replay into my UI…',
    icon: IconPlayerPlay,
    scope: 'read:raw',
    dialog: lazy(() => import('./replay')),
  },
  { name: 'Emulate…', icon: IconServer, scope: 'read:raw', dialog: lazy(() => import('./emulate')) },
  {
    name: 'Share…',
    icon: IconShare,
    scope: 'read:raw',
    dialog: lazy(() => import('../share/dialog')),
  },
  { name: 'Decode again…', icon: IconRefresh, scope: 'admin', dialog: lazy(() => import('./redecode')) },
  { name: 'Delete…', icon: IconTrash, scope: 'admin', danger: true, dialog: lazy(() => import('./delete')) },
]

/** The actions on a session for which the user has the scope. */
export function SessionMenu({ session }: { session: Session }) {
  const login = useQuery({ ...loginQuery, enabled: false }).data
  const [chosen, choose] = useState<Entry | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [, navigate] = useLocation()
  const principal = login?.principal ?? null
  const shown = useMemo(
    () =>
      entries.filter(
        ({ scope }) => !isShared() && login !== undefined && principal !== null && hasScope(principal, scope),
      ),
    [login, principal],
  )
  const compare = `/compare?a=${encodeURIComponent(session.id)}`
  const actions = useMemo(
    () => [
      { name: 'Compare with…', run: () => navigate(compare) },
      ...shown.map((entry) => ({ name: entry.name, run: () => choose(entry) })),
    ],
    [shown, navigate, compare],
  )
  useOfferedActions('session menu', actions)
  if (isShared() || login === undefined || principal === null) return null
  const Dialog = chosen?.dialog
  return (
    <>
      <Menu
        position="bottom-end"
        shadow="md"
        // In the page, whose landmark it then is a part of.
        withinPortal={false}
        floatingStrategy="fixed"
        withInitialFocusPlaceholder={false}
        transitionProps={{ duration: 0 }}
      >
        <Menu.Target>
          <ActionIcon ref={button} variant="subtle" color="gray" aria-label="Session menu">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={compare} leftSection={<IconGitCompare size={15} />}>
            Compare with…
          </Menu.Item>
          {shown.map((entry) => (
            <Menu.Item
              key={entry.name}
              leftSection={<entry.icon size={15} />}
              {...(entry.danger === true && { c: 'var(--text-error)' })}
              onClick={() => choose(entry)}
            >
              {entry.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {Dialog !== undefined && (
        <Suspense>
          <Dialog
            session={session}
            close={() => {
              choose(null)
              button.current?.focus({ preventScroll: true }) // the entry of the menu is gone
            }}
          />
        </Suspense>
      )}
    </>
  )
}
