import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useFocusReturn } from '../components/focusreturn'
import { fitting, PickList, type Option } from '../components/picklist'
import { builtIn, viewAddress } from '../sessions/views'
import { keptViews } from '../sessions/keptviews'
import { usePageActions } from './actions'
import { pages } from './pages'
import { foundQuery } from './queries'

/** How long after the last key sessions are searched, ms. */
const pause = 150

/** Goes to pages, views and sessions, and runs the actions of the present page, all by their names. */
export default function Palette({ close }: { close: () => void }) {
  useFocusReturn()
  const [, navigate] = useLocation()
  const [text, type] = useState('')
  const actions = usePageActions()
  const q = text.trim()
  const [searched] = useDebouncedValue(q, pause)
  const found = useQuery(foundQuery(searched))
  const option = (id: string, name: string, note: string, run: () => void): Option => ({
    id,
    name,
    note,
    pick: () => {
      close()
      run()
    },
  })
  const to = (id: string, name: string, note: string, address: string) =>
    option(id, name, note, () => navigate(address))
  const fixed = fitting(
    [
      ...actions.map(({ name, run }) => option(`action ${name}`, name, 'this page', run)),
      ...pages.map(({ name, path }) => to(`page ${path}`, name, 'page', path)),
      ...[...builtIn(), ...keptViews()].map((view) =>
        to(`view ${view.name}`, view.name, 'view', viewAddress(view)),
      ),
    ],
    q,
  )
  const sessions = q === '' ? [] : (found.data?.items ?? [])
  const options = [
    ...fixed,
    ...sessions.map(({ id, title }) =>
      to(
        `session ${id}`,
        title === '' ? id : title,
        title === '' ? 'session' : id,
        `/sessions/${encodeURIComponent(id)}`,
      ),
    ),
    ...(q === ''
      ? []
      : [
          to('search', `Search all texts for “${q}”`, '', `/search?${new URLSearchParams({ q }).toString()}`),
        ]),
  ]
  return (
    <Modal.Root
      opened
      onClose={close}
      padding="xs"
      yOffset="12vh"
      transitionProps={{ duration: 0 }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Go to">
        <Modal.Body>
          <PickList
            label="Go to"
            placeholder="Page, session, view, action or text"
            text={text}
            type={type}
            options={options}
            empty=""
          />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
